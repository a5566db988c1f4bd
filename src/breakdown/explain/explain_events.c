/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that a number is made of, and the events of each. */
#include "explain_asked.h"

struct drawn {
    struct table *sums, *events;
    const struct definition *definition;
    str id;
    const struct breakdown *rank;
    const struct breakdown_device *device;
};

static enum unit unit_of(enum account account)
{
    return account >= ACCOUNT_COPY_BYTES && account < ACCOUNT_COPY_TIME ? UNIT_BYTES : UNIT_NS;
}

/* ---- rows ---- */

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
    table_text(drawn->events, known ? event->title : S("(no event was open)"));
    table_text(drawn->events, known ? event->name : S("(no event was open)"));
    table_int(drawn->events, event->amount);
    table_cell(drawn->events, known ? cell_int(event->start_ns) : cell_null());
    table_cell(drawn->events, known ? cell_int(event->dur_ns) : cell_null());
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
    int64_t rest = explained->total;
    for (uint32_t i = 0; i < explained->count; i++) {
        event_row(drawn, &explained->first[i], explained->account);
        rest -= explained->first[i].amount;
    }
    key_cells(drawn, drawn->sums, explained->account);
    table_cell(drawn->sums, applies(drawn->device, explained->account) ? cell_int(explained->total) : cell_null());
    table_text(drawn->sums, unit_word(unit_of(explained->account)));
    table_int(drawn->sums, explained->events);
    table_int(drawn->sums, explained->count);
    table_int(drawn->sums, rest);
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

/* What all sums shown have in common: a terminal need not say it in each row. */
struct common {
    enum unit unit;      /* UNIT_NONE: they differ */
    unsigned number, of; /* flags of these columns */
};

static struct common common_of(const struct asked *asked)
{
    struct common common = {UNIT_NONE, COLUMN_DETAIL, COLUMN_DETAIL};
    uint32_t found = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!asked->made[i])
            continue;
        const enum unit unit = unit_of((enum account)asked->all[i].account);
        common.unit = !found || common.unit == unit ? unit : UNIT_NONE;
        if (asked->all[i].accounts > 1)
            common.of = COLUMN_PLAIN;
        if (found++)
            common.number = COLUMN_PLAIN;
    }
    return common;
}

static const struct column_spec place_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"device", "device", UNIT_NONE, 0, "index of the device; null where no device activity was recorded"},
    {0},
};

static void key_columns(struct table *table, const struct common *common)
{
    table_column(table, (struct column_spec){"number", "number", UNIT_NONE, common->number,
                                             "the number asked for: table and column"});
    table_column(table, (struct column_spec){"of", "of", UNIT_NONE, common->of, "the row of its table"});
    table_columns(table, place_columns);
}

static const struct column_spec explained_columns[] = {
    {"events", "events", UNIT_COUNT, 0, "how many events it is made of"},
    {"shown", "listed", UNIT_COUNT, COLUMN_DETAIL, "how many of them are listed"},
    {0},
};

static struct table *sums_table(struct section *section, const struct common *common)
{
    struct table *table = section_table(section, "explained", "What it is made of");
    key_columns(table, common);
    table_column(table, (struct column_spec){"value", "value", common->unit, 0, "the number"});
    table_column(table, (struct column_spec){"unit", "unit", UNIT_NONE, common->unit == UNIT_NONE ? 0 : COLUMN_DETAIL,
                                             "its unit"});
    table_columns(table, explained_columns);
    table_column(
        table, (struct column_spec){"rest", "of the others", common->unit, COLUMN_DETAIL, "sum over those not listed"});
    return table;
}

static const struct column_spec events_columns[] = {
    {"event", "event", UNIT_NONE, 0, "row number of the event in the file"},
    {"title", "name", UNIT_NONE, COLUMN_WIDE, "the name as a person would say it"},
    {"name", "recorded name", UNIT_NONE, COLUMN_DETAIL, "the name as recorded"},
    {0},
};

static const struct column_spec counted_columns[] = {
    {"start_ns", "start", UNIT_NS, 0, "start of the event, from the trace's start"},
    {"dur_ns", "duration", UNIT_NS, 0, "duration of the event"},
    {0},
};

static struct table *events_table(struct section *section, const struct common *common)
{
    struct table *table = section_table(section, "events", "The events, largest first");
    key_columns(table, common);
    table_columns(table, events_columns);
    table_column(table, (struct column_spec){"counted", "counted", common->unit, 0, "its part of the number"});
    table_columns(table, counted_columns);
    return table;
}

static bool any_made(const struct asked *asked)
{
    for (uint32_t i = 0; i < asked->count; i++)
        if (asked->made[i])
            return true;
    return false;
}

void explain_events(const struct asked *asked, const struct breakdown *const *ranks, uint32_t count,
                    struct section *section, struct arena *arena)
{
    if (!any_made(asked))
        return;
    const struct common common = common_of(asked);
    struct drawn drawn = {.sums = sums_table(section, &common), .events = events_table(section, &common)};
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!asked->made[i])
            continue;
        drawn.definition = &asked->all[i];
        drawn.id = definition_id(&asked->all[i], arena);
        show_number(&drawn, ranks, count);
    }
}
