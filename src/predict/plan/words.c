/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

str timing_basis_word(enum timing_basis basis)
{
    static const char *const words[TIMING_BASES] = {
        [TIMED_RECORDED] = "recorded",
        [TIMED_SCALED] = "scaled",
        [TIMED_MODEL] = "model",
        [TIMED_GUESS] = "guess",
    };
    return basis < TIMING_BASES ? str_of(words[basis]) : S("?");
}
