/* SPDX-License-Identifier: Apache-2.0 */
/* What a training step would take. */
#include <math.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "cli/program/user_models.h"
#include "predict/answer/explain.h"
#include "predict/answer/predict_show.h"
#include "predict_rows.h"
#include "predicting.h"

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
    if (!predict_level(p->call, &p->asked.level, err))
        return false;
    if (!predict_per_hour(p->call, &p->asked.per_hour, err))
        return false;
    p->asked.per_hour = isnan(p->asked.per_hour) ? 0 : p->asked.per_hour;
    p->asked.plan.with_profiler = !call_flag(p->call, "without-profiler");
    p->asked.plan.replay = mode ? !strcmp(mode, "replay") : !any_untimed(p);
    p->asked.plan.models = models_of_call(p->call, &p->arena, err);
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
    if (question_is_empty(&p->what_if.question)) {
        const bool good = predict_all(p->sources, p->count, asked, &p->arena, predictions, err);
        what_if_walked(&p->what_if, predictions, NULL);
        return good;
    }
    p->asked.only_steps = true;
    if (!predict_all(p->sources, p->count, &p->asked, &p->arena, as_is, err) ||
        !what_if_asked(&p->what_if, &p->what_if.question, asked, err))
        return false;
    look_on(p, asked);
    if (!predict_all(p->sources, p->count, asked, &p->arena, predictions, err) || !what_if_met(&p->what_if, err))
        return false;
    predict_take_errors(predictions, as_is, p->count);
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

/* Of several ranks: what is doubtful of who met whom, and what was not found on the others. */
static void warn_meetings(struct predicting *p, const struct prediction *predictions)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct walked *walked = &predictions[i].walked;
        const str words = match_doubt_words(&walked->doubt, &p->arena);
        if (words.len)
            report_warning(p->report, predictions[i].path, -1, words);
        if (walked->unmet)
            report_warning(p->report, predictions[i].path, -1,
                           str_printf(&p->arena,
                                      "%u collectives are not found on all ranks of their group: each takes what was "
                                      "recorded, and waits for nobody",
                                      walked->unmet));
    }
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
    if (!predicting_read(p, err) || !find_asked(p, err))
        return false;
    open_what_if(p);
    struct predict_asked asked;
    struct prediction *predictions = arena_array(&p->arena, p->count, sizeof *predictions);
    if (!predict_question(p, predictions, &asked, err) || !what_if_answer(&p->what_if, predictions, err))
        return false;
    warn_apart(p, predictions);
    warn_contradictions(p, predictions);
    warn_meetings(p, predictions);
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
    predicting_close(&p);
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

static void list(struct report *report)
{
    predict_explain_show(predict_explain_new(S("list"), report_arena(report)), NULL, report);
}

static const struct option options[] = {
    {"mode", 0, "MODE", "replay|model",
     "Where the time of device work comes from: from the recording (replay, the default for traces), or from kernel "
     "models (model, the default where none is recorded)."},
    {"overheads", 0, "FILE", NULL,
     "Take what operators cost the host from this table, as 'steptime overheads' writes it, not from the input."},
    {"models", 0, "FILE", NULL, "Take kernel models from this file of 'steptime model fit'."},
    {"without-profiler", 0, NULL, NULL,
     "Predict a step without the profiler. By default the profiler's cost is in, as it is in what was measured."},
    {"explain", 0, "ID", NULL,
     "Tell what a number means and which events, operators or steps are behind it: active_ns, wait, model_error ... "
     "'list' shows all names."},
    {"level", 0, "SHARE", NULL,
     "How many of the true times are to lie within the intervals that stand beside predictions: 0.9 by default."},
    {"per-hour", 0, "PRICE", NULL,
     "The price of a GPU for an hour, in whatever money: a step is told in it, too, beside its joules, and each value of a sweep."},
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
        "operators whose removal would shorten a step most.\n\nThe input is a trace with steps, or an execution "
        "trace, which has no times: then kernel models say how long the work takes, and --hw on which device. An "
        "execution trace beside the trace of its rank gives it shapes and data. Ranks of one job whose collectives "
        "match are "
        "walked together: each waits for the others.\n\n"
        "Questions (what if) compose. Where steps were recorded they are answered by replaying the recording with what "
        "the question changes, else by the walk; doc/numbers/what-if.md has each with its formula and limits.\n\n"
        "A model from its sizes is dlrm:NAME or dlrm:FILE.toml, with @BATCH behind; a step of a table of operators is "
        "list:FILE.csv, with @MODEL,MODE,SEQ,BATCH behind or the first of them, else the first step in it.\n\n"
        "Of tables: 'predict kernel --input FILE' adds to a table of kernels predicted_us, its interval (low_us, high_us), "
        "the basis and whose measurements it comes from, the board's watts meanwhile and the joules of a call with their "
        "interval, and what of a lone call is its launch (launch_us), which is of another host than yours; 'predict graph --input FILE' adds up tables of operators. Power was measured on B200 and GB200; for other "
        "devices it is carried by their board's power (watts_basis). A step of traces, execution traces and models has watts and "
        "joules, too, where the device is known, and so has each value of a sweep; --per-hour adds money.",
    .examples =
        "steptime predict trace.json.gz|the step as it is, and how far off the prediction is\n"
        "steptime predict --explain idle_ns trace.json.gz|the gaps of the device and what ends them\n"
        "steptime predict --mode model trace.json.gz|with modelled instead of recorded device work\n"
        "steptime predict --hw V100 et.json.gz|an execution trace on a device\n"
        "steptime predict --no-sync --cpu-speed 2 trace.json.gz|without waits of the host, which is twice as fast\n"
        "steptime predict --sweep batch=512..8192 --format html -o batch.html trace.json.gz|a curve\n"
        "steptime predict list:operators.csv@bert_large,train --hw H100|a step of a table of operators, the host with it\n"
        "steptime predict dlrm:mlperf --hw A100 --per-hour 2|a model from its sizes, in joules and money\n"
        "steptime predict kernel --input kernels.csv --hw H100|a table of kernels",
    .shared = SHARED_OUTPUT | SHARED_TRACE | SHARED_QUESTION,
    .options = options,
    .run = run,
    .list = list,
};
