/* SPDX-License-Identifier: Apache-2.0 */
#include "finding_words.h"

#include "base/buf.h"

enum { HELP_WIDTH = 100 };

str finding_words_help(struct arena *arena, const struct finding_words *words)
{
    struct buf buf = {0};
    buf_printf(&buf, "## %s %s\n\n", words->id, words->name);
    buf_paragraph(&buf, str_printf(arena, "**Said where:** %s.", words->brief), HELP_WIDTH);
    buf_paragraph(&buf, str_of(words->why), HELP_WIDTH);
    buf_paragraph(&buf, str_printf(arena, "**What to do:** %s", words->remedy), HELP_WIDTH);
    buf.len--; /* one line end is enough at the end */
    const str help = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return help;
}

const struct finding_words *finding_words_of(const struct finding_words *list, str id)
{
    for (; list->id; list++)
        if (str_eq(str_of(list->id), id) || str_eq(str_of(list->name), id))
            return list;
    return NULL;
}

void report_words(struct report *report, const struct finding_words *list)
{
    for (; list->id; list++)
        report_rule(report, &(struct finding_rule){.id = str_of(list->id),
                                                   .name = str_of(list->name),
                                                   .brief = str_of(list->brief),
                                                   .why = str_of(list->why),
                                                   .help = finding_words_help(report_arena(report), list),
                                                   .severity = list->severity});
}
