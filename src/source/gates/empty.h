/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that ask whether there is anything in a tensor: `if boxes.shape[0] == 0`, `if chosen.sum() > 0`. */
#ifndef SOURCE_EMPTY_H
#define SOURCE_EMPTY_H

#include "source/contexts/contexts.h"

enum empty {
    EMPTY_NOT_ASKED,
    EMPTY_HOLDS,     /* it holds where there is nothing */
    EMPTY_HOLDS_NOT, /* it holds where there is something */
};
enum empty empty_asked(const struct project *project, struct site test);

#endif
