/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "call.h"
#include "hardware_option.h"
#include "io/writer.h"
#include "report/explain.h"
#include "report/report.h"
#include "screen.h"

enum { USUAL_ROWS = 20 };

static str format_of(const struct call *call)
{
    const char *format = call_text(call, "format");
    return format ? str_of(format) : S("term");
}

/* A table that was asked for by name is shown whole. */
static bool rows_of(const struct call *call, int64_t *rows, struct steptime_error *err)
{
    *rows = 0;
    if (call->command->shared & SHARED_OUTPUT_ALL_ROWS)
        return true;
    return call_count(call, "rows", 0, UINT32_MAX, call_text(call, "table") ? 0 : USUAL_ROWS, rows, err);
}

static bool options_of(const struct call *call, struct render_options *options, struct steptime_error *err)
{
    int64_t rows;
    if (!rows_of(call, &rows, err))
        return false;
    const char *path = call_text(call, "output");
    const bool to_file = path && strcmp(path, "-");
    const struct screen screen = screen_of(to_file ? -1 : STDOUT_FILENO, call_text(call, "color"));
    const char *table = call_text(call, "table");
    *options = (struct render_options){
        .colour = screen.colour,
        .unicode = screen.unicode,
        .width = screen.width,
        .table = table ? str_of(table) : S(""),
        .rows = (uint32_t)rows,
        .version = S(STEPTIME_VERSION),
    };
    return true;
}

bool output_shows(const struct call *call, str table)
{
    const char *asked = call_text(call, "table");
    return asked ? str_eq(str_of(asked), table)
                 : str_eq(format_of(call), S("json")) || str_eq(format_of(call), S("html"));
}

bool output_check(const struct call *call, struct steptime_error *err)
{
    int64_t rows;
    return rows_of(call, &rows, err);
}

/* Control characters of names do nothing to a terminal. */
static void put_warning(str line)
{
    struct arena scratch = {0};
    const str shown = str_printable(&scratch, line);
    fprintf(stderr, "steptime: %.*s\n", (int)shown.len, shown.at);
    arena_free(&scratch);
}

void output_tell_warnings(const struct report *report)
{
    enum { MOST = 10 };
    struct arena scratch = {0};
    const uint32_t count = report_warning_count(report);
    for (uint32_t i = 0; i < count && i < MOST; i++)
        put_warning(report_warning_line(report, i, &scratch));
    if (count > MOST)
        fprintf(stderr, "steptime: %u more warnings; --format json lists them all\n", count - MOST);
    arena_free(&scratch);
}

/* The report, or with --explain what it says of its own numbers; NULL where it has none of that name. */
static struct report *asked_of(const struct call *call, struct report *report, struct steptime_error *err)
{
    const char *word = call->command->shared & SHARED_EXPLAIN ? call_text(call, "explain") : NULL;
    if (!word)
        return report;
    struct report *answer = report_new(report_arena(report), str_of(call->command->name));
    if (report_explain(report, str_of(word), answer))
        return answer;
    if (explain_misses(report, str_of(word)))
        fail(err, STEPTIME_USAGE, "no file that was read has the line '%s'", word);
    else
        fail(err, STEPTIME_USAGE, "no number here is called '%s'; '--explain list' shows their names", word);
    return NULL;
}

static bool write_report(const struct report *report, str format, const struct render_options *options,
                         const char *path, struct steptime_error *err)
{
    struct writer *out = writer_open(path, err);
    if (!out)
        return false;
    if (report_render(report, format, options, out, err))
        return writer_close(out, err);
    writer_abandon(out);
    return false;
}

bool output_json(const struct call *call, const struct report *report, struct steptime_error *err)
{
    const struct render_options options = {.table = S(""), .version = S(STEPTIME_VERSION)};
    return call->sink ? report_render(report, S("json"), &options, call->sink, err)
                      : write_report(report, S("json"), &options, NULL, err);
}

bool output_report(const struct call *call, struct report *whole, struct steptime_error *err)
{
    struct render_options options;
    if (!options_of(call, &options, err))
        return false;
    hardware_tell(call, whole);
    struct report *report = asked_of(call, whole, err);
    if (!report)
        return false;
    if (call->sink)
        return report_render(report, format_of(call), &options, call->sink, err);
    if (!write_report(report, format_of(call), &options, call_text(call, "output"), err))
        return false;
    if (!report_tells_warnings(format_of(call), &options))
        output_tell_warnings(report);
    return true;
}

bool output_takes_text(const struct call *call, struct steptime_error *err)
{
    return !call || !call->sink || call->sink_takes_text ||
           fail(err, STEPTIME_USAGE, "the result of this '%s' is no report: it is for the program, not for the library",
                call->command->name);
}

bool output_text(str text, const struct call *call, struct steptime_error *err)
{
    if (!output_takes_text(call, err))
        return false;
    if (call && call->sink) {
        writer_put(call->sink, text);
        return true;
    }
    struct writer *out = writer_open(NULL, err);
    if (!out)
        return false;
    writer_put(out, text);
    return writer_close(out, err);
}
