/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of branches ask, by their text alone. */
#ifndef SOURCE_ASKS_H
#define SOURCE_ASKS_H

#include "none.h"

/* `torch.cuda.is_available()`; *negated: `not torch.cuda.is_available()`. */
bool asks_for_cuda(const struct syntax *tree, uint32_t test, bool *negated);

#endif
