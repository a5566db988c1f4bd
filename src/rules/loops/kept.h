/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a value that is kept from one step to the next where it stands: nobody may change what is kept. */
#ifndef RULES_KEPT_H
#define RULES_KEPT_H

#include "rules/ask/ask.h"

enum kept_use {
    KEPT_READ,       /* it is looked at and stays what it is */
    KEPT_COPY_LIST,  /* it goes where it could be changed: a new list of the same items will do */
    KEPT_COPY_ARRAY, /* a copy of the array will do */
    KEPT_COPY_DEEP,  /* a copy of all that is in it is needed */
    KEPT_REFUSE,     /* there is no telling */
};

enum kept_use kept_use(const struct check *check, uint32_t node);

/* Numbers and texts: there is nothing in them to change. */
bool kept_is_number(const struct value *value);

#endif
