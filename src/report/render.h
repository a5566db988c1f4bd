/* SPDX-License-Identifier: Apache-2.0 */
/* A renderer turns the document into one format. It fails only where the options ask for what it cannot show. */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include "document.h"
#include "io/writer.h"

struct renderer {
    const char *format;
    bool (*render)(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err);
};

extern const struct renderer render_term, render_json, render_csv, render_sarif, render_github, render_html,
    render_markdown;

/* "ranks, steps": the ids of all tables, for a message. */
str report_table_ids(const struct report *report, struct arena *arena);

#endif
