/* SPDX-License-Identifier: Apache-2.0 */
/* What a step does, whatever the device: samples, tokens, FLOPs. */
#include "price.h"

static const struct column_spec columns[] = {
    {"operator", "operator", UNIT_NONE, COLUMN_WIDE,
     "operators of one name that do products, convolutions or attention"},
    {"flops", "FLOPs", UNIT_FLOP, 0, "of all of them in a step: a multiplication and an addition are two"},
    {"calls", "calls", UNIT_COUNT, 0, "how many of them count: inside an operator that counts none does twice"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR, "flops / those of the step"},
    {0},
};

static void tell_samples(const struct price_step *step, struct section *section, struct arena *arena)
{
    if (!step->samples)
        section_text(
            section,
            S("How many samples a step takes is unknown: no loader and no call of a module with a tensor says it."));
    else
        section_text(section,
                     str_printf(arena, "Samples are %.*s.", (int)step->samples_from.len, step->samples_from.at));
}

void price_show_step(const struct price_step *step, struct report *report)
{
    struct section *const section = report_section(report, "step", "A step");
    const struct program_flops *const flops = &step->flops;
    section_value(section, "samples", "samples", UNIT_COUNT, cell_int_if(step->samples > 0, step->samples));
    section_value_if_any(section, "tokens", "tokens", UNIT_COUNT, cell_int_if(step->tokens > 0, step->tokens));
    section_value(section, "flops", "FLOPs", UNIT_FLOP, cell_real(flops->all));
    section_value(section, "flops_unknown", "operators whose FLOPs are not known", UNIT_COUNT,
                  cell_int((int64_t)flops->unknown));
    tell_samples(step, section, report_arena(report));
    struct table *const table = section_table(section, "operators", "FLOPs by operator");
    table_columns(table, columns);
    for (uint32_t i = 0; i < flops->name_count; i++) {
        table_row(table);
        table_text(table, flops->names[i].name);
        table_real(table, flops->names[i].flops);
        table_int(table, (int64_t)flops->names[i].calls);
        table_cell(table, cell_ratio(flops->names[i].flops, flops->all));
    }
}
