/* SPDX-License-Identifier: Apache-2.0 */
#include "predicting.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "program/dlrm.h"
#include "program/list.h"
#include "read/read.h"
#include "trace/select.h"

static const char dlrm_prefix[] = "dlrm:", list_prefix[] = "list:";

/* ---- reading ---- */

static struct opened_trace open_trace(struct trace *trace, struct arena *arena)
{
    struct work_classes *classes = work_classes_new(trace, arena);
    return (struct opened_trace){trace, classes, programs_open(trace, classes)};
}

static void take_steps(const struct predicting *p, struct predicted_input *input, const struct opened_trace *from)
{
    const struct step_range range = selection_steps(from->trace, call_selection(p->call));
    struct arena *arena = &input->file->arena;
    input->source.steps = arena_array(arena, range.count, sizeof *input->source.steps);
    input->source.count = range.count;
    for (uint32_t i = 0; i < range.count; i++) {
        struct arena scratch = {0};
        const struct program step = programs_step(from->programs, range.first + i, &scratch);
        predict_source_set(&input->source, i, &step, p->texts, arena);
        arena_free(&scratch);
    }
}

/* What was recorded is replayed where something is asked; and what is no file cannot be read again to be joined. */
static bool trace_is_needed(const struct predicting *p, const char *path)
{
    struct stat status;
    const bool again = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return !again || p->what_if.swept || !question_is_empty(&p->what_if.question);
}

static void take_trace(const struct predicting *p, struct predicted_input *input)
{
    struct input_file *file = input->file;
    struct arena scratch = {0};
    file->keep = trace_is_needed(p, file->path);
    struct opened_trace opened = open_trace(file->trace, file->keep ? &file->arena : &scratch);
    input->is_trace = true;
    take_steps(p, input, &opened);
    if (file->keep && input->source.count)
        input->kept = opened;
    else
        programs_close(opened.programs);
    arena_free(&scratch);
}

static void take_program(const struct predicting *p, struct predicted_input *input, const struct program *program)
{
    struct arena *arena = &input->file->arena;
    input->source.steps = arena_alloc(arena, sizeof *input->source.steps);
    input->source.count = 1;
    predict_source_set(&input->source, 0, program, p->texts, arena);
}

static void take_execution(const struct predicting *p, struct predicted_input *input)
{
    struct arena scratch = {0};
    const struct program program = program_of_execution(input->file->execution, &scratch);
    input->file->keep = true;
    take_program(p, input, &program);
    arena_free(&scratch);
}

/* "dlrm:NAME", "dlrm:FILE.toml", with "@BATCH" behind: a recommendation model from its sizes. */
static bool take_dlrm(const struct predicting *p, struct predicted_input *input, const char *path,
                      struct steptime_error *err)
{
    struct arena *arena = &input->file->arena;
    str rest = str_of(path + strlen(dlrm_prefix)), name = rest;
    struct dlrm dlrm;
    str_cut(&rest, '@', &name);
    if (!dlrm_find(str_copy(arena, name), arena, &dlrm, err))
        return false;
    if (rest.len && !str_int(rest, &dlrm.batch))
        return fail(err, STEPTIME_USAGE, "'%s': a batch is a number", path);
    const char *wrong = dlrm_check(&dlrm);
    if (wrong)
        return fail(err, STEPTIME_INPUT, "%s: %s", path, wrong);
    const struct program program = program_of_dlrm(&dlrm, arena);
    take_program(p, input, &program);
    return true;
}

/* "list:FILE.csv", with "@MODEL,MODE,SEQ,BATCH" behind, or the first of them: a step of a table of operators. */
static bool take_list(const struct predicting *p, struct predicted_input *input, const char *path,
                      struct steptime_error *err)
{
    struct arena *arena = &input->file->arena;
    str rest = str_of(path + strlen(list_prefix)), file = rest;
    struct list_choice choice = {0};
    str *const parts[] = {&choice.model, &choice.mode, &choice.seq, &choice.batch};
    str_cut(&rest, '@', &file);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rest.len; i++)
        str_cut(&rest, ',', parts[i]);
    struct program program;
    if (!program_of_list(str_z(arena, file), &choice, arena, &program, err))
        return false;
    take_program(p, input, &program);
    return true;
}

static bool is_dlrm(const char *path)
{
    return str_starts(str_of(path), str_of(dlrm_prefix));
}

static bool is_list(const char *path)
{
    return str_starts(str_of(path), str_of(list_prefix));
}

static bool is_made(const char *path)
{
    return is_dlrm(path) || is_list(path);
}

/* An execution trace that names no rank may be of any: its place tells it from others. */
static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct predicting *p = context;
    struct predicted_input *input = arena_alloc(&file->arena, sizeof *input);
    *input = (struct predicted_input){.file = file};
    input->source.path = str_of(file->path);
    input->source.rank = file->rank == RANK_NONE ? (int64_t)file->index : file->rank;
    file->result = input;
    if (is_dlrm(file->path))
        return take_dlrm(p, input, file->path, err);
    if (is_list(file->path))
        return take_list(p, input, file->path, err);
    if (file->trace)
        take_trace(p, input);
    else
        take_execution(p, input);
    return input->source.count ||
           fail_at(err, STEPTIME_INPUT, str_of(file->path), -1, "the trace has no steps, or --steps selects none");
}

/* ---- execution traces beside the traces of their runs ---- */

/* The trace of the same rank, or the only one beside the only execution trace. */
static struct predicted_input *partner_of(struct predicting *p, const struct predicted_input *execution)
{
    struct predicted_input *same = NULL, *only = NULL;
    uint32_t traces = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct predicted_input *input = p->inputs[i];
        if (!input->is_trace)
            continue;
        only = input;
        traces++;
        if (input->source.rank == execution->source.rank && !input->has_execution)
            same = input;
    }
    return same ? same : traces == 1 && p->count == 2 ? only : NULL;
}

/* The step that the execution trace was recorded in gets its shapes and data. */
static void join_opened(struct predicting *p, struct predicted_input *to, const struct predicted_input *from,
                        const struct opened_trace *opened)
{
    struct arena scratch = {0};
    const struct step_range range = selection_steps(opened->trace, call_selection(p->call));
    struct program_match match;
    const struct program joined = programs_join(opened->programs, from->file->execution, &match, &scratch);
    const bool selected = match.step >= range.first && match.step - range.first < range.count;
    if (selected && match.matched)
        predict_source_set(&to->source, match.step - range.first, &joined, p->texts, &p->arena);
    report_warning(p->report, from->source.path, -1,
                   str_printf(&p->arena, "joined with step %lld of %.*s by %s: %u of its %u operators match%s",
                              (long long)joined.step, (int)to->source.path.len, to->source.path.at,
                              match.by_id ? "ids" : "order", match.matched, joined.count,
                              selected ? "" : ", but --steps leaves that step out"));
    to->has_execution = true;
    arena_free(&scratch);
}

/* The trace was dropped, for few have an execution trace beside them. */
static bool join_again(struct predicting *p, struct predicted_input *to, const struct predicted_input *from,
                       struct steptime_error *err)
{
    struct arena scratch = {0};
    struct trace *trace = trace_read(to->file->path, NULL, err);
    if (!trace)
        return false;
    trace->info.rank = to->file->rank;
    const struct opened_trace opened = open_trace(trace, &scratch);
    join_opened(p, to, from, &opened);
    programs_close(opened.programs);
    trace_free(trace);
    arena_free(&scratch);
    return true;
}

static bool join(struct predicting *p, struct predicted_input *to, const struct predicted_input *from,
                 struct steptime_error *err)
{
    if (!to->kept.trace)
        return join_again(p, to, from, err);
    join_opened(p, to, from, &to->kept);
    return true;
}

static bool join_all(struct predicting *p, struct steptime_error *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct predicted_input *input = p->inputs[i];
        struct predicted_input *trace = input->file->execution ? partner_of(p, input) : NULL;
        if (trace && !join(p, trace, input, err))
            return false;
        input->joined = trace != NULL;
    }
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->inputs[i]->joined) {
            p->inputs[kept] = p->inputs[i];
            p->sources[kept++] = p->inputs[i]->source;
        }
    p->count = kept;
    return true;
}

/* In the order of the command line. */
static void gather(struct predicting *p)
{
    p->inputs = arena_array(&p->arena, p->read.taken, sizeof(struct predicted_input *));
    p->sources = arena_array(&p->arena, p->read.taken, sizeof *p->sources);
    for (uint32_t i = 0; i < p->read.count; i++)
        if (p->read.files[i].state == INPUT_TAKEN) {
            struct predicted_input *const input = p->read.files[i].result;
            input->source.slowed = step_times_slowed(&input->file->trust.times);
            p->inputs[p->count++] = input;
        }
}

bool predicting_read(struct predicting *p, struct steptime_error *err)
{
    p->reading = (struct inputs_asked){.context = p, .take = take, .made = is_made, .executions = true};
    if (!call_inputs(p->call, &p->reading, &p->read, err))
        return false;
    inputs_tell(&p->read, p->report);
    inputs_tell_trust(&p->read, p->report);
    gather(p);
    return join_all(p, err);
}

void predicting_close(struct predicting *p)
{
    what_if_close(&p->what_if);
    for (uint32_t i = 0; i < p->read.count; i++) {
        const struct predicted_input *input = p->read.files[i].result;
        if (input)
            programs_close(input->kept.programs);
    }
    inputs_close(&p->read);
    program_texts_free(p->texts);
    arena_free(&p->arena);
}
