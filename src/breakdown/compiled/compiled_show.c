/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled_again.h"
#include "compiled_findings.h"
#include "compiled_kernels.h"

/* ---- compilations ---- */

static const struct column_spec compilations_columns[] = {
    {"compile_id", "id", UNIT_NONE, 0, "the function's number, and how often it had been compiled before"},
    {"function", "function", UNIT_NONE, COLUMN_WIDE, "its name"},
    {"file", "file", UNIT_NONE, COLUMN_DETAIL, "the file that it is in"},
    {"line", "line", UNIT_NONE, COLUMN_PLAIN, "where it begins"},
    {"rank", "rank", UNIT_NONE, COLUMN_DETAIL, "rank of the trace that it was found in; else that of the log"},
    {"step", "step", UNIT_NONE, COLUMN_PLAIN, "the selected step of the trace in which it began; null: in none"},
    {"time_ns", "time", UNIT_NS, COLUMN_PLAIN, "what compiling took, by the log"},
    {"trace_ns", "in the trace", UNIT_NS, COLUMN_DETAIL, "the same by the trace"},
    {"backward_ns", "backward", UNIT_NS, COLUMN_DETAIL, "what compiling its backward took later, by the log"},
    {"reason", "compiled again because", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP,
     "the guard that failed, as PyTorch says it"},
    {"tensor", "tensor", UNIT_NONE, COLUMN_DETAIL, "where a size changed: of what"},
    {"dimension", "dimension", UNIT_NONE, COLUMN_DETAIL, "which of its sizes, from 0"},
    {"expected", "expected", UNIT_NONE, COLUMN_DETAIL, "the size that it was compiled for last"},
    {"actual", "actual", UNIT_NONE, COLUMN_DETAIL, "the size that came"},
    {"graph_breaks", "breaks", UNIT_NONE, COLUMN_PLAIN, "graph breaks in it"},
    {"restarts", "restarts", UNIT_NONE, COLUMN_PLAIN, "how often Dynamo began again with the function"},
    {"runs", "runs", UNIT_NONE, COLUMN_PLAIN, "how often its code ran in the selected steps of the trace"},
    {"failed", "failed", UNIT_NONE, COLUMN_DETAIL, "why nothing came of it"},
    {"joined", "joined by", UNIT_NONE, COLUMN_PLAIN,
     "how it was found in the trace: id and time, time, id, region (only its code ran there); null: not found"},
    {0},
};

static int64_t rank_of(const struct log_compile *compile, const struct joined *joined)
{
    return joined->trace ? joined->trace->rank : compile->rank;
}

static void put_compile(struct table *table, const struct log_compile *compile, const struct joined *joined)
{
    const struct compiled_event *event = joined->event;
    const struct log_size *size = &compile->size;
    table_row(table);
    table_text(table, compile->id);
    table_cell(table, cell_text_or_null(compile->function));
    table_cell(table, cell_text_or_null(compile->place.file));
    table_cell(table, cell_int_if(compile->place.line > 0, compile->place.line));
    table_cell(table, cell_int_or_null(rank_of(compile, joined)));
    table_cell(table, cell_int_if(event && event->in_step, event ? event->step : 0));
    table_cell(table, cell_int_or_null(compile->took_ns));
    table_cell(table, cell_int_if(event != NULL, event ? event->dur_ns : 0));
    table_cell(table, cell_int_or_null(compile->backward_ns));
    table_cell(table, cell_text_or_null(compile->reason));
    table_cell(table, cell_text_or_null(size->tensor));
    table_cell(table, cell_int_if(size->tensor.len, size->dimension));
    table_cell(table, cell_int_if(size->tensor.len, size->expected));
    table_cell(table, cell_int_if(size->tensor.len, size->actual));
    table_int(table, compile->breaks);
    table_int(table, compile->restarts);
    table_cell(table, cell_int_or_null(joined->runs));
    table_cell(table, cell_text_or_null(compile->failed));
    table_cell(table, cell_text_or_null(str_of(joined_word(joined->by))));
}

static void show_compilations(const struct compile_log *log, const struct joined *joined, struct section *section)
{
    struct table *table = section_table(section, "compilations", "");
    table_columns(table, compilations_columns);
    for (uint32_t i = 0; i < log->compile_count; i++)
        put_compile(table, &log->compiles[i], &joined[i]);
}

/* ---- recompilations ---- */

static const struct column_spec recompilations_columns[] = {
    {"function", "function", UNIT_NONE, COLUMN_WIDE, "its name"},
    {"file", "file", UNIT_NONE, COLUMN_DETAIL, "the file that it is in"},
    {"line", "line", UNIT_NONE, COLUMN_PLAIN, "where it begins"},
    {"times", "again", UNIT_NONE, COLUMN_PLAIN, "how often it was compiled again for this reason"},
    {"time_ns", "time", UNIT_NS, COLUMN_PLAIN, "what that took, with its backward, by the log"},
    {"in_steps", "in steps", UNIT_NONE, COLUMN_PLAIN,
     "so many of the times it, or its backward, began in a selected step of the trace"},
    {"in_steps_ns", "their time", UNIT_NS, COLUMN_DETAIL, "what these and their backward took in them, by the trace"},
    {"tensor", "tensor", UNIT_NONE, COLUMN_PLAIN, "where a size changed: of what; null: another guard failed"},
    {"dimension", "dimension", UNIT_NONE, COLUMN_PLAIN, "which of its sizes, from 0"},
    {"value", "value", UNIT_NONE, COLUMN_PLAIN,
     "what else changed, as the program names it; null: a size, or another guard"},
    {"sizes", "sizes, values", UNIT_NONE, COLUMN_PLAIN,
     "the sizes in the order in which they came; of a value those that it was compiled for; at most 16"},
    {"reason", "first reason", UNIT_NONE, COLUMN_DETAIL | COLUMN_WRAP, "the guard that failed the first time"},
    {0},
};

static void put_again(struct table *table, const struct again *again)
{
    const struct log_compile *first = again->first;
    table_row(table);
    table_cell(table, cell_text_or_null(first->function));
    table_cell(table, cell_text_or_null(first->place.file));
    table_cell(table, cell_int_if(first->place.line > 0, first->place.line));
    table_int(table, again->times);
    table_int(table, again->time_ns);
    table_int(table, again->in_steps);
    table_int(table, again->in_steps_ns);
    table_cell(table, cell_text_or_null(first->size.tensor));
    table_cell(table, cell_int_if(first->size.tensor.len, first->size.dimension));
    table_cell(table, cell_text_or_null(first->value.subject));
    table_cell(table, cell_text_or_null(again->sizes));
    table_cell(table, cell_text_or_null(first->reason));
}

static void show_again(const struct again *agains, uint32_t count, struct section *section)
{
    struct table *table = section_table(section, "recompilations", "Compiled again");
    table_columns(table, recompilations_columns);
    for (uint32_t i = 0; i < count; i++)
        put_again(table, &agains[i]);
}

/* ---- graph breaks ---- */

static const struct column_spec graph_breaks_columns[] = {
    {"compile_id", "id", UNIT_NONE, 0, "the compilation in which the graph broke"},
    {"function", "function", UNIT_NONE, COLUMN_WIDE, "the function that was compiled"},
    {"file", "file", UNIT_NONE, COLUMN_DETAIL, "the file of the line that broke it"},
    {"line", "line", UNIT_NONE, COLUMN_PLAIN, "that line"},
    {"code", "code", UNIT_NONE, COLUMN_WIDE, "what stands there"},
    {"reason", "reason", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "why, as PyTorch says it"},
    {"explanation", "explanation", UNIT_NONE, COLUMN_DETAIL, "the same at length"},
    {"hint", "hint", UNIT_NONE, COLUMN_DETAIL, "what PyTorch says to do"},
    {0},
};

static void put_break(struct table *table, const struct log_break *at, const struct log_compile *compile)
{
    table_row(table);
    table_text(table, compile->id);
    table_cell(table, cell_text_or_null(compile->function));
    table_cell(table, cell_text_or_null(at->place.file));
    table_cell(table, cell_int_if(at->place.line > 0, at->place.line));
    table_cell(table, cell_text_or_null(at->place.code));
    table_cell(table, cell_text_or_null(at->reason));
    table_cell(table, cell_text_or_null(at->explanation));
    table_cell(table, cell_text_or_null(at->hint));
}

static void show_breaks(const struct compile_log *log, struct section *section)
{
    struct table *table = section_table(section, "graph_breaks", "Graph breaks");
    table_columns(table, graph_breaks_columns);
    for (uint32_t i = 0; i < log->break_count; i++)
        put_break(table, &log->breaks[i], &log->compiles[log->breaks[i].compile]);
}

/* ---- all ---- */

struct tally {
    uint32_t again, by_id, by_time, by_region, events;
};

static struct tally tally_of(const struct compile_log *log, const struct joined *joined,
                             const struct compiled_trace *const *traces, uint32_t count)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < log->compile_count; i++) {
        tally.again += log->compiles[i].number > 0;
        tally.by_id += joined[i].by == JOINED_ID_AND_TIME || joined[i].by == JOINED_ID;
        tally.by_time += joined[i].by == JOINED_TIME;
        tally.by_region += joined[i].by == JOINED_REGION;
    }
    for (uint32_t t = 0; t < count; t++)
        tally.events += traces[t]->event_count;
    return tally;
}

static void say_join(const struct compile_log *log, const struct tally *tally, struct section *section,
                     struct report *report)
{
    const uint32_t found = tally->by_id + tally->by_time;
    struct arena *arena = report_arena(report);
    const str all = found == log->compile_count ? S("All") : str_printf(arena, "%u of the", found);
    const str time = tally->by_time ? str_printf(arena, ", %u of them by their time alone", tally->by_time) : S("");
    const str region =
        tally->by_region ? str_printf(arena, " Of %u more only the code ran there.", tally->by_region) : S("");
    section_text(section,
                 str_printf(arena, "%.*s %u compilations of the log are found in the trace%s%.*s.%.*s", (int)all.len,
                            all.at, log->compile_count, tally->by_time < found ? " by id and time" : "", (int)time.len,
                            time.at, (int)region.len, region.at));
    if (tally->events > found)
        report_warning(report, S(""), -1,
                       str_printf(arena,
                                  "%u of %u compilations of the trace are not in the log: it may be of another run",
                                  tally->events - found, tally->events));
    if (log->unread)
        report_warning(
            report, S(""), -1,
            str_printf(arena, "%llu lines of the log could not be read, or were cut", (unsigned long long)log->unread));
}

static void put_counts(const struct compile_log *log, const struct tally *tally, struct section *section)
{
    section_value(section, "log_files", "logs read", UNIT_COUNT, cell_int(log->files));
    section_value(section, "log_records", "records", UNIT_COUNT, cell_int((int64_t)log->records));
    section_value(section, "log_compilations", "functions compiled", UNIT_COUNT, cell_int(log->compile_count));
    section_value(section, "log_recompilations", "of these again", UNIT_COUNT, cell_int(tally->again));
    section_value(section, "log_graph_breaks", "graph breaks", UNIT_COUNT, cell_int(log->break_count));
    section_value(section, "log_joined", "found in the trace", UNIT_COUNT, cell_int(tally->by_id + tally->by_time));
    section_value(section, "log_version", "PyTorch of the log", UNIT_NONE, cell_text_or_null(log->version));
}

void compiled_join_log(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                       struct arena *arena, struct compiled *out)
{
    *out = (struct compiled){.log = log, .traces = traces, .count = count};
    out->joined = compiled_join(log, traces, count, arena);
    out->agains = compiled_again(log, out->joined, arena, &out->again_count);
    for (uint32_t t = 0; t < count; t++)
        out->steps += traces[t]->steps;
}

void compiled_show(const struct compiled *compiled, double most_ns, struct report *report)
{
    const struct compile_log *log = compiled->log;
    const struct tally tally = tally_of(log, compiled->joined, compiled->traces, compiled->count);
    struct section *section = report_section(report, "compile_log", "What was compiled, and why");
    const double again_ns = compiled_again_ns(compiled);
    say_join(log, &tally, section, report);
    put_counts(log, &tally, section);
    show_compilations(log, compiled->joined, section);
    show_again(compiled->agains, compiled->again_count, section);
    show_breaks(log, section);
    compiled_kernels_show(log, compiled->traces, compiled->count, section, report);
    compiled_find(compiled, again_ns > most_ns ? most_ns / again_ns : 1, report);
}
