/* SPDX-License-Identifier: Apache-2.0 */
/* What a training step would take. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "program/dlrm.h"
#include "program/list.h"
#include "cli/program/output.h"
#include "predict/answer/explain.h"
#include "predict/answer/predict_show.h"
#include "predict_rows.h"
#include "predict_what_if.h"
#include "cli/program/reading.h"
#include "read/read.h"
#include "trace/select.h"

/* A trace that is kept or read again, and what its steps share. */
struct opened_trace {
    struct trace *trace;
    struct work_classes *classes;
    struct programs *programs;
};

/* A file with its steps, which need nothing more of it. */
struct predicted_input {
    struct input_file *file;
    struct opened_trace kept; /* zeroed where the trace was dropped */
    struct predict_source source;
    bool is_trace;
    bool has_execution; /* an execution trace went to this trace */
    bool joined;        /* an execution trace that went to its trace */
};

static const char dlrm_prefix[] = "dlrm:", list_prefix[] = "list:";

struct predicting {
    const struct call *call;
    struct arena arena;
    struct inputs_asked reading;
    struct inputs read;
    struct program_texts *texts;
    struct predicted_input **inputs;
    uint32_t count;
    struct predict_source *sources;
    struct predict_asked asked; /* of the steps as they are */
    struct hardware hardware, recorded_on;
    struct what_if what_if;
    struct predict_explain *explain; /* NULL: nothing is asked */
    struct report *report;
};

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
        if (p->read.files[i].state == INPUT_TAKEN)
            p->inputs[p->count++] = p->read.files[i].result;
}

static bool read_all(struct predicting *p, struct steptime_error *err)
{
    p->reading = (struct inputs_asked){.context = p, .take = take, .made = is_made, .executions = true};
    if (!call_inputs(p->call, &p->reading, &p->read, err))
        return false;
    inputs_tell(&p->read, p->report);
    gather(p);
    return join_all(p, err);
}

static void close_all(struct predicting *p)
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

/* ---- what is asked ---- */

static bool any_untimed(const struct predicting *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->inputs[i]->is_trace)
            return true;
    return false;
}

/* The device of the steps as they are: the recorded one, else the one asked for. */
static bool find_hardware(struct predicting *p, struct steptime_error *err)
{
    const struct question *question = &p->what_if.question;
    const str device = predict_source_step(&p->sources[0], 0, &p->arena).device;
    p->what_if.device = device;
    if (device.len && hardware_recorded(device, &p->arena, &p->recorded_on, NULL))
        p->asked.plan.recorded_on = &p->recorded_on;
    const bool moves = question->hw.len || question->set_count;
    if (p->asked.plan.replay && moves && !p->asked.plan.recorded_on)
        return fail(err, STEPTIME_USAGE,
                    "the input does not say which known device it ran on, so it cannot be carried over to another; "
                    "--mode model needs only the one asked for");
    if (p->asked.plan.replay)
        return true;
    if (!device.len && !question->hw.len)
        return fail(err, STEPTIME_USAGE, "name the device with --hw: the input does not say which it ran on");
    p->asked.plan.hardware = &p->hardware;
    if (p->asked.plan.recorded_on || !question->hw.len)
        return hardware_recorded(device, &p->arena, &p->hardware, err);
    return hardware_find(question->hw, &p->arena, &p->hardware, err);
}

static bool find_asked(struct predicting *p, struct steptime_error *err)
{
    const char *mode = call_text(p->call, "mode"), *overheads = call_text(p->call, "overheads");
    const char *models = call_text(p->call, "models");
    p->asked.plan.with_profiler = !call_flag(p->call, "without-profiler");
    p->asked.plan.replay = mode ? !strcmp(mode, "replay") : !any_untimed(p);
    p->asked.plan.models = models ? models_load(str_of(models), &p->arena, err) : models_new(&p->arena);
    if (!p->asked.plan.models || !find_hardware(p, err))
        return false;
    p->asked.plan.overheads = overheads ? overheads_read(overheads, &p->arena, err) : NULL;
    return !overheads || p->asked.plan.overheads;
}

/* ---- the command ---- */

static void open_what_if(struct predicting *p)
{
    p->what_if.inputs = arena_array(&p->arena, p->count, sizeof *p->what_if.inputs);
    p->what_if.count = p->count;
    p->what_if.base = p->asked;
    for (uint32_t i = 0; i < p->count; i++)
        p->what_if.inputs[i] = (struct what_if_input){
            .source = &p->sources[i],
            .trace = p->inputs[i]->kept.trace,
            .classes = p->inputs[i]->kept.classes,
            .programs = p->inputs[i]->kept.programs,
        };
}

/* How far off predictions are is known of the steps as they are alone. */
static void take_errors(struct prediction *predictions, const struct prediction *as_is, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        predictions[i].error = as_is[i].error;
        predictions[i].bias = as_is[i].bias;
        predictions[i].tests = as_is[i].tests;
        predictions[i].rank_error = as_is[i].rank_error;
    }
}

static void look_on(const struct predicting *p, struct predict_asked *asked)
{
    asked->seen = p->explain ? predict_explain_see : NULL;
    asked->seen_context = p->explain;
}

static bool predict_question(struct predicting *p, struct prediction *predictions, struct predict_asked *asked,
                             struct steptime_error *err)
{
    struct prediction *as_is = arena_array(&p->arena, p->count, sizeof *as_is);
    *asked = p->asked;
    look_on(p, asked);
    if (question_is_empty(&p->what_if.question))
        return predict_all(p->sources, p->count, asked, &p->arena, predictions, err);
    p->asked.only_steps = true;
    if (!predict_all(p->sources, p->count, &p->asked, &p->arena, as_is, err) ||
        !what_if_asked(&p->what_if, &p->what_if.question, asked, err))
        return false;
    look_on(p, asked);
    if (!predict_all(p->sources, p->count, asked, &p->arena, predictions, err) || !what_if_met(&p->what_if, err))
        return false;
    take_errors(predictions, as_is, p->count);
    what_if_walked(&p->what_if, as_is, predictions);
    return true;
}

/* Of each rank: what its trace says of streams that wait for each other, and cannot be. */
static void warn_contradictions(struct predicting *p, const struct prediction *predictions)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (predictions[i].walked.contradicting)
            report_warning(p->report, predictions[i].path, -1,
                           str_printf(&p->arena,
                                      "%u waits of streams for work that was called later, and that waits for them, "
                                      "cannot be and are left out",
                                      predictions[i].walked.contradicting));
}

static void warn_apart(struct predicting *p, const struct prediction *predictions)
{
    const str why = predictions[0].apart;
    if (why.len)
        report_warning(p->report, predictions[0].path, -1,
                       str_printf(&p->arena, "each rank is walked alone: %.*s", (int)why.len, why.at));
}

static bool read_explain(struct predicting *p, struct steptime_error *err)
{
    const char *word = call_text(p->call, "explain");
    p->explain = word ? predict_explain_new(str_of(word), &p->arena) : NULL;
    return !word || p->explain ||
           fail(err, STEPTIME_USAGE, "no number is called '%s'; '--explain list' shows their names", word);
}

static bool predict_inputs(struct predicting *p, struct steptime_error *err)
{
    if (!output_check(p->call, err) || !read_explain(p, err) || !what_if_read(p->call, &p->arena, &p->what_if, err))
        return false;
    p->report = report_new(&p->arena, S("predict"));
    if (!read_all(p, err) || !find_asked(p, err))
        return false;
    open_what_if(p);
    struct predict_asked asked;
    struct prediction *predictions = arena_array(&p->arena, p->count, sizeof *predictions);
    if (!predict_question(p, predictions, &asked, err))
        return false;
    warn_apart(p, predictions);
    warn_contradictions(p, predictions);
    predict_show(predictions, p->count, &asked, p->report);
    if (p->explain)
        predict_explain_show(p->explain, predict_slowest(predictions, p->count), p->report);
    return what_if_show(&p->what_if, p->report, err) && output_report(p->call, p->report, err) &&
           inputs_whole(&p->read, err);
}

static enum steptime_code run_inputs(const struct call *call, struct steptime_error *err)
{
    struct predicting p = {.call = call, .texts = program_texts_new()};
    const bool good = predict_inputs(&p, err);
    close_all(&p);
    return good ? STEPTIME_OK : err->code;
}

/* `predict kernel` and `predict graph` read tables, unless a file bears that name. */
static bool asks_rows(const struct call *call, const char *word)
{
    return call_argument_count(call) == 1 && !strcmp(call_argument(call, 0), word) && access(word, F_OK) != 0;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    if (asks_rows(call, "kernel"))
        return predict_kernel(call, err);
    if (asks_rows(call, "graph"))
        return predict_graph(call, err);
    return run_inputs(call, err);
}

static const struct option options[] = {
    {"mode", 0, "MODE", "replay|model",
     "Where the time of device work comes from: from the recording (replay, the default for traces), or from kernel "
     "models (model, the default where none is recorded)."},
    {"overheads", 0, "FILE", NULL,
     "Take what operators cost the host from this table, as 'steptime overheads' writes it, not from the input."},
    {"models", 0, "FILE", NULL, "Take kernel models from this file of 'steptime model fit'."},
    {"without-profiler", 0, NULL, NULL,
     "Predict a step that nobody profiles. By default the profiler's cost is in, as it is in what was measured."},
    {"explain", 0, "ID", NULL,
     "Tell what a number means and which events, operators or steps are behind it: active_ns, wait, model_error ... "
     "'list' shows all names."},
    {"each", 0, NULL, NULL, "Of 'predict graph': a row an operator, with the column predicted_us, not a row a step."},
    {"input", 0, "FILE", NULL, "The table of 'predict kernel' and 'predict graph'; - is standard input."},
    {0},
};

const struct command command_predict = {
    .name = "predict",
    .arguments = "TRACE|ET|DIR... | kernel | graph",
    .brief = "what a training step takes: predicted from its operators",
    .about =
        "Predicts the time of a training step from its operators: what each costs the host, when its work begins on "
        "which stream, and how long that takes. Shows it beside what was measured, with an error bar from "
        "back-testing inside the trace (a step predicted from the one beside it, a rank from the others), and the "
        "operators without which a step would be the most shorter.\n\nThe input is a trace with steps, or an execution "
        "trace, which has no times: then kernel models say how long the work takes, and --hw on which device. An "
        "execution trace beside the trace of its rank gives that its shapes and data. Ranks of one job whose collectives match are "
        "walked together: each waits for the others.\n\n"
        "Questions (what if) compose. Where steps were recorded they are answered by replaying the recording with what "
        "the question changes, else by the walk; doc/numbers/what-if.md has each with its formula and limits.\n\n"
        "A model from its sizes is dlrm:NAME or dlrm:FILE.toml, with @BATCH behind; a step of a table of operators is "
        "list:FILE.csv, with @MODEL,MODE,SEQ,BATCH behind or the first of them, else the first step in it.\n\n"
        "Of tables: 'predict kernel --input FILE' adds the column predicted_us to a table of kernels; 'predict graph --input "
        "FILE' adds up tables of operators.",
    .examples =
        "steptime predict trace.json.gz|the step as it is, and how far off the prediction is\n"
        "steptime predict --explain idle_ns trace.json.gz|the gaps of the device and what ends them\n"
        "steptime predict --mode model trace.json.gz|with modelled instead of recorded device work\n"
        "steptime predict --hw V100 et.json.gz|an execution trace on a device\n"
        "steptime predict --no-sync --cpu-speed 2 trace.json.gz|without waits of the host, which is twice as fast\n"
        "steptime predict --sweep batch=512..8192 --format html -o batch.html trace.json.gz|a curve\n"
        "steptime predict list:operators.csv@bert_large,train --hw H100|a step of a table of operators, the host with it\n"
        "steptime predict kernel --input kernels.csv --hw H100|a table of kernels",
    .shared = SHARED_OUTPUT | SHARED_TRACE | SHARED_QUESTION,
    .options = options,
    .run = run,
};
