/* SPDX-License-Identifier: Apache-2.0 */
#include "kind_words.h"

#include "ops/rows/phase.h"

const char *kind_id(const struct line_kind *kind)
{
    if (kind->cause != CAUSE_NONE)
        return cause_id((enum cause)kind->cause);
    return kind->class == KIND_TRANSFER ? "transfer" : path_class_id((enum path_class)kind->class);
}

str kind_title(const struct line_kind *kind)
{
    if (kind->class == KIND_TRANSFER)
        return S("transfer");
    return str_of(kind->cause == CAUSE_NONE ? path_class_title((enum path_class)kind->class)
                                            : cause_title((enum cause)kind->cause));
}

str kind_phase(const struct line_kind *kind)
{
    if (kind->cause == CAUSE_LOADING || kind->cause == CAUSE_LOADER_WAIT)
        return S("loader");
    return kind->phase >= PHASE_NONE ? S("") : phase_word((enum phase)kind->phase);
}

void kind_cells(const struct line_kind *kind, struct table *table)
{
    table_text(table,
               kind->class == KIND_TRANSFER ? S("transfer") : str_of(path_class_id((enum path_class)kind->class)));
    table_text(table, kind->cause == CAUSE_NONE ? S("") : str_of(cause_id((enum cause)kind->cause)));
    table_text(table, kind_title(kind));
    table_text(table, kind_phase(kind));
    table_text(table, kind->name);
}
