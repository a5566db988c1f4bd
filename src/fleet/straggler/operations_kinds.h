/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of operations that traces have: parts of the step, and behind them the kinds of collectives (ops/rows/collective.h). */
#ifndef FLEET_OPERATIONS_KINDS_H
#define FLEET_OPERATIONS_KINDS_H

#include "base/str.h"
#include "ops/rows/collective.h"

enum {
    KIND_FORWARD,
    KIND_BACKWARD,
    KIND_OPTIMIZER,
    KIND_OTHER,
    KIND_HOST, /* the device had nothing to do, and waited for no collective */
    KIND_COLLECTIVE,
    RANK_OPERATION_KINDS = KIND_COLLECTIVE + COLLECTIVE_KINDS
};

static inline str rank_operation_word(uint8_t kind)
{
    static const str words[KIND_COLLECTIVE] = {[KIND_FORWARD] = S("forward"),
                                               [KIND_BACKWARD] = S("backward"),
                                               [KIND_OPTIMIZER] = S("optimizer step"),
                                               [KIND_OTHER] = S("other work"),
                                               [KIND_HOST] = S("host")};
    return kind < KIND_COLLECTIVE ? words[kind] : collective_kind_word((enum collective_kind)(kind - KIND_COLLECTIVE));
}

#endif
