/* SPDX-License-Identifier: Apache-2.0 */
#include "again.h"

#include "base/search.h"

static bool is_within(const struct again *again, int64_t id)
{
    const size_t at =
        search_after(again->spans, again->count, sizeof *again->spans, offsetof(struct again_span, end), id);
    return at < again->count && again->spans[at].begin < id;
}

static void twice(struct plan *plan, struct plan_op *op)
{
    op->before_us *= 2;
    op->last_us *= 2;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++) {
        struct plan_launch *const launch = &plan->launches[i];
        launch->us *= 2;
        launch->gap_us *= 2;
        launch->call_us *= 2;
    }
}

bool again_change(const void *again, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct plan_op *const op = &plan->ops[i];
        if (op->op != OP_NONE && is_within(again, plan->program->ops[op->op].id))
            twice(plan, op);
    }
    return true;
}
