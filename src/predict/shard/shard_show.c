/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "predict/energy/energy_table.h"
#include "shard.h"

static void show_values(const struct sharding *sharding, enum shard_method shown, struct report *report)
{
    const struct shard_asked *asked = &sharding->asked;
    struct section *section = report_section(report, "shard", "Embedding tables over devices");
    struct arena *arena = report_arena(report);
    const struct shard_choice *choice = &sharding->choices[shown], *naive = &sharding->choices[SHARD_NAIVE];
    const double gain = choice->step_us > 0 ? naive->step_us / choice->step_us : 1;
    const str word = shard_method_word(shown);
    section_text(section,
                 str_printf(arena,
                            "%.*s: the slowest of %u devices looks up for %.3g ms (%.3g to %.3g at %.3g %%); "
                            "naive placement takes %.2f times as long, exchange included.",
                            (int)word.len, word.at, asked->devices, choice->largest_us / 1e3,
                            choice->largest.low_us / 1e3, choice->largest.high_us / 1e3, 100 * asked->level, gain));
    section_text(
        section,
        S("The intervals of the slowest device, the mean one and the all-to-all stand in json, csv and --table "
          "choices. Ratios of placements have no interval: what the models are off is off in all of them. Memory "
          "is counted."));
    if (!choice->fits)
        section_text(section, S("It does not fit: a device would hold more than its memory. More devices, or a larger "
                                "--memory."));
    if (choice->unfinished)
        section_text(section,
                     S("Exchanges of tables were not tried to the end, as they are too many: a better placement may "
                       "be found."));
    if (sharding->basis >= BASIS_BYTES)
        section_text(section, S("No model of lookups knows this device: times are bytes over the memory's rate."));
    const str remark = hardware_server_remark(asked->hardware, arena);
    if (asked->devices > 1 && remark.len)
        section_text(section, remark);
    section_value(section, "tables", "tables", UNIT_COUNT, cell_int(sharding->table_count));
    section_value(section, "cut_tables", "cut by rows", UNIT_COUNT, cell_int(sharding->cut));
    section_value(section, "devices", "devices", UNIT_COUNT, cell_int(asked->devices));
    section_value(section, "batch", "batch", UNIT_COUNT, cell_int(asked->batch));
    section_value(section, "memory_bytes", "memory of a device", UNIT_BYTES, cell_real(asked->memory_bytes));
    section_value(section, "hardware", "hardware", UNIT_NONE, cell_text(asked->hardware->name));
    section_detail(section, "interval", "interval", UNIT_NONE,
                   cell_text(S("each time has one; ratios of placements and memory have none")));
    section_value(section, "level", "of true times in their intervals", UNIT_RATIO, cell_real(asked->level));
    section_value(section, "basis", "times", UNIT_NONE, cell_text(estimate_basis_word(sharding->basis)));
}

static const struct column_spec choices_columns[] = {
    {"method", "placement", UNIT_NONE, 0, "how tables were placed"},
    {"step_us", "lookups and exchange", UNIT_US, 0, "slowest device + exchange"},
    {"step_low_us", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_high_us", "at most", UNIT_US, 0, "upper end of it"},
    {"largest_us", "slowest device", UNIT_US, 0, "lookups of the slowest device"},
    {"largest_low_us", "at least", UNIT_US, COLUMN_DETAIL, "lower end of the interval of largest_us"},
    {"largest_high_us", "at most", UNIT_US, COLUMN_DETAIL, "upper end of it"},
    {"mean_us", "mean device", UNIT_US, 0, "mean over the devices of their lookups"},
    {"mean_low_us", "at least", UNIT_US, COLUMN_DETAIL, "lower end of the interval of mean_us"},
    {"mean_high_us", "at most", UNIT_US, COLUMN_DETAIL, "upper end of it"},
    {"imbalance", "slowest of mean", UNIT_RATIO, 0, "largest_us / mean_us"},
    {"exchange_us", "all-to-all", UNIT_US, 0, "all-to-all of the looked-up rows"},
    {"exchange_low_us", "at least", UNIT_US, COLUMN_DETAIL, "lower end of the interval of exchange_us"},
    {"exchange_high_us", "at most", UNIT_US, COLUMN_DETAIL, "upper end of it"},
    {"memory_bytes", "largest memory", UNIT_BYTES, 0, "memory of the tables; of a placement on its fullest device"},
    {"fits", "fits", UNIT_NONE, 0, "yes where every device has the memory"},
    {0},
};

/* A time and its interval. */
static void put_range(struct table *table, double us, struct shard_range range)
{
    table_real(table, us);
    table_real(table, range.low_us);
    table_real(table, range.high_us);
}

static void show_choices(const struct sharding *sharding, struct report *report)
{
    struct section *section = report_section(report, "choices", "What each choice costs");
    struct table *table = section_table(section, "choices", "");
    table_columns(table, choices_columns);
    for (int i = 0; i < SHARD_METHODS; i++) {
        const struct shard_choice *choice = &sharding->choices[i];
        table_row(table);
        table_text(table, shard_method_word(choice->method));
        put_range(table, choice->step_us, choice->step);
        put_range(table, choice->largest_us, choice->largest);
        put_range(table, choice->mean_us, choice->mean);
        table_real(table, choice->mean_us > 0 ? choice->largest_us / choice->mean_us : NAN);
        put_range(table, choice->exchange_us, choice->exchange);
        table_real(table, choice->largest_bytes);
        table_text(table, choice->fits ? S("yes") : S("no"));
    }
    section_figure(section, "choices_step", FIGURE_BAR, "choices", "method", "step_us");
}

static void show_energy(const struct sharding *sharding, struct report *report)
{
    const struct energy_asked asked = {.level = sharding->asked.level, .per_hour = sharding->asked.per_hour};
    struct section *section = report_section(report, "energy", "Energy of a step on all devices");
    struct table *table = section_table(section, "energy", "");
    table_column(table, choices_columns[0]);
    energy_columns(table, &asked);
    for (int i = 0; i < SHARD_METHODS; i++) {
        const struct shard_choice *choice = &sharding->choices[i];
        const struct step_time time = {choice->step_us, choice->step.low_us, choice->step.high_us};
        table_row(table);
        table_text(table, shard_method_word(choice->method));
        energy_put(table, &choice->energy, time, &asked);
    }
    if (sharding->choices[0].energy.known != ENERGY_KNOWN)
        energy_tell_unknown(section, &sharding->choices[0].energy, report_arena(report));
}

static const struct column_spec devices_columns[] = {
    {"device", "device", UNIT_NONE, 0, "index of the device"},
    {"pieces", "tables", UNIT_COUNT, 0, "tables, or parts of tables, on it"},
    {"lookup_us", "lookups", UNIT_US, 0, "predicted time of the lookups, forward and backward"},
    {"lookup_low_us", "at least", UNIT_US, 0, "lower end of the interval of lookup_us"},
    {"lookup_high_us", "at most", UNIT_US, 0, "upper end of it"},
    {"memory_bytes", "memory", UNIT_BYTES, 0, "memory of the tables; of a placement on its fullest device"},
    {"memory_share", "of its memory", UNIT_RATIO, COLUMN_BAR, "memory_bytes / memory of the device"},
    {0},
};

static void show_devices(const struct sharding *sharding, const struct shard_choice *choice, struct report *report)
{
    struct section *section = report_section(report, "devices", "Devices");
    struct table *table = section_table(section, "devices", "");
    uint32_t *pieces = arena_array(report_arena(report), sharding->asked.devices, sizeof *pieces);
    for (uint32_t i = 0; i < sharding->piece_count; i++)
        pieces[choice->device[i]]++;
    const struct estimate_sum *sums = shard_sums(sharding, choice, report_arena(report));
    table_columns(table, devices_columns);
    for (uint32_t i = 0; i < sharding->asked.devices; i++) {
        table_row(table);
        table_text(table, str_printf(report_arena(report), "%u", i));
        table_int(table, pieces[i]);
        put_range(table, choice->us[i], shard_sum_range(sharding, &sums[i]));
        table_real(table, choice->bytes[i]);
        table_real(table, choice->bytes[i] / sharding->asked.memory_bytes);
    }
    section_figure(section, "devices_lookup", FIGURE_BAR, "devices", "device", "lookup_us");
}

static str piece_name(const struct sharding *sharding, const struct shard_piece *piece, struct arena *arena)
{
    const str name = sharding->tables[piece->table].name;
    if (piece->parts == 1)
        return name;
    return str_printf(arena, "%.*s, part %u of %u", (int)name.len, name.at, piece->part + 1, piece->parts);
}

static const struct column_spec placement_columns[] = {
    {"name", "table", UNIT_NONE, COLUMN_WIDE, "name of the table"},
    {"device", "device", UNIT_NONE, 0, "index of the device"},
    {"rows", "rows", UNIT_COUNT, 0, "rows of the table"},
    {"width", "width", UNIT_COUNT, 0, "width of a row"},
    {"lookups", "lookups a sample", UNIT_COUNT, 0, "lookups of a sample, in the mean"},
    {"lookup_us", "time", UNIT_US, 0, "predicted time of the lookups, forward and backward"},
    {"lookup_low_us", "at least", UNIT_US, 0, "lower end of the interval of lookup_us"},
    {"lookup_high_us", "at most", UNIT_US, 0, "upper end of it"},
    {"memory_bytes", "memory", UNIT_BYTES, 0, "memory of the tables; of a placement on its fullest device"},
    {0},
};

static void show_placement(const struct sharding *sharding, const struct shard_choice *choice, struct report *report)
{
    struct section *section = report_section(report, "placement", "Where each table goes");
    struct table *table = section_table(section, "placement", "");
    table_columns(table, placement_columns);
    for (uint32_t i = 0; i < sharding->piece_count; i++) {
        const struct shard_piece *piece = &sharding->pieces[i];
        table_row(table);
        table_text(table, piece_name(sharding, piece, report_arena(report)));
        table_int(table, choice->device[i]);
        table_int(table, (int64_t)piece->rows);
        table_int(table, sharding->tables[piece->table].width);
        table_real(table, piece->lookups);
        put_range(table, piece->us, shard_piece_range(sharding, piece));
        table_real(table, piece->bytes);
    }
}

void shard_show(const struct sharding *sharding, enum shard_method shown, struct report *report)
{
    const struct shard_choice *choice = &sharding->choices[shown];
    show_values(sharding, shown, report);
    show_choices(sharding, report);
    show_energy(sharding, report);
    show_devices(sharding, choice, report);
    show_placement(sharding, choice, report);
}

/* ---- without an input ---- */

void shard_show_tables(struct report *report)
{
    struct section *section = report_section(report, "shard", "");
    table_columns(section_table(section, "choices", ""), choices_columns);
    struct table *energy = section_table(section, "energy", "");
    table_column(energy, choices_columns[0]);
    energy_columns(energy, &(struct energy_asked){.per_hour = 1});
    table_columns(section_table(section, "devices", ""), devices_columns);
    table_columns(section_table(section, "placement", ""), placement_columns);
}
