/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of one or many ranks as a table. A row is the same row of every rank, merged. */
#include "operators.h"

#include "base/sum.h"
#include "kernels_columns.h"
#include "kernels_merge.h"

struct merged {
    struct operator_group sums;
    const struct samples **durations;
    uint32_t parts;
    bool recorded; /* a rank that has the row has device work */
};

struct totals {
    bool recorded;
    uint64_t calls;
    int64_t busy_ns, host_self_ns, flops, bytes;
};

static str same(str a, str b)
{
    return str_eq(a, b) ? a : S("");
}

static void add_group(struct merged *merged, const struct operator_group *group, bool recorded)
{
    struct operator_group *sums = &merged->sums;
    if (!merged->parts) {
        *sums = *group;
    } else {
        sums->family = same(sums->family, group->family);
        sums->phase = same(sums->phase, group->phase);
        sum_to(&sums->host_total_ns, group->host_total_ns);
        sum_to(&sums->host_self_ns, group->host_self_ns);
        sum_to(&sums->device_total_ns, group->device_total_ns);
        sum_to(&sums->device_self_ns, group->device_self_ns);
        sums->launches += group->launches;
        rate_add(&sums->flops, &group->flops);
        rate_add(&sums->bytes, &group->bytes);
    }
    merged->durations[merged->parts++] = &group->dur_ns;
    merged->recorded |= recorded;
}

static struct merge merge_ranks(const struct operators *const *ranks, uint32_t count)
{
    struct merge merge = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranks[i]->count; k++) {
            const struct operator_group *group = &ranks[i]->groups[k];
            struct merge_row *row = merge_add(&merge, group->name, group->shape, i, k);
            sum_to(&row->weight, group->device_self_ns);
            sum_to(&row->tie, group->host_self_ns);
        }
    return merge;
}

static struct merged merged_row(const struct operators *const *ranks, const struct merge *merge,
                                const struct merge_row *row, struct arena *arena)
{
    struct merged merged = {.durations = arena_array(arena, row->links, sizeof *merged.durations)};
    for (uint32_t at = row->first; at != MERGE_END; at = merge->links[at].next) {
        const struct operators *rank = ranks[merge->links[at].rank];
        add_group(&merged, &rank->groups[merge->links[at].row], rank->recorded);
    }
    return merged;
}

static void show_row(struct table *table, const struct merged *merged, const struct totals *totals)
{
    const struct operator_group *sums = &merged->sums;
    const struct stat_summary times = samples_summary(merged->durations, merged->parts);
    table_row(table);
    table_text(table, sums->title);
    table_text(table, sums->name);
    table_cell(table, cell_text_or_null(sums->shape));
    table_cell(table, cell_text_or_null(sums->family));
    table_cell(table, cell_text_or_null(sums->phase));
    table_int(table, (int64_t)times.count);
    table_cell(table, cell_int_if(merged->recorded, sums->device_total_ns));
    table_cell(table, cell_int_if(merged->recorded, sums->device_self_ns));
    table_cell(table, totals->recorded ? cell_ratio((double)sums->device_self_ns, (double)totals->busy_ns)
                                       : cell_ratio((double)sums->host_self_ns, (double)totals->host_self_ns));
    table_int(table, sums->host_total_ns);
    table_int(table, sums->host_self_ns);
    table_real(table, times.mean);
    table_real(table, times.p50);
    table_real(table, times.p95);
    table_int(table, times.max);
    table_cell(table, cell_int_if(merged->recorded, (int64_t)sums->launches));
    rate_cells(table, &sums->flops, &sums->bytes);
    table_int(table, merged->parts);
}

static void show_table(const struct operators *const *ranks, uint32_t count, const struct totals *totals,
                       struct report *report)
{
    struct table *table = kernels_table(report_section(report, "operators", "Operators"), "operators", "");
    struct arena scratch = {0};
    struct merge merge = merge_ranks(ranks, count);
    const uint32_t *order = merge_order(&merge, &scratch);
    for (uint32_t i = 0; i < merge.row_count; i++) {
        const struct merged merged = merged_row(ranks, &merge, &merge.rows[order[i]], &scratch);
        show_row(table, &merged, totals);
    }
    merge_free(&merge);
    arena_free(&scratch);
}

/* ---- the head ---- */

static void add_known(int64_t *sum, int64_t value)
{
    if (value >= 0)
        *sum = sum_add(*sum < 0 ? 0 : *sum, value);
}

static struct totals totals_of(const struct operators *const *ranks, uint32_t count)
{
    struct totals totals = {.flops = -1, .bytes = -1};
    for (uint32_t i = 0; i < count; i++) {
        totals.recorded |= ranks[i]->recorded;
        totals.calls += ranks[i]->calls;
        sum_to(&totals.busy_ns, ranks[i]->busy_ns);
        sum_to(&totals.host_self_ns, ranks[i]->host_self_ns);
        add_known(&totals.flops, ranks[i]->flops);
        add_known(&totals.bytes, ranks[i]->bytes);
    }
    return totals;
}

static void show_head(const struct operators *const *ranks, const struct totals *totals, struct report *report)
{
    struct section *section = report_section(report, "calls", "Operator calls");
    if (!totals->calls)
        section_text(section, S("No operators were recorded."));
    else if (!totals->recorded)
        section_text(section, S("No device activity was recorded: times are those of the host."));
    device_show(section, report_arena(report), ranks[0]->device, ranks[0]->closest);
    section_value(section, "device", "device", UNIT_NONE, cell_text_or_null(ranks[0]->device));
    section_value(section, "calls", "calls", UNIT_COUNT, cell_int((int64_t)totals->calls));
    section_value(section, "host_self_ns", "host", UNIT_NS, cell_int(totals->host_self_ns));
    section_value(section, "busy_ns", "device busy", UNIT_NS, cell_int_if(totals->recorded, totals->busy_ns));
    section_value(section, "flops", "arithmetic, as far as shapes tell", UNIT_FLOP, cell_int_or_null(totals->flops));
    section_value(section, "bytes", "least traffic, as far as shapes tell", UNIT_BYTES,
                  cell_int_or_null(totals->bytes));
}

void operators_show(const struct operators *const *ranks, uint32_t count, struct report *report)
{
    const struct totals totals = totals_of(ranks, count);
    show_head(ranks, &totals, report);
    show_table(ranks, count, &totals, report);
}
