/* SPDX-License-Identifier: Apache-2.0 */
#include "launches.h"

#include "base/sum.h"

#include "kernels_columns.h"
#include "kernels_merge.h"
#include "kernels_select.h"

/* The selected calls: parallel arrays. */
struct calls {
    const struct trace *trace;
    uint32_t *rows, *group;
    uint32_t count;
    uint32_t *group_of_name; /* by text id: 1 + group; 0: none yet */
    uint32_t *names;         /* by group: text id */
    uint32_t group_count;
};

static uint32_t group_of(struct calls *calls, uint32_t name)
{
    uint32_t *group = &calls->group_of_name[name];
    if (!*group) {
        calls->names[calls->group_count] = name;
        *group = ++calls->group_count;
    }
    return *group - 1;
}

static void select_calls(struct calls *calls, const struct selection *selection)
{
    const struct trace *trace = calls->trace;
    const struct picked picked = picked_by(trace, selection);
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_RUNTIME || !picks(&picked, row))
            continue;
        calls->rows[calls->count] = row;
        calls->group[calls->count++] = group_of(calls, trace->name[row]);
    }
}

/* Device work counts for the call that caused it. */
static void count_work(const struct calls *calls, struct launch_group *groups, struct arena *scratch)
{
    const struct trace *trace = calls->trace;
    uint32_t *group_of_row = arena_array(scratch, trace->count, sizeof *group_of_row);
    for (uint32_t i = 0; i < calls->count; i++)
        group_of_row[calls->rows[i]] = calls->group[i] + 1;
    for (uint32_t row = 0; row < trace->count; row++)
        if (event_is_device_work(trace->kind[row]) && trace->cause[row] != ROW_NONE && group_of_row[trace->cause[row]])
            groups[group_of_row[trace->cause[row]] - 1].work++;
}

struct launches launches_run(const struct trace *trace, const struct selection *selection, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t room = (uint32_t)trace->kinds[EVENT_RUNTIME];
    struct calls calls = {
        .trace = trace,
        .rows = arena_array(&scratch, room, sizeof *calls.rows),
        .group = arena_array(&scratch, room, sizeof *calls.group),
        .group_of_name = arena_array(&scratch, trace_text_count(trace), sizeof *calls.group_of_name),
        .names = arena_array(&scratch, room, sizeof *calls.names),
    };
    select_calls(&calls, selection);
    int64_t *dur_ns = arena_array(&scratch, calls.count, sizeof *dur_ns);
    for (uint32_t i = 0; i < calls.count; i++)
        dur_ns[i] = trace->dur_ns[calls.rows[i]];
    const struct samples *samples = samples_deal(dur_ns, calls.group, calls.count, calls.group_count, arena);

    struct launches launches = {arena_array(arena, calls.group_count, sizeof *launches.groups), calls.group_count};
    for (uint32_t i = 0; i < calls.group_count; i++)
        launches.groups[i] = (struct launch_group){str_copy(arena, trace_text(trace, calls.names[i])), samples[i], 0};
    count_work(&calls, launches.groups, &scratch);
    arena_free(&scratch);
    return launches;
}

/* ---- showing ---- */

static int64_t total_ns(const struct samples *samples)
{
    return (int64_t)samples_summary(&samples, 1).sum;
}

static void show_row(const struct launches *const *ranks, const struct merge *merge, const struct merge_row *row,
                     struct table *table, struct arena *arena)
{
    const struct samples **parts = arena_array(arena, row->links, sizeof *parts);
    uint32_t count = 0;
    uint64_t work = 0;
    for (uint32_t at = row->first; at != MERGE_END; at = merge->links[at].next) {
        const struct launch_group *group = &ranks[merge->links[at].rank]->groups[merge->links[at].row];
        parts[count++] = &group->dur_ns;
        work += group->work;
    }
    const struct stat_summary summary = samples_summary(parts, count);
    const struct merge_link *first = &merge->links[row->first];
    table_row(table);
    table_text(table, ranks[first->rank]->groups[first->row].name);
    table_int(table, (int64_t)summary.count);
    table_int(table, summary.sum);
    table_real(table, summary.mean);
    table_real(table, summary.p50);
    table_real(table, summary.p95);
    table_int(table, summary.max);
    table_int(table, (int64_t)work);
}

void launches_show(const struct launches *const *ranks, uint32_t count, struct report *report)
{
    struct section *section = report_section(report, "launches", "Calls into the runtime");
    struct table *table = kernels_table(section, "launches", "");
    struct arena scratch = {0};
    struct merge merge = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranks[i]->count; k++)
            sum_to(&merge_add(&merge, ranks[i]->groups[k].name, S(""), i, k)->weight,
                   total_ns(&ranks[i]->groups[k].dur_ns));
    const uint32_t *order = merge_order(&merge, &scratch);
    for (uint32_t i = 0; i < merge.row_count; i++)
        show_row(ranks, &merge, &merge.rows[order[i]], table, &scratch);
    if (!merge.row_count)
        table_json_only(table);
    merge_free(&merge);
    arena_free(&scratch);
}
