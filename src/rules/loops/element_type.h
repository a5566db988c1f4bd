/* SPDX-License-Identifier: Apache-2.0 */
/* What a constructor of tensors makes of each element of a list. */
#ifndef RULES_ELEMENT_TYPE_H
#define RULES_ELEMENT_TYPE_H

#include "rules/ask/ask.h"

/* NumPy's name of the type that it gives its tensor whatever the list holds; NULL where the list decides. */
const char *element_type(const struct check *check, uint32_t call);

#endif
