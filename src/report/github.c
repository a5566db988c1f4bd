/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as workflow commands of GitHub Actions, which shows them beside the
 * lines of a change: `::warning file=a.py,line=3::message`, a line each.
 * Escapes: https://github.com/actions/toolkit, packages/core/src/command.ts.
 */
#include "render.h"

/* A message keeps all but line ends and percent; a property gives up its separators too. */
static void put_escaped(struct writer *out, str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.at[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            writer_printf(out, "%%%02X", c);
        else
            writer_put(out, (str){&text.at[i], 1});
    }
}

static void put_number(struct writer *out, const char *name, int64_t value)
{
    if (value > 0)
        writer_printf(out, ",%s=%lld", name, (long long)value);
}

static void put_title(struct writer *out, const struct report *report, const struct finding *finding)
{
    const struct finding_rule *rule = report_find_rule(report, finding->rule);
    writer_put(out, S(",title="));
    put_escaped(out, finding->rule, true);
    if (!rule)
        return;
    writer_put(out, S(" "));
    put_escaped(out, rule->name, true);
}

static void put_finding(struct writer *out, const struct report *report, const struct finding *finding)
{
    static const char *const words[] = {"notice", "warning", "error"};
    writer_printf(out, "::%s ", words[finding->severity]);
    writer_put(out, S("file="));
    put_escaped(out, finding->file, true);
    const bool is_notebook = finding->in_file.line > 0;
    const struct finding_region *in_file = &finding->in_file;
    const int64_t line = is_notebook ? in_file->line : finding->line;
    const int64_t end_line = is_notebook ? in_file->end_line : finding->end_line;
    put_number(out, "line", line);
    put_number(out, "endLine", end_line);
    if (line == end_line) { /* columns count in one line only */
        put_number(out, "col", is_notebook ? in_file->column : finding->column);
        put_number(out, "endColumn", is_notebook ? in_file->end_column : finding->end_column);
    }
    put_title(out, report, finding);
    writer_put(out, S("::"));
    if (finding->cell)
        writer_printf(out, "cell %lld, line %lld: ", (long long)finding->cell, (long long)finding->line);
    put_escaped(out, finding->message, false);
    writer_put(out, S("\n"));
}

static void put_warning(struct writer *out, const struct report_warning *warning)
{
    writer_put(out, S("::notice"));
    if (warning->path.len) {
        writer_put(out, S(" file="));
        put_escaped(out, warning->path, true);
    }
    writer_put(out, S("::"));
    put_escaped(out, warning->message, false);
    writer_put(out, S("\n"));
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].suppressed)
            put_finding(out, report, &report->findings[i]);
    for (uint32_t i = 0; i < report->warning_count; i++)
        put_warning(out, &report->warnings[i]);
    return true;
}

const struct renderer render_github = {"github", render};
