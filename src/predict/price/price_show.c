/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "predict/energy/energy_table.h"
#include "price.h"

static const struct column_spec columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "the device of the catalogue, or of the user's file"},
    {"step_us", "a step", UNIT_US, 0, "what a step is predicted to take there"},
    {"step_us_low", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_us_high", "at most", UNIT_US, 0, "upper end of it"},
    {"device_us", "device active", UNIT_US, 0, "time of the step in which the device works: the union of its work"},
    {"device_share", "device share", UNIT_RATIO, 0, "device_us / step_us"},
    {"bound", "bound by", UNIT_NONE, 0,
     "device or host: which of them the step would be shorter without, each made to take no time in turn"},
    {"fits", "fits", UNIT_NONE, 0, "yes or no: whether the device has as much memory as the script holds at most"},
    {"spare_bytes", "spare memory", UNIT_BYTES, COLUMN_DETAIL,
     "the device's memory beyond what the script holds at most; below 0: so much is missing"},
    {"without_host_us", "without host", UNIT_US, COLUMN_DETAIL, "the step where the host takes no time"},
    {"without_device_us", "without device", UNIT_US, COLUMN_DETAIL, "the step where the device's work takes no time"},
    {"guessed_share", "guessed", UNIT_RATIO, COLUMN_DETAIL,
     "of the device's work, the share that no model knows and that is guessed from its bytes"},
    {"why", "no answer", UNIT_NONE, COLUMN_DETAIL, "why there is no answer for the device"},
    {0},
};

static struct cell time_cell(double us)
{
    return us >= 0 ? cell_real(us) : cell_null();
}

/* A device of which several sizes are sold has none. */
static void put_memory(struct table *table, const struct price *price, const struct price_memory *memory)
{
    const int64_t bytes = (int64_t)price->hardware.figure[HW_MEMORY_BYTES];
    const bool known = bytes > 0 && memory->peak_bytes > 0;
    table_cell(table, known ? cell_text(memory->peak_bytes <= bytes ? S("yes") : S("no")) : cell_null());
    table_cell(table, cell_int_if(known, bytes - memory->peak_bytes));
}

static void put_known(struct table *table, const struct price *price, const struct price_memory *memory)
{
    const struct prediction *const p = &price->step;
    const double step_us = p->walked.step_us, work_us = p->modelled_us + p->guessed_us + p->recorded_us;
    table_real(table, step_us);
    table_cell(table, time_cell(p->range.low_us));
    table_cell(table, time_cell(p->range.high_us));
    table_real(table, p->walked.active_us);
    table_cell(table, cell_ratio(p->walked.active_us, step_us));
    table_text(table, price->bound == PRICE_BY_DEVICE ? S("device") : S("host"));
    put_memory(table, price, memory);
    table_real(table, price->without_host_us);
    table_real(table, price->without_device_us);
    table_cell(table, cell_ratio(p->guessed_us, work_us));
    table_null(table);
}

/* Joules and money of what has no answer are those of a step that nothing is known of. */
static void put_row(struct table *table, const struct price *price, const struct price_memory *memory,
                    const struct energy_asked *asked)
{
    enum { BEFORE = 6, BEHIND = 3 }; /* columns around those of memory, which is known all the same */
    const struct prediction *const p = &price->step;
    table_row(table);
    table_text(table, price->hardware.name);
    if (!price->why.len) {
        put_known(table, price, memory);
        energy_put(table, &p->energy, step_time_of(p->walked.step_us, p->range.low_us, p->range.high_us, false), asked);
        return;
    }
    for (int i = 0; i < BEFORE; i++)
        table_null(table);
    put_memory(table, price, memory);
    for (int i = 0; i < BEHIND; i++)
        table_null(table);
    table_text(table, price->why);
    energy_put(table, &(struct step_energy){0}, (struct step_time){NAN, NAN, NAN}, asked);
}

static void tell_what_has_no_answer(const struct prices *prices, struct report *report)
{
    for (uint32_t i = 0; i < prices->count; i++)
        if (prices->at[i].why.len)
            report_warning(report, prices->at[i].hardware.name, -1, prices->at[i].why);
}

/* "It does not fit on NVIDIA L4, by 1.2 GiB, at train.py:12." */
static void tell_what_does_not_fit(struct section *section, const struct prices *prices, struct arena *arena)
{
    static const double gib = 1024.0 * 1024 * 1024;
    for (uint32_t i = 0; i < prices->count; i++) {
        const struct hardware *const hardware = &prices->at[i].hardware;
        const double missing = (double)prices->memory.peak_bytes - hardware->figure[HW_MEMORY_BYTES];
        if (hardware->figure[HW_MEMORY_BYTES] > 0 && missing > 0)
            section_text(section, str_printf(arena, "It does not fit on %.*s, by %.3g GiB, at %.*s.",
                                             (int)hardware->name.len, hardware->name.at, missing / gib,
                                             (int)prices->memory.place.len, prices->memory.place.at));
    }
}

void price_show(const struct prices *prices, struct report *report)
{
    const struct energy_asked asked = {prices->level, prices->per_hour};
    struct section *const section = report_section(report, "price", "Price");
    struct table *const table = section_table(section, "devices", "Devices");
    table_columns(table, columns);
    energy_columns(table, &asked);
    for (uint32_t i = 0; i < prices->count; i++)
        put_row(table, &prices->at[i], &prices->memory, &asked);
    tell_what_has_no_answer(prices, report);
    tell_what_does_not_fit(section, prices, report_arena(report));
}
