/* SPDX-License-Identifier: Apache-2.0 */
/* The formats. A new one is a file and a row here. */
#include "render.h"

#include "base/buf.h"
#include "base/error.h"

static const struct renderer *const renderers[] = {&render_term,   &render_json, &render_csv,     &render_sarif,
                                                   &render_github, &render_html, &render_markdown};

static const struct renderer *find(str format)
{
    for (size_t i = 0; i < sizeof renderers / sizeof *renderers; i++)
        if (str_eq(str_of(renderers[i]->format), format))
            return renderers[i];
    return NULL;
}

str report_table_ids(const struct report *report, struct arena *arena)
{
    struct buf list = {0};
    for (uint32_t i = 0; i < report->section_count; i++)
        for (uint32_t k = 0; k < report->sections[i]->table_count; k++) {
            buf_add(&list, list.len ? S(", ") : S(""));
            buf_add(&list, report->sections[i]->tables[k]->id);
        }
    const str copy = str_copy(arena, buf_str(&list));
    buf_free(&list);
    return copy;
}

bool report_render(const struct report *report, str format, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    const struct renderer *renderer = find(format);
    if (!renderer)
        return fail(err, STEPTIME_USAGE, "unknown format '%.*s'", (int)format.len, format.at);
    if (options->table.len && !report_find_table(report, options->table)) {
        struct arena scratch = {0};
        fail(err, STEPTIME_USAGE, "no table '%.*s'; the tables are %s", (int)options->table.len, options->table.at,
             report_table_ids(report, &scratch).at);
        arena_free(&scratch);
        return false;
    }
    return renderer->render(report, options, out, err);
}

bool report_tells_warnings(str format, const struct render_options *options)
{
    return !str_eq(format, S("csv")) && !(str_eq(format, S("term")) && options->table.len);
}
