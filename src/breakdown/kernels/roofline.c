/* SPDX-License-Identifier: Apache-2.0 */
#include "roofline.h"

#include "base/sum.h"
#include "kernels_merge.h"
#include "kernels_rate.h"

struct roof_row {
    str title;
    int64_t device_ns;
    struct kernel_rate flops, bytes;
};

static const struct column_spec columns[] = {
    {"title", "operator", UNIT_NONE, COLUMN_WIDE, "the name as a person would say it"},
    {"flop_per_byte", "FLOP a byte", UNIT_NONE, COLUMN_PLAIN, "flops / bytes, as `ops` has them"},
    {"flop_per_s", "FLOP/s", UNIT_FLOP_PER_S, COLUMN_PLAIN, "flops / device time of the calls that tell them"},
    {"peak_flop_per_s", "peak", UNIT_FLOP_PER_S, COLUMN_PLAIN,
     "mean over that time of the device's peak for their precision; null where a call has none"},
    {"peak_bytes_per_s", "peak of memory", UNIT_BYTES_PER_S, COLUMN_PLAIN, "the device's memory bandwidth"},
    {"device_ns", "device time", UNIT_NS, COLUMN_PLAIN, "of the work launched inside the calls"},
    {"roof_share", "of its roof", UNIT_RATIO, COLUMN_BAR,
     "flop_per_s / min(peak_flop_per_s, flop_per_byte x peak_bytes_per_s)"},
    {"roof", "bound by", UNIT_NONE, COLUMN_PLAIN,
     "memory where flop_per_byte is below peak_flop_per_s / peak_bytes_per_s, else arithmetic"},
    {0},
};

/* ---- operators of all ranks ---- */

static struct merge merge_ranks(const struct operators *const *ranks, uint32_t count)
{
    struct merge merge = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ranks[i]->count && ranks[i]->recorded; k++) {
            const struct operator_group *group = &ranks[i]->groups[k];
            if (group->flops.ns <= 0 || group->bytes.ns <= 0)
                continue;
            struct merge_row *row = merge_add(&merge, group->name, group->shape, i, k);
            sum_to(&row->weight, group->flops.ns);
        }
    return merge;
}

static struct roof_row row_of(const struct operators *const *ranks, const struct merge *merge,
                              const struct merge_row *from)
{
    struct roof_row row = {.device_ns = 0};
    for (uint32_t at = from->first; at != MERGE_END; at = merge->links[at].next) {
        const struct operator_group *group = &ranks[merge->links[at].rank]->groups[merge->links[at].row];
        row.title = group->title;
        sum_to(&row.device_ns, group->flops.ns);
        rate_add(&row.flops, &group->flops);
        rate_add(&row.bytes, &group->bytes);
    }
    return row;
}

/* ---- its place under the roofs ---- */

/* Where the peak of all of it is known. */
static double peak_of(const struct kernel_rate *rate)
{
    return rate->peaked >= (double)rate->amount ? rate->most / ((double)rate->ns * 1e-9) : 0;
}

static struct cell known(double value)
{
    return value > 0 ? cell_real(value) : cell_null();
}

static void put_row(struct table *table, const struct roof_row *row)
{
    const double peak = peak_of(&row->flops), memory = peak_of(&row->bytes);
    const double intensity = (double)row->flops.amount / (double)row->bytes.amount;
    const double rate = (double)row->flops.amount / ((double)row->flops.ns * 1e-9);
    const bool roofed = peak > 0 && memory > 0, by_memory = intensity * memory < peak;
    table_row(table);
    table_text(table, row->title);
    table_real(table, intensity);
    table_real(table, rate);
    table_cell(table, known(peak));
    table_cell(table, known(memory));
    table_int(table, row->device_ns);
    table_cell(table, roofed ? cell_real(rate / (by_memory ? intensity * memory : peak)) : cell_null());
    table_cell(table, roofed ? cell_text(by_memory ? S("memory") : S("arithmetic")) : cell_null());
}

void roofline_show(const struct operators *const *ranks, uint32_t count, struct report *report)
{
    struct arena scratch = {0};
    struct merge merge = merge_ranks(ranks, count);
    if (merge.row_count) {
        struct section *section = report_section(report, "roofline", "Roofline");
        section_text(section, S("Traffic is the least that the shapes allow, so arithmetic a byte is the most it can "
                                "be; an operator holds those that it calls."));
        device_show(section, report_arena(report), ranks[0]->device, ranks[0]->closest);
        struct table *table = section_table(section, "roofline", "");
        table_columns(table, columns);
        const uint32_t *order = merge_order(&merge, &scratch);
        for (uint32_t i = 0; i < merge.row_count; i++) {
            const struct roof_row row = row_of(ranks, &merge, &merge.rows[order[i]]);
            if (row.flops.amount > 0 && row.bytes.amount > 0)
                put_row(table, &row);
        }
        section_page_figure(section, "roofline", FIGURE_ROOFLINE, "roofline", "flop_per_byte", "flop_per_s");
    }
    merge_free(&merge);
    arena_free(&scratch);
}
