/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the numbers asked for, taken from the very tables that breakdown shows without --explain. */
#include "breakdown/step/breakdown_show.h"
#include "explain_asked.h"
#include "report/document.h"
#include "report/explain.h"

/* The unit that all of them have; UNIT_NONE where they differ. */
static enum unit common_unit(const struct asked *asked)
{
    enum unit unit = UNIT_NONE;
    for (uint32_t i = 0, found = 0; i < asked->count; i++)
        if (asked->meant[i])
            unit = !found++ || unit == asked->all[i].unit ? asked->all[i].unit : UNIT_NONE;
    return unit;
}

static bool one_number(const struct asked *asked)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < asked->count; i++)
        found += asked->meant[i];
    return found == 1;
}

void explain_numbers(const struct asked *asked, const struct breakdown *const *ranks, uint32_t count,
                     struct section *section, struct arena *arena)
{
    struct report *whole = report_new(arena, S("breakdown"));
    breakdown_show(ranks, count, whole);
    struct table *table = section_table(section, "numbers", "The number");
    table_column(table, (struct column_spec){"number", "number", UNIT_NONE, one_number(asked) ? COLUMN_DETAIL : 0,
                                             "the number asked for: table and column"});
    table_column(table, (struct column_spec){"of", "of", UNIT_NONE, COLUMN_WIDE, "the row of its table"});
    table_column(table, (struct column_spec){"value", "value", common_unit(asked), 0, "the number"});
    table_column(table, (struct column_spec){"unit", "unit", UNIT_NONE, COLUMN_DETAIL, "its unit"});
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct table *from = asked->meant[i] ? report_find_table(whole, str_of(asked->all[i].table)) : NULL;
        if (from)
            explain_values(from, table_find_column(from, str_of(asked->all[i].column)),
                           definition_id(&asked->all[i], arena), table);
    }
}
