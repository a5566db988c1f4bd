/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a call or a test by its text alone. */
#ifndef SOURCE_ASKS_H
#define SOURCE_ASKS_H

#include "none.h"
#include "source/known/known_words.h"

/* A call whose last name is one of the words: `x.cuda()`, `torch.cat(xs)`. */
bool calls_one_of(const struct syntax *tree, uint32_t node, enum words words);

/* `torch.cuda.is_available()`, of torch.accelerator too; *negated: `not torch.cuda.is_available()`. */
bool asks_for_cuda(const struct syntax *tree, uint32_t test, bool *negated);

#endif
