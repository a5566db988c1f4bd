/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "explain_asked.h"

/* ---- what is asked for ---- */

/* Marks the number i, and those with accounts that it is made of. */
static void mark(struct asked *asked, uint32_t i, struct arena *arena)
{
    asked->meant[i] = true;
    for (uint32_t k = 0; k < asked->count; k++)
        if (asked->all[k].accounts &&
            (k == i || definition_made_of(&asked->all[i], definition_id(&asked->all[k], arena))))
            asked->made[k] = true;
}

struct asked explain_asked(str word, struct arena *arena)
{
    struct asked asked = {.list = str_eq(word, S("list"))};
    asked.all = definitions_all(arena, &asked.count);
    asked.meant = arena_array(arena, asked.count, sizeof *asked.meant);
    asked.made = arena_array(arena, asked.count, sizeof *asked.made);
    for (uint32_t i = 0; i < asked.count; i++)
        if (asked.list || definition_matches(&asked.all[i], word))
            mark(&asked, i, arena);
    return asked;
}

bool explain_wanted(str word, bool wanted[ACCOUNTS])
{
    struct arena scratch = {0};
    const struct asked asked = explain_asked(word, &scratch);
    bool any = false;
    for (uint32_t i = 0; i < asked.count; i++) {
        any |= asked.meant[i];
        for (int k = 0; k < asked.all[i].accounts && asked.made[i] && !asked.list; k++)
            wanted[asked.all[i].account + k] = true;
    }
    arena_free(&scratch);
    return any;
}

/* ---- formulas ---- */

static str formula_line(const struct definition *definition, struct arena *arena)
{
    const str id = definition_id(definition, arena), unit = unit_word(definition->unit);
    return str_printf(arena, "%.*s%s%.*s%s: %s", (int)id.len, id.at, unit.len ? " (" : "", (int)unit.len, unit.at,
                      unit.len ? ")" : "", definition->formula);
}

static const struct column_spec formulas_columns[] = {
    {"number", "number", UNIT_NONE, 0, "the number asked for: table and column"},
    {"unit", "unit", UNIT_NONE, 0, "its unit"},
    {"formula", "formula", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "how it is computed"},
    {0},
};

/* People read them as lines, programs as a table. */
static void show_formulas(const struct asked *asked, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "formulas", "");
    table_json_only(table);
    table_columns(table, formulas_columns);
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!asked->meant[i])
            continue;
        section_text(section, formula_line(&asked->all[i], arena));
        table_row(table);
        table_text(table, definition_id(&asked->all[i], arena));
        table_text(table, unit_word(asked->all[i].unit));
        table_text(table, str_of(asked->all[i].formula));
    }
}

void explain_show(str word, const struct breakdown *const *ranks, uint32_t count, struct report *report)
{
    struct arena *arena = report_arena(report);
    struct section *section = report_section(report, "explain", "What the number means and where it comes from");
    const struct asked asked = explain_asked(word, arena);
    show_formulas(&asked, section, arena);
    if (asked.list)
        return;
    explain_numbers(&asked, ranks, count, section, arena);
    explain_events(&asked, ranks, count, section, arena);
}
