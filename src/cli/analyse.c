/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file is a job: read, give it its rank, take the analysis's numbers, drop
 * the trace. Jobs run on all cores and share nothing but the roll of ranks; each
 * has its own arena, which lives until the report is written.
 */
#include "analyse.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/par.h"
#include "call.h"
#include "inputs.h"
#include "output.h"
#include "progress.h"
#include "rank.h"
#include "read/rank.h"
#include "read/read.h"
#include "trace/select.h"

/* Something to say about a file, until there is a report to say it in. */
struct remark {
    int64_t offset;
    str message;
    struct remark *next;
};

struct job {
    const char *path;
    uint32_t index; /* among the inputs */
    struct arena arena;
    bool read;                   /* the file could be used */
    bool taken;                  /* and its rank is wanted: `result` is filled */
    struct steptime_error error; /* where it could not be read */
    int64_t rank;
    void *result;
    struct report_input input;
    struct remark *remarks, **last_remark; /* in order; appended at *last_remark */
};

struct run {
    const struct call *call;
    const struct analysis *analysis;
    struct job *jobs;
    uint32_t count;
    unsigned threads;
    struct rank_roll ranks;
    struct progress progress;
};

/* ---- one file ---- */

static void remark(struct job *job, int64_t offset, str message)
{
    struct remark *added = arena_alloc(&job->arena, sizeof *added);
    *added = (struct remark){offset, message, NULL};
    *job->last_remark = added;
    job->last_remark = &added->next;
}

static void remark_notes(struct job *job, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->note_count; i++)
        remark(job, trace->notes[i].offset, str_copy(&job->arena, trace->notes[i].text));
}

static void remark_rank(const struct run *run, struct job *job, const struct rank *rank)
{
    static const char *const said[] = {
        [RANK_RECORDED] = "records", [RANK_FROM_NAME] = "is named", [RANK_BY_ORDER] = "would by order be"};
    if (rank->rival != RANK_NO_RIVAL)
        remark(job, -1,
               str_printf(&job->arena, "%s rank %lld, which %s is already; taken as rank %lld", said[rank->source],
                          (long long)rank->claimed, run->jobs[rank->rival].path, (long long)rank->number));
    else if (rank->source == RANK_BY_ORDER && run->count > 1)
        remark(job, -1, str_printf(&job->arena, "names no rank; taken as rank %lld by order", (long long)rank->number));
}

static void describe(struct job *job, const struct trace *trace)
{
    job->input = (struct report_input){
        .path = str_of(job->path),
        .format = str_copy(&job->arena, trace->info.format),
        .events = trace->count,
        .bytes = trace->info.file_bytes,
        .repaired = (int64_t)trace->repaired,
        .dropped = (int64_t)trace->dropped,
    };
}

/* What the trace's steps are, for a selection that hit none of them. */
static bool has_steps(struct run *run, struct job *job, const struct trace *trace)
{
    const struct selection *selection = call_selection(run->call);
    if (!selection->limited || selection_steps(trace, selection).count)
        return true;
    const struct step *steps = trace->steps;
    return trace->step_count ? fail_at(&job->error, STEPTIME_INPUT, str_of(job->path), -1,
                                       "--steps selects no step; the trace has %lld..%lld", (long long)steps[0].number,
                                       (long long)steps[trace->step_count - 1].number)
                             : fail_at(&job->error, STEPTIME_INPUT, str_of(job->path), -1, "the trace has no steps");
}

static void take_numbers(struct run *run, struct job *job, struct trace *trace)
{
    job->read = has_steps(run, job, trace);
    if (!job->read)
        return;
    job->taken = rank_wanted(&run->ranks, trace->info.rank);
    if (!job->taken)
        return;
    describe(job, trace);
    remark_notes(job, trace);
    job->result = arena_alloc(&job->arena, run->analysis->size);
    run->analysis->run(run->call, trace, &job->arena, job->result);
}

static void do_trace(struct run *run, struct job *job, size_t i, struct trace *trace)
{
    const struct rank rank = rank_take(&run->ranks, (uint32_t)i, trace->info.rank, str_of(job->path));
    remark_rank(run, job, &rank);
    job->rank = trace->info.rank = rank.number;
    take_numbers(run, job, trace);
    trace_free(trace);
}

/* It may lie beside the trace of its rank, so it claims none. */
static void do_execution(struct run *run, struct job *job, size_t i, struct execution *execution)
{
    rank_pass(&run->ranks, (uint32_t)i);
    job->rank = rank_of_path(str_of(job->path));
    job->read = true;
    job->taken = rank_wanted(&run->ranks, job->rank);
    job->input = (struct report_input){
        .path = str_of(job->path),
        .format = S("execution trace"),
        .events = execution->count,
        .bytes = execution->file_bytes,
        .repaired = (int64_t)execution->repaired,
        .dropped = (int64_t)execution->dropped,
    };
    for (uint32_t n = 0; n < execution->note_count; n++)
        remark(job, execution->notes[n].offset, str_copy(&job->arena, execution->notes[n].text));
    job->result = arena_alloc(&job->arena, run->analysis->size);
    run->analysis->run_execution(run->call, execution, &job->arena, job->result);
    execution_free(execution);
}

static struct input read_job(struct run *run, struct job *job, size_t i)
{
    struct input input = {0};
    if (run->analysis->run_execution)
        input_read(job->path, &run->progress.bytes[i], &input, &job->error);
    else
        input.trace = trace_read(job->path, &run->progress.bytes[i], &job->error);
    return input;
}

static void do_job(void *context, size_t i)
{
    struct run *run = context;
    struct job *job = &run->jobs[i];
    const struct input input = read_job(run, job, i);
    if (input.trace) {
        do_trace(run, job, i, input.trace);
    } else if (input.execution) {
        do_execution(run, job, i, input.execution);
    } else {
        job->rank = RANK_NONE;
        rank_pass(&run->ranks, (uint32_t)i);
    }
    if (!job->read)
        remark(job, job->error.offset, str_of(job->error.message));
    run->progress.done++;
}

/* ---- all files ---- */

static int by_rank(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->index > y->index) - (x->index < y->index);
}

static void read_all(struct run *run, int64_t packed_bytes, struct arena *arena)
{
    rank_roll_open(&run->ranks, call_text(run->call, "rank"));
    progress_begin(&run->progress, "traces", run->count, packed_bytes, arena);
    par_each(run->count, run->threads, do_job, run);
    progress_end(&run->progress);
    rank_roll_close(&run->ranks);
}

static uint32_t count_taken(const struct run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->count; i++)
        count += run->jobs[i].taken;
    return count;
}

static bool any_read(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (run->jobs[i].read)
            return true;
    return false;
}

/* One line a file on standard error; the last one is left to the caller. */
static bool none_usable(const struct run *run, struct steptime_error *err)
{
    struct arena scratch = {0};
    for (uint32_t i = 0; i + 1 < run->count; i++)
        fprintf(stderr, "steptime: %s\n", error_line(&scratch, &run->jobs[i].error).at);
    arena_free(&scratch);
    *err = run->jobs[run->count - 1].error;
    return false;
}

static bool usable(const struct run *run, struct steptime_error *err)
{
    if (!any_read(run))
        return none_usable(run, err);
    if (!count_taken(run))
        return run->count == 1
                   ? fail(err, STEPTIME_INPUT, "the trace is not of rank %s but of rank %lld", run->ranks.wanted,
                          (long long)run->jobs[0].rank)
                   : fail(err, STEPTIME_INPUT, "no trace is of rank %s; there are %u traces, the first of rank %lld",
                          run->ranks.wanted, run->count, (long long)run->jobs[0].rank);
    return true;
}

/* ---- the report ---- */

static void put_job(struct report *report, const struct job *job)
{
    if (job->taken)
        report_input(report, job->input);
    for (const struct remark *at = job->remarks; at && (job->taken || !job->read); at = at->next)
        report_warning(report, str_of(job->path), at->offset, at->message);
}

static bool show(const struct run *run, struct report *report, struct steptime_error *err)
{
    const uint32_t count = count_taken(run);
    const void **results = arena_array(report_arena(report), count, sizeof *results);
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        put_job(report, &run->jobs[i]);
        if (run->jobs[i].taken)
            results[n++] = run->jobs[i].result;
    }
    return run->analysis->show(run->call, results, count, report, err);
}

/* A csv has no place for them, so they go where people look. */
static void tell_warnings(const struct run *run)
{
    struct arena scratch = {0};
    for (uint32_t i = 0; i < run->count; i++)
        for (const struct remark *at = run->jobs[i].remarks; at; at = at->next) {
            struct steptime_error line = {0};
            fail_at(&line, STEPTIME_INPUT, str_of(run->jobs[i].path), at->offset, "%.*s", (int)at->message.len,
                    at->message.at);
            fprintf(stderr, "steptime: %s\n", error_line(&scratch, &line).at);
        }
    arena_free(&scratch);
}

static bool report_all(struct run *run, struct arena *arena, struct steptime_error *err)
{
    if (!usable(run, err))
        return false;
    qsort(run->jobs, run->count, sizeof *run->jobs, by_rank);
    struct report *report = report_new(arena, str_of(run->call->command->name));
    if (!show(run, report, err))
        return false;
    const char *format = call_text(run->call, "format");
    if (format && !strcmp(format, "csv"))
        tell_warnings(run);
    return output_report(run->call, report, err);
}

/* ---- the command ---- */

static bool check(struct run *run, struct steptime_error *err)
{
    const struct call *call = run->call;
    const char *ranks = call_text(call, "rank");
    int64_t threads;
    if (ranks && !rank_list_valid(ranks))
        return fail(err, STEPTIME_USAGE, "--rank is a list like 3, 0,4 or 0..7, not '%s'", ranks);
    if (!call_count(call, "threads", 1, 256, 0, &threads, err))
        return false;
    run->threads = (unsigned)threads;
    return output_check(call, err) && (!run->analysis->check || run->analysis->check(call, err));
}

static void make_jobs(struct run *run, const struct inputs *inputs, struct arena *arena)
{
    run->count = inputs->count;
    run->jobs = arena_array(arena, inputs->count, sizeof *run->jobs);
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct job *job = &run->jobs[i];
        *job = (struct job){.path = inputs->paths[i], .index = i, .last_remark = &job->remarks};
    }
}

static bool run_all(struct run *run, struct arena *arena, struct steptime_error *err)
{
    struct inputs inputs;
    if (!check(run, err) || !inputs_of(run->call, arena, &inputs, err))
        return false;
    make_jobs(run, &inputs, arena);
    read_all(run, inputs.packed_bytes, arena);
    const bool good = report_all(run, arena, err);
    for (uint32_t i = 0; i < run->count; i++)
        arena_free(&run->jobs[i].arena);
    return good;
}

enum steptime_code analyse(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct run run = {.call = call, .analysis = call->command->analysis};
    const bool good = run_all(&run, &arena, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}
