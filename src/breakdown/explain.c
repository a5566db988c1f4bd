/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "definitions.h"

static bool asks_for(str word, const struct definition *definition)
{
    return str_eq(word, S("list")) || definition_matches(definition, word);
}

bool explain_wanted(str word, bool wanted[ACCOUNTS])
{
    struct arena scratch = {0};
    uint32_t count;
    const struct definition *all = definitions_all(&scratch, &count);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!asks_for(word, &all[i]))
            continue;
        any = true;
        for (int k = 0; k < all[i].accounts && !str_eq(word, S("list")); k++)
            wanted[all[i].account + k] = true;
    }
    arena_free(&scratch);
    return any;
}

/* ---- formulas ---- */

static void show_formulas(str word, const struct definition *all, uint32_t count, struct section *section,
                          struct arena *arena)
{
    struct table *table = section_table(section, "formulas", "");
    table_column(table, "number", "number", UNIT_NONE, 0);
    table_column(table, "unit", "unit", UNIT_NONE, 0);
    table_column(table, "formula", "formula", UNIT_NONE, COLUMN_WIDE);
    for (uint32_t i = 0; i < count; i++) {
        if (!asks_for(word, &all[i]))
            continue;
        table_row(table);
        table_text(table, definition_id(&all[i], arena));
        table_text(table, unit_word(all[i].unit));
        table_text(table, str_of(all[i].formula));
    }
}

/* ---- events ---- */

struct drawn {
    struct table *sums, *events;
    const struct definition *definition;
    str id;
    const struct breakdown *rank;
    const struct breakdown_device *device;
};

static void key_cells(const struct drawn *drawn, struct table *table, enum account account)
{
    table_row(table);
    table_text(table, drawn->id);
    table_text(table, str_of(account_word(account)));
    table_int(table, drawn->rank->rank);
    table_cell(table, drawn->device->recorded ? cell_int(drawn->device->device) : cell_null());
}

static void event_row(const struct drawn *drawn, const struct breakdown_event *event, enum account account)
{
    const bool known = event->row != ROW_NONE;
    key_cells(drawn, drawn->events, account);
    table_cell(drawn->events, known ? cell_int(event->row) : cell_null());
    table_text(drawn->events, known ? event->name : S("(no event was open)"));
    table_cell(drawn->events, known ? cell_int(event->start_ns) : cell_null());
    table_cell(drawn->events, known ? cell_int(event->dur_ns) : cell_null());
    table_int(drawn->events, event->amount);
}

/* Whether the number exists for such a device: it is null in the tables otherwise. */
static bool applies(const struct breakdown_device *device, enum account account)
{
    if ((int)account < PARTS)
        return device->recorded ? part_of_device_step((enum part)account) : part_of_host_step((enum part)account);
    return device->recorded || account >= ACCOUNT_PHASE_HOST;
}

static void show_account(const struct drawn *drawn, const struct breakdown_explained *explained)
{
    key_cells(drawn, drawn->sums, explained->account);
    table_cell(drawn->sums, applies(drawn->device, explained->account) ? cell_int(explained->total) : cell_null());
    table_text(drawn->sums, unit_word(drawn->definition->unit));
    table_int(drawn->sums, explained->events);
    for (uint32_t i = 0; i < explained->count; i++)
        event_row(drawn, &explained->first[i], explained->account);
}

static void show_device(const struct drawn *drawn)
{
    for (uint32_t i = 0; i < drawn->device->explained_count; i++) {
        const struct breakdown_explained *explained = &drawn->device->explained[i];
        const int k = (int)explained->account - drawn->definition->account;
        if (k >= 0 && k < drawn->definition->accounts && (drawn->definition->accounts == 1 || explained->events))
            show_account(drawn, explained);
    }
}

static void show_number(struct drawn *drawn, const struct breakdown *const *ranks, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t d = 0; d < ranks[r]->device_count; d++) {
            drawn->rank = ranks[r];
            drawn->device = &ranks[r]->devices[d];
            show_device(drawn);
        }
}

/* ---- the tables ---- */

/* What all numbers asked for have in common: a terminal need not say it in each row. */
struct common {
    enum unit unit;      /* UNIT_NONE: they differ */
    unsigned number, of; /* flags of these columns */
};

static struct common common_of(str word, const struct definition *all, uint32_t count)
{
    struct common common = {UNIT_NONE, COLUMN_DETAIL, COLUMN_DETAIL};
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!all[i].accounts || !definition_matches(&all[i], word))
            continue;
        common.unit = !found || common.unit == all[i].unit ? all[i].unit : UNIT_NONE;
        if (all[i].accounts > 1)
            common.of = COLUMN_PLAIN;
        if (found++)
            common.number = COLUMN_PLAIN;
    }
    return common;
}

static void key_columns(struct table *table, const struct common *common)
{
    table_column(table, "number", "number", UNIT_NONE, common->number);
    table_column(table, "of", "of", UNIT_NONE, common->of);
    table_column(table, "rank", "rank", UNIT_NONE, 0);
    table_column(table, "device", "device", UNIT_NONE, 0);
}

static struct table *sums_table(struct section *section, const struct common *common)
{
    struct table *table = section_table(section, "explained", "What it is the sum of");
    key_columns(table, common);
    table_column(table, "value", "value", common->unit, 0);
    table_column(table, "unit", "unit", UNIT_NONE, COLUMN_DETAIL);
    table_column(table, "events", "events", UNIT_COUNT, 0);
    return table;
}

static struct table *events_table(struct section *section, const struct common *common)
{
    struct table *table = section_table(section, "events", "The events, largest first");
    key_columns(table, common);
    table_column(table, "event", "event", UNIT_NONE, 0);
    table_column(table, "name", "name", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "start_ns", "start", UNIT_NS, 0);
    table_column(table, "dur_ns", "duration", UNIT_NS, 0);
    table_column(table, "counted", "counted", common->unit, 0);
    return table;
}

void explain_show(str word, const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    struct section *section = report_section(report, "explain", "What the number means and where it comes from");
    uint32_t definitions;
    const struct definition *all = definitions_all(report_arena(report), &definitions);
    const struct common common = common_of(word, all, definitions);
    struct drawn drawn = {0};
    show_formulas(word, all, definitions, section, report_arena(report));
    drawn.sums = sums_table(section, &common);
    drawn.events = events_table(section, &common);
    for (uint32_t i = 0; i < definitions; i++) {
        if (!all[i].accounts || !definition_matches(&all[i], word))
            continue;
        drawn.definition = &all[i];
        drawn.id = definition_id(&all[i], report_arena(report));
        show_number(&drawn, ranks, count);
    }
}
