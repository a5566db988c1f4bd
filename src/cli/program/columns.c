/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page is written by the program's own answers and held to them by a test, so it is read back as data:
 *
 *     ## steptime COMMAND
 *     ### COMMAND: `TABLE`
 *     | `COLUMN` | UNIT | DEFINITION |
 */
#include "columns.h"

extern const char columns_md[]; /* made from doc/numbers/columns.md at build time */

static enum unit unit_of(str word)
{
    for (int unit = UNIT_NONE; unit <= UNIT_FLOP_PER_S; unit++)
        if (str_eq(unit_word((enum unit)unit), word))
            return (enum unit)unit;
    return UNIT_NONE;
}

/* Takes a cell with its bar off the row; "\|" is a bar of the text. */
static str take_cell(str *row, struct arena *arena)
{
    char *text = arena_array(arena, row->len + 1, 1);
    size_t at = 0, length = 0;
    for (; at < row->len && row->at[at] != '|'; at++) {
        const bool escaped = row->at[at] == '\\' && at + 1 < row->len && row->at[at + 1] == '|';
        at += escaped;
        text[length++] = row->at[at];
    }
    *row = str_from(*row, at + 1);
    return str_trim((str){text, length});
}

static str without_ticks(str text)
{
    return text.len > 2 && text.at[0] == '`' ? (str){text.at + 1, text.len - 2} : (str){0};
}

/* The head of a table and the line below it are no columns. */
static void put_column(struct table *table, str row, struct arena *arena)
{
    row = str_from(row, 1);
    const str id = without_ticks(take_cell(&row, arena));
    const str unit = take_cell(&row, arena), definition = take_cell(&row, arena);
    if (id.len)
        table_column(table, (struct column_spec){str_z(arena, id), str_z(arena, id), unit_of(unit), 0,
                                                 str_z(arena, definition)});
}

static struct table *begin_table(struct section *section, str title, struct arena *arena)
{
    str name, rest = title;
    str_cut(&rest, '`', &name);
    str_cut(&rest, '`', &name);
    return section_table(section, str_z(arena, name), "");
}

bool columns_put(str command, struct report *report)
{
    struct arena *const arena = report_arena(report);
    const str heading = str_printf(arena, "## steptime %.*s", (int)command.len, command.at);
    struct section *const section = report_section(report, "columns", "");
    struct table *table = NULL;
    bool ours = false, any = false;
    str text = str_of(columns_md);
    for (str line; str_cut(&text, '\n', &line);) {
        if (str_starts(line, S("## ")))
            ours = str_eq(line, heading);
        if (!ours)
            continue;
        any = true;
        if (str_starts(line, S("### ")))
            table = begin_table(section, line, arena);
        else if (table && str_starts(line, S("|")))
            put_column(table, line, arena);
    }
    return any;
}
