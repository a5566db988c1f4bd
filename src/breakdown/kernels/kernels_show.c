/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of one or many ranks as tables. A row of the tables is the same row of every rank, merged. */
#include "kernels.h"

#include "base/sum.h"
#include "kernels_columns.h"
#include "kernels_merge.h"
#include "kernels_rate.h"

/* A merged row: sums over the ranks, the samples still apart. */
struct merged {
    const struct kernel_group *first;
    struct kernel_group sums;
    const struct samples **durations, **delays;
    uint32_t parts;
};

static str same(str a, str b)
{
    return str_eq(a, b) ? a : S("");
}

static void add_group(struct merged *merged, const struct kernel_group *group)
{
    struct kernel_group *sums = &merged->sums;
    if (!merged->parts) {
        merged->first = group;
        *sums = *group;
    } else {
        sums->class = same(sums->class, group->class);
        sums->grid = same(sums->grid, group->grid);
        sums->block = same(sums->block, group->block);
        sum_to(&sums->total_ns, group->total_ns);
        rate_add(&sums->flops, &group->flops);
        rate_add(&sums->bytes, &group->bytes);
        mean_add(&sums->occupancy, &group->occupancy);
        mean_add(&sums->blocks_per_sm, &group->blocks_per_sm);
        mean_add(&sums->warps_per_sm, &group->warps_per_sm);
        sums->registers = group->registers > sums->registers ? group->registers : sums->registers;
        if (group->shared_memory_bytes > sums->shared_memory_bytes)
            sums->shared_memory_bytes = group->shared_memory_bytes;
    }
    merged->durations[merged->parts] = &group->dur_ns;
    merged->delays[merged->parts++] = &group->delay_ns;
}

static const struct kernel_groups *groups_of(const struct kernels *rank, bool classes)
{
    return classes ? &rank->classes : &rank->groups;
}

static struct merge merge_ranks(const struct kernels *const *ranks, uint32_t count, bool classes)
{
    struct merge merge = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct kernel_groups *groups = groups_of(ranks[i], classes);
        for (uint32_t k = 0; k < groups->count; k++)
            sum_to(&merge_add(&merge, groups->at[k].name, groups->at[k].shape, i, k)->weight, groups->at[k].total_ns);
    }
    return merge;
}

static struct merged merged_row(const struct kernels *const *ranks, const struct merge *merge,
                                const struct merge_row *row, bool classes, struct arena *arena)
{
    struct merged merged = {.durations = arena_array(arena, row->links, sizeof *merged.durations),
                            .delays = arena_array(arena, row->links, sizeof *merged.delays)};
    for (uint32_t at = row->first; at != MERGE_END; at = merge->links[at].next)
        add_group(&merged, &groups_of(ranks[merge->links[at].rank], classes)->at[merge->links[at].row]);
    return merged;
}

/* ---- cells ---- */

static void show_delays(struct table *table, const struct merged *merged)
{
    const struct stat_summary delays = samples_summary(merged->delays, merged->parts);
    table_cell(table, delays.count ? cell_real(delays.mean) : cell_null());
    table_cell(table, delays.count ? cell_real(delays.p95) : cell_null());
}

/* What the device itself recorded of the launches. */
static void show_launches(struct table *table, const struct kernel_group *sums)
{
    table_cell(table, mean_cell(&sums->occupancy));
    table_cell(table, mean_cell(&sums->blocks_per_sm));
    table_cell(table, mean_cell(&sums->warps_per_sm));
    table_cell(table, cell_int_or_null(sums->registers));
    table_cell(table, cell_int_or_null(sums->shared_memory_bytes));
    table_cell(table, cell_text_or_null(sums->grid));
    table_cell(table, cell_text_or_null(sums->block));
}

static void show_kernel(struct table *table, const struct merged *merged, int64_t busy_ns)
{
    const struct stat_summary times = samples_summary(merged->durations, merged->parts);
    table_row(table);
    table_text(table, merged->first->title);
    table_text(table, merged->first->name);
    table_cell(table, cell_text_or_null(merged->sums.class));
    table_cell(table, cell_text_or_null(merged->sums.shape));
    table_int(table, (int64_t)times.count);
    table_int(table, times.sum);
    table_cell(table, cell_ratio((double)times.sum, (double)busy_ns));
    table_real(table, times.mean);
    table_real(table, times.p50);
    table_real(table, times.p95);
    show_delays(table, merged);
    rate_cells(table, &merged->sums.flops, &merged->sums.bytes);
    table_int(table, times.min);
    table_int(table, times.max);
    show_launches(table, &merged->sums);
    table_int(table, merged->parts);
}

static void show_class(struct table *table, const struct merged *merged, int64_t busy_ns)
{
    const struct stat_summary times = samples_summary(merged->durations, merged->parts);
    table_row(table);
    table_text(table, merged->first->name);
    table_int(table, (int64_t)times.count);
    table_int(table, times.sum);
    table_cell(table, cell_ratio((double)times.sum, (double)busy_ns));
    table_real(table, times.mean);
}

static void show_rows(const struct kernels *const *ranks, uint32_t count, struct table *table, bool classes,
                      int64_t busy_ns)
{
    struct arena scratch = {0};
    struct merge merge = merge_ranks(ranks, count, classes);
    const uint32_t *order = merge_order(&merge, &scratch);
    for (uint32_t i = 0; i < merge.row_count; i++) {
        const struct merged merged = merged_row(ranks, &merge, &merge.rows[order[i]], classes, &scratch);
        if (classes)
            show_class(table, &merged, busy_ns);
        else
            show_kernel(table, &merged, busy_ns);
    }
    merge_free(&merge);
    arena_free(&scratch);
}

/* ---- the head ---- */

struct totals {
    bool recorded;
    uint64_t count;
    int64_t busy_ns, total_ns;
};

static struct totals totals_of(const struct kernels *const *ranks, uint32_t count)
{
    struct totals totals = {0};
    for (uint32_t i = 0; i < count; i++) {
        totals.recorded |= ranks[i]->recorded;
        totals.count += ranks[i]->count;
        sum_to(&totals.busy_ns, ranks[i]->busy_ns);
        sum_to(&totals.total_ns, ranks[i]->total_ns);
    }
    return totals;
}

static void show_head(const struct kernels *const *ranks, uint32_t count, const struct totals *totals,
                      struct report *report)
{
    struct section *section = report_section(report, "device", "Device work");
    if (!totals->recorded)
        section_text(section, S("No device activity was recorded: there are no kernels to show. `steptime ops` shows "
                                "the host's operators."));
    device_show(section, report_arena(report), ranks[0]->device, ranks[0]->closest);
    section_value(section, "device", "device", UNIT_NONE, cell_text_or_null(ranks[0]->device));
    section_value(section, "count", "pieces of work", UNIT_COUNT,
                  cell_int_if(totals->recorded, (int64_t)totals->count));
    section_value(section, "busy_ns", "busy", UNIT_NS, cell_int_if(totals->recorded, totals->busy_ns));
    section_value(section, "total_ns", "summed over streams", UNIT_NS, cell_int_if(totals->recorded, totals->total_ns));
}

/* Without device activity a terminal is spared empty tables. */
static struct table *work_table(struct report *report, const char *id, const char *title, const struct totals *totals)
{
    struct table *table = kernels_table(report_section(report, id, title), id, "");
    if (!totals->recorded)
        table_json_only(table);
    return table;
}

void kernels_show(const struct kernels *const *ranks, uint32_t count, struct report *report)
{
    const struct totals totals = totals_of(ranks, count);
    show_head(ranks, count, &totals, report);
    show_rows(ranks, count, work_table(report, "classes", "By kind", &totals), true, totals.busy_ns);
    show_rows(ranks, count, work_table(report, "kernels", "Kernels", &totals), false, totals.busy_ns);

    struct arena scratch = {0};
    const struct launches **launches = arena_array(&scratch, count, sizeof *launches);
    for (uint32_t i = 0; i < count; i++)
        launches[i] = &ranks[i]->launches;
    launches_show(launches, count, report);
    arena_free(&scratch);
}
