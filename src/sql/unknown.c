/* SPDX-License-Identifier: Apache-2.0 */
#include "unknown.h"

#include "table.h"
#include "text/suggest.h"

static str all_tables(struct arena *arena)
{
    str list = S("");
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        list = str_printf(arena, "%.*s%s%s", (int)list.len, list.at, list.len ? ", " : "", (*at)->name);
    return list;
}

static void offer_tables(struct suggestion *close)
{
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        suggest_offer(close, str_of((*at)->name));
}

/* Of the tables that the query names, or of all. */
static void offer_columns(struct suggestion *close, str query, bool all)
{
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        for (uint32_t i = 0; (all || str_has_nocase(query, str_of((*at)->name))) && i < sql_column_count(*at); i++)
            suggest_offer(close, str_of((*at)->columns[i].name));
}

static bool is_named(str name, str column)
{
    return name.len == column.len && str_starts_nocase(name, column);
}

/* "; it is a column of operators, kernels", or "". */
static str owners(str name, struct arena *arena)
{
    str list = S("");
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        for (uint32_t i = 0; i < sql_column_count(*at); i++)
            if (is_named(name, str_of((*at)->columns[i].name)))
                list = str_printf(arena, "%.*s%s%s", (int)list.len, list.at, list.len ? ", " : "; it is a column of ",
                                  (*at)->name);
    return list;
}

/* "k.nmae" is nmae; of "name in ORDER clause" only the name counts. */
static str bare(str name)
{
    str word = name;
    str_cut(&name, ' ', &word);
    for (size_t i = word.len; i--;)
        if (word.at[i] == '.')
            return str_from(word, i + 1);
    return word;
}

static str hint(const struct suggestion *close, str otherwise, struct arena *arena)
{
    const str meant = suggest_found(close)
                          ? str_printf(arena, "; did you mean '%.*s'?", (int)close->best.len, close->best.at)
                          : otherwise;
    return str_printf(arena, "%.*s ('steptime query TRACE' lists all)", (int)meant.len, meant.at);
}

str unknown_hint(str told, str query, struct arena *arena)
{
    const str no_table = S("no such table: "), no_column = S("no such column: ");
    if (str_starts(told, no_table)) {
        struct suggestion close = suggest(bare(str_from(told, no_table.len)));
        offer_tables(&close);
        const str tables = all_tables(arena);
        return hint(&close, str_printf(arena, "; there are %.*s", (int)tables.len, tables.at), arena);
    }
    if (!str_starts(told, no_column))
        return S("");
    const str name = bare(str_from(told, no_column.len)), elsewhere = owners(name, arena);
    struct suggestion close = suggest(name);
    if (elsewhere.len)
        return hint(&close, elsewhere, arena);
    offer_columns(&close, query, false);
    if (!suggest_found(&close))
        offer_columns(&close, query, true);
    return hint(&close, S(""), arena);
}
