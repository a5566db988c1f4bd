/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that nobody foresaw: SQL over the columns of traces. */
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "query_table.h"
#include "sql/sql.h"

enum { MOST_ROWS = 10000, MOST_SECONDS = 60 };

/* ---- the words ---- */

struct query_words {
    const char *sql; /* NULL: the tables are asked for */
    uint32_t paths;
    int64_t most_rows, most_seconds;
};

/* The last word, where it has blanks as SQL has and is no file. */
static bool is_sql(const char *word)
{
    return str_trim(str_of(word)).len && strpbrk(word, " \t\n(;") && access(word, F_OK) != 0;
}

/* In the place of a trace: what is no file and begins as a query does. */
static bool begins_sql(const char *word)
{
    static const char *const begins[] = {"select", "with", "values"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts_nocase(str_trim(str_of(word)), str_of(begins[i])))
            return is_sql(word);
    return false;
}

static bool read_words(const struct call *call, struct query_words *words, struct steptime_error *err)
{
    const uint32_t count = call_argument_count(call);
    *words = (struct query_words){.sql = call_text(call, "sql"), .paths = count};
    if (!words->sql && count > 1 && is_sql(call_argument(call, count - 1))) {
        words->sql = call_argument(call, count - 1);
        words->paths--;
    }
    if (!words->paths)
        return fail(err, STEPTIME_USAGE, "query takes a trace, or several, and then the SQL");
    for (uint32_t i = 0; i < words->paths; i++)
        if (begins_sql(call_argument(call, i)))
            return fail(err, STEPTIME_USAGE, "here stands SQL for a trace: first the traces, then one query");
    return call_count(call, "most-rows", 1, 1000000, MOST_ROWS, &words->most_rows, err) &&
           call_count(call, "most-seconds", 0, 86400, MOST_SECONDS, &words->most_seconds, err);
}

/* ---- running ---- */

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    file->keep = true;
    return true;
}

static struct sql_trace *traces_of(const struct inputs *inputs, struct arena *arena)
{
    struct sql_trace *traces = arena_array(arena, inputs->taken, sizeof *traces);
    for (uint32_t i = 0; i < inputs->taken; i++)
        traces[i] = (struct sql_trace){inputs->at[i]->trace, inputs->at[i]->rank};
    return traces;
}

static bool ask(const struct query_words *words, const struct inputs *inputs, int64_t read_ns, struct report *report,
                struct steptime_error *err)
{
    struct arena *arena = report_arena(report);
    if (!words->sql) {
        query_show_tables(report);
        return true;
    }
    const struct sql_asked asked = {.traces = traces_of(inputs, arena),
                                    .count = inputs->taken,
                                    .query = str_of(words->sql),
                                    .most_rows = words->most_rows,
                                    .most_seconds = words->most_seconds};
    struct sql_answer answer;
    if (!sql_run(&asked, arena, &answer, err))
        return false;
    query_show_answer(&answer, read_ns, words->most_rows, report);
    return true;
}

static bool run_words(const struct call *call, const struct query_words *words, struct inputs *inputs,
                      struct arena *arena, struct steptime_error *err)
{
    struct inputs_asked asked = {.paths = call->arguments, .count = words->paths, .take = take};
    const int64_t began_ns = clock_ns();
    if (words->sql && !sql_is_built_in())
        return sql_run(&(struct sql_asked){0}, arena, &(struct sql_answer){0}, err);
    if (!call_inputs(call, &asked, inputs, err))
        return false;
    struct report *report = report_new(arena, S("query"));
    inputs_tell(inputs, report);
    return ask(words, inputs, clock_ns() - began_ns, report, err) && output_report(call, report, err) &&
           inputs_whole(inputs, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    struct query_words words;
    const bool good =
        output_check(call, err) && read_words(call, &words, err) && run_words(call, &words, &inputs, &arena, err);
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"sql", 0, "SQL", NULL, "The query, where it is not the last word."},
    {"most-rows", 0, "N", NULL, "Take at most N rows of the answer, and say where there are more. Default: 10000."},
    {"most-seconds", 0, "N", NULL, "End a query that runs longer, 0 for never. Default: 60."},
    {0},
};

const struct command command_query = {
    .name = "query",
    .arguments = "TRACE|DIR... [SQL]",
    .brief = "ask traces by SQL, over their events as tables",
    .about =
        "Runs one SELECT of SQLite over the traces: events, operators, kernels, copies, calls, annotations, stacks, memory, "
        "flows, steps, ranks, lanes and notes are tables. Without SQL it lists their columns, with units, and ten worked "
        "examples.\n\n"
        "Several traces are one set of tables; the column 'rank' tells them apart. Times are in nanoseconds from the start of "
        "their trace. Ids of events ('parent', 'cause', 'launch', 'operator', 'frame') lead to the column 'event' of the same "
        "rank: such a join is fast, and so are ranges of 'start_ns' and groups by name, kind, lane and step. All steps are there: WHERE step BETWEEN 2 AND 5 chooses.\n\n"
        "A query only reads: nothing else is allowed, no file is opened and none is written, so that it may come from "
        "anybody. It ends after --most-seconds, or where what it sorts takes more than 1 GiB.",
    .examples =
        "steptime query trace.json.gz|tables, columns and examples\n"
        "steptime query trace.json.gz \"SELECT name, count(*), sum(dur_ns) AS total_ns FROM kernels GROUP BY name\"|an aggregation\n"
        "steptime query --format csv ranks/ \"SELECT rank, step, dur_ns FROM steps\"|of several ranks, as CSV",
    .shared = SHARED_OUTPUT_NO_FINDINGS | SHARED_TRACE_ALL_STEPS,
    .options = options,
    .run = run,
};
