/* SPDX-License-Identifier: Apache-2.0 */
/* What a step does, whatever the device: samples, tokens, FLOPs, loading. */
#include "base/duration.h"
#include "price.h"

static const struct column_spec columns[] = {
    {"operator", "operator", UNIT_NONE, COLUMN_WIDE,
     "operators of one name that do products, convolutions or attention"},
    {"flops", "FLOPs", UNIT_FLOP, COLUMN_SUM, "of all of them in a step: a multiplication and an addition are two"},
    {"calls", "calls", UNIT_COUNT, COLUMN_SUM,
     "how many of them count: inside an operator that counts none does twice"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "flops / those of the step"},
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

/* ---- loading ---- */

static const double BUSY = 0.8; /* below it the clock tells of waiting, too */

static str load_words(const struct price_load *load, struct arena *arena)
{
    const str batch = duration_words(arena, load->batch_us * 1e3);
    const double step_us = load->workers ? load->feed_us : load->own_us;
    const str step = duration_words(arena, step_us * 1e3);
    if (!load->workers)
        return str_printf(
            arena,
            "Loading a batch takes %.*s on this machine (%.*s), and the loader has no workers: the training "
            "thread loads it itself, %.*s a step.",
            (int)batch.len, batch.at, (int)load->place.len, load->place.at, (int)step.len, step.at);
    return str_printf(arena,
                      "Loading a batch takes one process of this machine %.*s (%.*s), and the loader has %lld workers: "
                      "every %.*s they have those of a step ready.",
                      (int)batch.len, batch.at, (int)load->place.len, load->place.at, (long long)load->workers,
                      (int)step.len, step.at);
}

void price_show_load(const struct price_load *load, struct report *report)
{
    if (!load->batch_us && !load->why.len)
        return;
    struct section *const section = report_section(report, "loading", "Loading data");
    if (load->batch_us > 0)
        section_text(section, load_words(load, report_arena(report)));
    if (load->batch_us > 0 && load->worked < BUSY)
        section_text(section,
                     str_printf(report_arena(report), "Of that it worked %.0f %%; else it waited, as for files.",
                                100 * load->worked));
    if (load->why.len)
        section_text(section,
                     str_printf(report_arena(report), "What loading takes is not known, and not in the step: %.*s.",
                                (int)load->why.len, load->why.at));
    section_value(section, "load_batch_us", "a batch, one process", UNIT_US,
                  load->batch_us > 0 ? cell_real(load->batch_us) : cell_null());
    section_value(section, "load_worked", "of it at work", UNIT_RATIO,
                  load->batch_us > 0 ? cell_real(load->worked) : cell_null());
    section_value(section, "load_workers", "workers", UNIT_COUNT, cell_int_if(load->batch_us > 0, load->workers));
    section_value(section, "load_place", "asked for at", UNIT_NONE, cell_text_or_null(load->place));
    section_value(section, "load_unknown", "not known, and not in the step", UNIT_NONE, cell_text_or_null(load->why));
    section_value(section, "load_own_us", "a step, by the training thread", UNIT_US,
                  load->own_us > 0 ? cell_real(load->own_us) : cell_null());
    section_value(section, "load_feed_us", "a step, by workers", UNIT_US,
                  load->feed_us > 0 ? cell_real(load->feed_us) : cell_null());
}

/* ---- the step ---- */

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
