/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

static bool inside(const struct selection *selection, int64_t number)
{
    return !selection->limited || (number >= selection->first && number <= selection->last);
}

struct step_range selection_steps(const struct trace *trace, const struct selection *selection)
{
    const uint32_t begin = selection->skip_warmup && trace->step_count > 1;
    struct step_range range = {begin, 0};
    for (uint32_t i = begin; i < trace->step_count; i++) {
        if (!inside(selection, trace->steps[i].number))
            continue;
        if (!range.count)
            range.first = i;
        range.count = i - range.first + 1;
    }
    return range;
}

struct step_range selection_judged(const struct trace *trace, const struct selection *selection)
{
    struct step_range range = selection_steps(trace, selection);
    if (!selection->limited && range.count >= 4) {
        range.first++;
        range.count -= 2;
    }
    return range;
}

void selection_window(const struct trace *trace, const struct selection *selection, int64_t *start_ns, int64_t *end_ns)
{
    *start_ns = 0;
    *end_ns = trace->end_ns;
    if (!selection->limited && !selection->skip_warmup)
        return;
    const struct step_range range = selection_steps(trace, selection);
    if (!range.count) {
        *end_ns = 0;
        return;
    }
    *start_ns = trace->steps[range.first].start_ns;
    *end_ns = trace->steps[range.first + range.count - 1].end_ns;
}
