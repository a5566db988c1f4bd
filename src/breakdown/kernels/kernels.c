/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include "kernels_busy.h"
#include "kernels_group.h"
#include "kernels_select.h"

enum kernel_grouping kernel_grouping_of(str word)
{
    str rest = S(KERNEL_GROUPINGS), part;
    for (int i = 0; str_cut(&rest, '|', &part); i++)
        if (str_eq(part, word))
            return (enum kernel_grouping)i;
    return KERNELS_BY_NAME;
}

static void count_up(uint8_t *count)
{
    *count += *count < 2;
}

/* All device work counts, picked or not: whether an operator has one kernel does not depend on the selection. */
static const struct cost_share *shares_of(const struct kernel_work *work, struct arena *arena)
{
    const struct trace *trace = work->trace;
    struct cost_share *shares = arena_array(arena, trace->count, sizeof *shares);
    for (uint32_t row = 0; row < trace->count; row++) {
        if (!event_is_device_work((enum event_kind)trace->kind[row]))
            continue;
        const uint32_t owner = op_costs_owner(work->costs, row);
        if (owner == ROW_NONE)
            continue;
        count_up(&shares[owner].work);
        if (kernel_is_matrix(work->classes, trace, row))
            count_up(&shares[owner].matrix);
    }
    return shares;
}

static struct kernel_work work_of(const struct trace *trace, const struct judgements *judgements,
                                  const struct kernels_asked *asked, struct arena *arena)
{
    struct kernel_work work = {
        .trace = trace,
        .classes = judgements->classes,
        .costs = judgements->costs,
        .counts_only = asked->counts_only,
        .peaks = peaks_new(trace, asked->device, arena),
    };
    work.picked = picked_by(trace, asked->selection);
    work.rows = picked_device_work(&work.picked, arena, &work.count);
    work.shares = shares_of(&work, arena);
    return work;
}

static void take(const struct kernel_work *work, enum kernel_grouping by, struct arena *arena, struct kernels *kernels)
{
    const struct trace *trace = work->trace;
    *kernels = (struct kernels){
        .rank = trace->info.rank,
        .recorded = device_work_count(trace) > 0,
        .count = work->count,
        .busy_ns = busy_ns_of(&work->picked),
        .device = str_copy(arena, work->peaks.device),
        .closest = str_copy(arena, work->peaks.closest),
        .groups = kernel_groups_of(work, by, arena),
    };
    for (uint32_t i = 0; i < work->count; i++)
        kernels->total_ns += trace->dur_ns[work->rows[i]];
}

void kernels_run_judged(const struct trace *trace, const struct judgements *judgements,
                        const struct kernels_asked *asked, struct arena *arena, struct kernels *kernels)
{
    struct arena scratch = {0};
    const struct kernel_work work = work_of(trace, judgements, asked, &scratch);
    take(&work, asked->by, arena, kernels);
    arena_free(&scratch);
}

void kernels_run(const struct trace *trace, const struct kernels_asked *asked, struct arena *arena,
                 struct kernels *kernels)
{
    struct arena scratch = {0};
    const struct judgements judgements = {.classes = work_classes_new(trace, &scratch),
                                          .costs = op_costs_new(trace, &scratch)};
    const struct kernel_work work = work_of(trace, &judgements, asked, &scratch);
    take(&work, asked->by, arena, kernels);
    kernels->classes = kernel_groups_of(&work, KERNELS_BY_CLASS, arena);
    kernels->launches = launches_run(trace, asked->selection, arena);
    arena_free(&scratch);
}
