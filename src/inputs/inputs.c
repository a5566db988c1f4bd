/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file is read by one thread, which then waits for the file's turn to get its rank (rank.h), takes it and drops
 * it. Arenas of files are shared (arenas.h), each by one worker at a time; threads share nothing else.
 */
#include "inputs.h"

#include <stdlib.h>

#include "parallel/crew.h"
#include "base/error.h"
#include "describe.h"
#include "parallel/par.h"
#include "read/rank.h"
#include "read/read.h"
#include "sketched.h"
#include "spread.h"

/* ---- what can be used ---- */

static bool hits_steps(const struct inputs_asked *asked, struct input_file *file)
{
    const struct trace *trace = file->trace;
    if (file->elsewhere)
        return !file->refused;
    if (!asked->steps || (!asked->steps->limited && (trace || !asked->steps->skip_warmup)))
        return true;
    if (!trace)
        return fail_at(file->error, STEPTIME_INPUT, str_of(file->path), -1,
                       "is a sketch, which holds the steps that it was made of: choose steps where it is made, with "
                       "'steptime summary --save'");
    if (selection_steps(trace, asked->steps).count)
        return true;
    const struct step *steps = trace->steps;
    if (!trace->step_count)
        return fail_at(file->error, STEPTIME_INPUT, str_of(file->path), -1, "the trace has no steps");
    return fail_at(file->error, STEPTIME_INPUT, str_of(file->path), -1,
                   "--steps selects no step; the trace has %lld..%lld", (long long)steps[0].number,
                   (long long)steps[trace->step_count - 1].number);
}

/* A list of anything reads like a trace without events. One that was named is taken at its word. */
static bool is_trace(struct input_file *file)
{
    return file->trace->count || file->folder == LISTED_NAMED ||
           fail_at(file->error, STEPTIME_INPUT, str_of(file->path), -1, "holds no events that have a time");
}

/* ---- one file ---- */

static void drop(struct input_file *file)
{
    trace_free(file->trace);
    execution_free(file->execution);
    sketch_free(file->sketch);
    file->trace = NULL;
    file->execution = NULL;
    file->sketch = NULL;
}

static unsigned kinds_of(const struct inputs_asked *asked)
{
    return INPUT_TRACE | (asked->executions ? INPUT_EXECUTION : 0) | (asked->sketches ? INPUT_SKETCH : 0);
}

static bool read_file(struct inputs *inputs, struct input_file *file)
{
    if (inputs->spread)
        return spread_take(inputs->spread, file, inputs->texts);
    _Atomic int64_t *bytes = inputs->counters.bytes ? &inputs->counters.bytes[file->index] : NULL;
    struct input input;
    const bool fine = input_read(file->path, kinds_of(inputs->asked), bytes, &input, file->error);
    file->trace = input.trace;
    file->execution = input.execution;
    file->sketch = input.sketch;
    return fine && (!input.trace || is_trace(file)) && (!input.sketch || sketched_job(file, inputs->texts));
}

/* What the file says of its job. False of an execution trace. */
static bool describe_member(struct input_file *file)
{
    if (file->trace)
        file->member = job_member_of(file->trace, str_of(file->path), &file->arena);
    file->is_member = file->trace || file->sketch;
    file->is_execution = file->execution;
    return !file->is_execution;
}

/* The file before this one that is of the same rank, at the same time; NULL. */
static const struct input_file *copied_by(const struct inputs *inputs, const struct input_file *file)
{
    const uint32_t holder =
        file->is_member && !inputs->asked->apart ? map_get(&inputs->roll.holders, file->member.rank) : MAP_NONE;
    if (holder == MAP_NONE || !inputs->files[holder].is_member)
        return NULL;
    return job_is_copy(&inputs->files[holder].member, &file->member) ? &inputs->files[holder] : NULL;
}

static void give_rank(struct inputs *inputs, struct input_file *file)
{
    file->rank = rank_of_path(str_of(file->path));
    if (!describe_member(file))
        return;
    const struct job_member *member = &file->member;
    file->copied = copied_by(inputs, file);
    if (file->copied)
        return;
    const struct rank rank =
        rank_take(&inputs->roll, file->index, file->is_member && member->recorded ? member->rank : RANK_NONE,
                  file->is_member ? member->world_size : -1, str_of(file->path));
    if (file->trace) {
        file->trace->info.rank = rank.number;
        file->trace->info.is_alone = inputs->count == 1;
    }
    file->rank = rank.number;
    if (file->is_member && !inputs->asked->apart)
        describe_rank(inputs, file, &rank);
}

/* Of an execution trace that names no rank nobody can say that it is not wanted. */
static bool is_wanted(const struct inputs_asked *asked, const struct input_file *file)
{
    return rank_listed(asked->ranks, file->rank) || (file->execution && file->rank == RANK_NONE);
}

static void take(struct inputs *inputs, struct input_file *file)
{
    const struct inputs_asked *asked = inputs->asked;
    file->state = INPUT_SKIPPED;
    if (file->is_member && !hits_steps(asked, file))
        return;
    file->state = INPUT_OTHER;
    if (file->copied || !is_wanted(asked, file))
        return;
    describe_file(file, asked->steps);
    file->state = asked->take(asked->context, file, file->error) ? INPUT_TAKEN : INPUT_SKIPPED;
}

/* Of the thousands of files of a job hardly one has an error: room for one is taken then. */
static void keep_error(struct input_file *file)
{
    const struct steptime_error *error = file->error;
    file->error = NULL;
    if (file->state != INPUT_SKIPPED)
        return;
    file->error = arena_alloc(&file->arena, sizeof *error);
    *file->error = *error;
}

static void do_file(void *context, size_t i)
{
    struct inputs *inputs = context;
    struct input_file *file = &inputs->files[i];
    struct steptime_error why = {.offset = -1};
    file->error = &why;
    file->state = INPUT_SKIPPED;
    file->arena = arenas_take(&inputs->arenas);
    const bool made = inputs->asked->made && inputs->asked->made(file->path);
    const bool there = made || read_file(inputs, file), in_order = inputs->asked->in_order;
    rank_begin(&inputs->roll, (uint32_t)i);
    if (there)
        give_rank(inputs, file);
    if (there && in_order)
        take(inputs, file);
    rank_end(&inputs->roll);
    if (there && !in_order)
        take(inputs, file);
    keep_error(file);
    arenas_give(&inputs->arenas, &file->arena);
    if (file->state != INPUT_TAKEN || !file->keep)
        drop(file);
    if (inputs->counters.done)
        ++*inputs->counters.done;
}

/* ---- all files ---- */

static bool standard_input_once(const struct inputs_asked *asked, struct steptime_error *err)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < asked->count; i++)
        named += !strcmp(asked->paths[i], "-");
    return named < 2 || fail(err, STEPTIME_USAGE, "standard input (-) is named %u times; it can be read once", named);
}

/* The report of an earlier run may lie beside the traces, and be replaced. */
static bool is_input(const char *path)
{
    struct input input;
    const bool good = input_read(path, INPUT_TRACE | INPUT_EXECUTION | INPUT_SKETCH, NULL, &input, NULL);
    input_free(&input);
    return good;
}

static bool all_spared(const struct inputs *inputs, struct steptime_error *err)
{
    const struct inputs_watch *watch = inputs->asked->watch;
    for (uint32_t i = 0; watch && i < inputs->list.count; i++) {
        const struct listed *file = &inputs->list.files[i];
        struct steptime_error why;
        if (watch->spare(watch->context, file->path, &why) || (file->folder != LISTED_NAMED && !is_input(file->path)))
            continue;
        *err = why;
        return false;
    }
    return true;
}

static bool list_all(struct inputs *inputs, struct steptime_error *err)
{
    const struct inputs_asked *asked = inputs->asked;
    if (!asked->count)
        return fail(err, STEPTIME_USAGE, "which trace? Name a file, a directory, or - for standard input");
    if (asked->ranks && !rank_list_valid(asked->ranks))
        return fail(err, STEPTIME_USAGE, "--rank is a list like 3, 0,4 or 0..7, not '%s'", asked->ranks);
    list_inputs(asked->paths, asked->count, asked->executions, &inputs->arena, &inputs->list);
    return standard_input_once(asked, err) && all_spared(inputs, err);
}

static void make_files(struct inputs *inputs)
{
    inputs->count = inputs->list.count;
    inputs->files = arena_array(&inputs->arena, inputs->count, sizeof *inputs->files);
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct input_file *file = &inputs->files[i];
        const struct listed *listed = &inputs->list.files[i];
        *file = (struct input_file){.path = listed->path, .folder = listed->folder, .index = i, .rank = RANK_NONE};
        file->last_remark = &file->remarks;
    }
}

/* No file of the run is by its name, or by its place in a job of as many ranks as files, this rank or a higher one. */
static int64_t beyond_all(const struct inputs *inputs)
{
    int64_t beyond = inputs->count;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const int64_t named = rank_of_path(str_of(inputs->files[i].path));
        beyond = named >= beyond ? named + 1 : beyond;
    }
    return beyond;
}

/* What spread_read asks of a process: all that only who has the trace can tell. */
static bool read_for_others(struct inputs *inputs, struct input_file *file)
{
    if (!read_file(inputs, file))
        return false;
    describe_member(file);
    if (file->trace) {
        file->trust = trace_trust_of(file->trace, inputs->asked->steps, &file->arena);
        hits_steps(inputs->asked, file);
    }
    return true;
}

/* Standard input is that of one process alone. */
static bool can_spread(const struct inputs_asked *asked, struct steptime_error *err)
{
    for (uint32_t i = 0; i < asked->count; i++)
        if (!strcmp(asked->paths[i], "-"))
            return fail(err, STEPTIME_USAGE, "several processes cannot share standard input (-)");
    return true;
}

static bool spread(struct inputs *inputs, struct steptime_error *err)
{
    const struct crew *crew = crew_ours();
    const struct spread_work work = {inputs, read_for_others, drop};
    if (crew->count == 1 || !inputs->asked->sketch)
        return true;
    struct spread *all = arena_alloc(&inputs->arena, sizeof *all);
    if (!can_spread(inputs->asked, err) || !spread_read(&work, all, err))
        return false;
    inputs->is_share = crew->rank != 0;
    inputs->spread = all;
    return true;
}

static void read_all(struct inputs *inputs)
{
    const struct inputs_asked *asked = inputs->asked;
    rank_roll_open(&inputs->roll, beyond_all(inputs));
    if (asked->watch)
        inputs->counters = asked->watch->begin(asked->watch->context, inputs->count, inputs->list.packed_bytes);
    par_each(inputs->count, asked->threads, do_file, inputs);
    if (asked->watch)
        asked->watch->end(asked->watch->context);
    rank_roll_close(&inputs->roll);
}

static int by_rank(const void *a, const void *b)
{
    const struct input_file *x = *(struct input_file *const *)a, *y = *(struct input_file *const *)b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->index > y->index) - (x->index < y->index);
}

static void order_taken(struct inputs *inputs)
{
    inputs->at = arena_array(&inputs->arena, inputs->count, sizeof *inputs->at);
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].state == INPUT_TAKEN)
            inputs->at[inputs->taken++] = &inputs->files[i];
    qsort(inputs->at, inputs->taken, sizeof *inputs->at, by_rank);
}

/* ---- how it ends ---- */

static bool no_rank(const struct inputs *inputs, uint32_t others, const struct input_file *first,
                    struct steptime_error *err)
{
    const char *wanted = inputs->asked->ranks;
    if (others == 1)
        return fail(err, STEPTIME_INPUT, "the trace is not of rank %s but of rank %lld", wanted,
                    (long long)first->rank);
    return fail(err, STEPTIME_INPUT, "no trace is of rank %s; there are %u traces, the first of rank %lld", wanted,
                others, (long long)first->rank);
}

static bool any_taken(const struct inputs *inputs, struct steptime_error *err)
{
    uint32_t others = 0;
    const struct input_file *first = NULL;
    if (inputs->taken)
        return true;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct input_file *file = &inputs->files[i];
        if (file->state != INPUT_OTHER)
            continue;
        first = !first || file->rank < first->rank ? file : first;
        others++;
    }
    return others ? no_rank(inputs, others, first, err) : inputs_whole(inputs, err);
}

bool inputs_read(const struct inputs_asked *asked, struct inputs *inputs, struct steptime_error *err)
{
    *inputs = (struct inputs){.asked = asked, .texts = asked->sketches ? texts_new() : NULL};
    arenas_open(&inputs->arenas);
    if (!list_all(inputs, err))
        return false;
    make_files(inputs);
    if (!spread(inputs, err))
        return false;
    if (inputs->is_share)
        return true;
    read_all(inputs);
    order_taken(inputs);
    return any_taken(inputs, err);
}

void inputs_close(struct inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        drop(&inputs->files[i]);
        arena_free(&inputs->files[i].arena);
    }
    if (inputs->spread)
        spread_free(inputs->spread);
    texts_free(inputs->texts);
    arenas_close(&inputs->arenas);
    arena_free(&inputs->arena);
}
