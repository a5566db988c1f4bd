/* SPDX-License-Identifier: Apache-2.0 */
#include "predict_what_if.h"

#include <math.h>

#include "breakdown/ranks/ranks_host_waits.h"
#include "breakdown/verdict/lab.h"

bool what_if_read(const struct call *call, struct arena *arena, struct what_if *w, struct steptime_error *err)
{
    w->arena = arena;
    w->selection = call_selection(call);
    return asked_question(call, arena, &w->question, err) && asked_sweep(call, arena, &w->sweep, &w->swept, err);
}

void what_if_close(struct what_if *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        graph_free(w->inputs[i].graph);
}

/* ---- the question as a change of plans ---- */

/* NULL: the program is of no trace. */
static struct what_if_input *input_of(const struct what_if *w, const struct program *program)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct trace *trace = w->inputs[i].trace;
        if (trace && str_eq(trace->info.path, program->path))
            return &w->inputs[i];
    }
    return NULL;
}

/* What is told of the first plan of the question on the command line is kept. */
static void keep_told(struct what_if *w, const struct question_told *told)
{
    if (w->current != &w->question || w->told.count)
        return;
    w->told.lines = arena_array(w->arena, told->count, sizeof *w->told.lines);
    for (uint32_t i = 0; i < told->count; i++)
        w->told.lines[w->told.count++] = str_copy(w->arena, told->lines[i]);
}

/* ---- what is known of a recording ---- */

/* Of what the training thread does in those steps. */
static double kept_share(const struct what_if_input *input)
{
    const struct graph *graph = input->graph;
    const struct step *first = graph->trace->steps + input->range.first, *last = first + input->range.count - 1;
    double kept = 0, all = 0;
    for (uint32_t node = 0; input->kept_ns && input->range.count && node < graph->net.count; node++) {
        const int64_t start = graph->net.start[node];
        if (graph->net.kind[node] == NODE_DEVICE || graph_lane(graph, node) != graph->main_lane ||
            start < first->start_ns || start >= last->end_ns)
            continue;
        kept += (double)input->kept_ns[node];
        all += (double)graph->net.work[node];
    }
    return all > 0 ? kept / all : 0;
}

/* What every question to this rank needs. */
static void open_graph(const struct what_if *w, struct what_if_input *input)
{
    struct arena scratch = {0};
    if (input->graph)
        return;
    const struct judged_rows rows = {.classes = input->classes, .phases = phases_of(input->trace, &scratch)};
    input->graph = graph_new_phased(input->trace, input->classes, rows.phases);
    const struct lab *lab = lab_open_known(input->graph, &rows, w->selection, &scratch);
    input->range = lab->judged.range;
    input->kept_ns = charges_not_of_host(input->graph, &lab->charges, w->arena);
    input->explained = lab_explained(lab);
    input->kept = kept_share(input);
    arena_free(&scratch);
}

/* Recorded times are the profiler's, too, and what the host costs elsewhere is not recorded. */
bool what_if_can_replay(const struct what_if *w, const struct question *question)
{
    const struct plan_options *plan = &w->base.plan;
    bool recorded = plan->replay && plan->with_profiler && !plan->overheads && question_can_replay(question);
    for (uint32_t i = 0; i < w->count; i++)
        recorded = recorded && w->inputs[i].trace;
    return recorded;
}

/* A replay keeps it by itself. */
static double kept_of(const struct what_if *w, struct what_if_input *input)
{
    if (!input || w->current->cpu_speed <= 0 || what_if_can_replay(w, w->current))
        return 0;
    open_graph(w, input);
    return input->kept;
}

static bool change(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    struct what_if *w = (struct what_if *)context; /* the driver knows it as constant; counts and words are ours */
    const bool known = plan->hardware.name.len || w->hardware.name.len;
    struct what_if_input *input = input_of(w, plan->program);
    const struct question_context with = {
        .models = w->base.plan.models,
        .hardware = known ? (w->hardware.name.len ? &w->hardware : &plan->hardware) : NULL,
        .options = &w->plan,
        .trace = input ? input->trace : NULL,
        .kept = kept_of(w, input),
        .met = w->met,
    };
    struct question_told told;
    if (!question_apply(w->current, &with, plan, arena, &told, err))
        return false;
    keep_told(w, &told);
    return true;
}

/* The device that changes are estimated on: the one asked for, else the recorded one. */
static void find_device(struct what_if *w, const struct predict_asked *asked)
{
    w->hardware = (struct hardware){0};
    if (asked->plan.hardware)
        w->hardware = *asked->plan.hardware;
    else if (asked->plan.recorded_on)
        w->hardware = *asked->plan.recorded_on;
}

bool what_if_asked(struct what_if *w, const struct question *question, struct predict_asked *asked,
                   struct steptime_error *err)
{
    struct hardware *hardware = arena_alloc(w->arena, sizeof *hardware);
    bool given;
    *asked = w->base;
    if (!question_hardware(question, w->device, w->arena, hardware, &given, err))
        return false;
    if (given)
        asked->plan.hardware = hardware;
    find_device(w, asked);
    w->plan = asked->plan;
    w->current = question;
    w->met = arena_array(w->arena, question_names(question) + 1, sizeof *w->met);
    asked->change = change;
    asked->context = w;
    return true;
}

bool what_if_met(const struct what_if *w, struct steptime_error *err)
{
    return question_check_met(w->current, w->met, err);
}

/* ---- one answer ---- */

static struct predicted_point point_of(const struct prediction *prediction)
{
    const struct walked *walked = &prediction->walked;
    return (struct predicted_point){
        .step_us = walked->step_us,
        .host_us = walked->host_us,
        .active_us = walked->active_us,
        .idle_us = walked->idle_us,
        .exposed_us = walked->exposed_communication_us,
        .low_us = prediction->range.low_us,
        .high_us = prediction->range.high_us,
        .estimates_low_us = prediction->estimates.low_us,
        .estimates_high_us = prediction->estimates.high_us,
        .steps_error = prediction->steps_error,
        .unlike = range_too_unlike(prediction->steps_error),
        .energy = prediction->energy,
        .estimated = prediction->modelled_us + prediction->guessed_us > 0,
    };
}

static struct predicted_point *points_of(const struct what_if *w, const struct prediction *predictions)
{
    struct predicted_point *points = arena_array(w->arena, w->count, sizeof *points);
    for (uint32_t i = 0; i < w->count; i++)
        points[i] = point_of(&predictions[i]);
    return points;
}

void what_if_walked(struct what_if *w, const struct prediction *without, const struct prediction *with)
{
    w->as_is = without;
    w->before = points_of(w, without);
    w->after = with ? points_of(w, with) : NULL;
}

static bool replay_one(struct what_if *w, struct what_if_input *input, uint32_t step, const struct predict_asked *asked,
                       struct replay *replay, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct program program = programs_step(input->programs, step, &scratch);
    struct plan before, after;
    const bool good = plan_of(&program, &w->base.plan, &scratch, &before, err) &&
                      plan_of(&program, &asked->plan, &scratch, &after, err) &&
                      asked->change(asked->context, &after, &scratch, err);
    if (good)
        replay_step(replay, &before, &after);
    arena_free(&scratch);
    return good;
}

/* All steps of the trace, whichever are looked at: the time from step to step is that of all. */
static bool fill_replay(struct what_if *w, struct what_if_input *input, const struct predict_asked *asked,
                        struct replay *replay, struct steptime_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < input->trace->step_count && good; i++)
        good = replay_one(w, input, i, asked, replay, err);
    return good;
}

/* Of each rank by the walk. */
static bool walk_inputs(const struct what_if *w, const struct predict_asked *asked, struct predicted_point **points,
                        struct steptime_error *err)
{
    struct arena scratch = {0};
    struct predict_asked steps = *asked;
    struct prediction *predictions = arena_array(&scratch, w->count, sizeof *predictions);
    steps.only_steps = true;
    steps.energy = true;
    const bool good = predict_all(w->inputs[0].source, w->count, &steps, &scratch, predictions, err);
    if (good) {
        predict_take_errors(predictions, w->as_is, w->count);
        *points = points_of(w, predictions);
    }
    arena_free(&scratch);
    return good;
}

/* The question on the command line was walked already, and its names have met what they name. */
static bool is_walked(const struct what_if *w, const struct question *question)
{
    return question == &w->question && w->after;
}

static bool find_after(struct what_if *w, const struct question *question, const struct predict_asked *asked,
                       struct predicted_point **after, struct steptime_error *err)
{
    if (!is_walked(w, question))
        return walk_inputs(w, asked, after, err);
    *after = w->after;
    return true;
}

/* Once, for all questions. */
static void find_waits(struct what_if *w)
{
    struct waiting_rank *ranks = arena_array(w->arena, w->count, sizeof *ranks);
    if (w->waits_found || w->count < 2)
        return;
    w->waits_found = true;
    for (uint32_t i = 0; i < w->count; i++) {
        open_graph(w, &w->inputs[i]);
        ranks[i] = (struct waiting_rank){.graph = w->inputs[i].graph, .classes = w->inputs[i].classes};
    }
    w->waits_doubt = waits_find(ranks, w->count, w->selection, w->arena);
    for (uint32_t i = 0; i < w->count; i++) {
        w->inputs[i].waits = ranks[i].waits;
        w->inputs[i].wait_count = ranks[i].wait_count;
    }
}

static bool open_replays(struct what_if *w, const struct predict_asked *asked, struct replay **replays,
                         struct steptime_error *err)
{
    find_waits(w);
    for (uint32_t i = 0; i < w->count; i++) {
        struct what_if_input *input = &w->inputs[i];
        open_graph(w, input);
        replays[i] = replay_new(input->graph, input->classes, input->range);
        replay_keep(replays[i], input->kept_ns);
        replay_waits(replays[i], input->waits, input->wait_count);
        if (!fill_replay(w, input, asked, replays[i], err))
            return false;
    }
    return true;
}

static bool is_more_doubtful(const struct match_doubt *a, const struct match_doubt *b)
{
    return (uint64_t)a->next * b->pairs > (uint64_t)b->next * a->pairs || (a->pairs && !b->pairs);
}

/* Together where the ranks meet, else each alone. */
static void run_replays(struct what_if *w, struct replay *const *replays, struct replayed *replayed)
{
    const double speed = w->current->cpu_speed;
    w->together = w->count > 1 && replay_run_together(replays, w->count, speed, w->arena, replayed, &w->doubt);
    if (is_more_doubtful(&w->waits_doubt, &w->doubt))
        w->doubt = w->waits_doubt;
    for (uint32_t i = 0; !w->together && i < w->count; i++)
        replayed[i] = replay_run(replays[i], speed, w->arena);
}

/* How far a walk is off says nothing of a replay: what is estimated of device work is as unsure in both. */
static struct predicted_range moved(const struct predicted_point *walked, struct predicted_range range, double from_us,
                                    double to_us)
{
    if (walked->estimated && to_us >= 0)
        range_moved(&range, from_us, to_us);
    else
        range = (struct predicted_range){-1, -1};
    return range;
}

/* What the replay leaves unexplained, and what the mean of the replayed steps may be off. */
static double error_of_replay(const struct what_if_input *input, const struct replayed *replayed, struct arena *arena)
{
    const uint32_t count = input->range.count;
    double *step_us = arena_array(arena, count, sizeof *step_us);
    for (uint32_t i = 0; i < count; i++)
        step_us[i] = (double)replayed->steps[i].step_ns / 1e3;
    return hypot(1 - input->explained, range_error_of_mean(step_us, count));
}

static struct predicted_range range_of_replay(const struct predicted_point *walked, double step_us, double error,
                                              double level)
{
    const struct predicted_range estimates = {walked->estimates_low_us, walked->estimates_high_us};
    const struct predicted_range range = moved(walked, estimates, walked->step_us, step_us);
    return range.high_us < 0 ? range : range_with_error(range, step_us, error, level);
}

static struct what_if_answer answer_replayed(const struct what_if *w, const struct what_if_input *input,
                                             const struct replayed *replayed, const struct predicted_point *walked)
{
    const double step = (double)replayed->replayed_ns / 1e3, active = (double)replayed->active_ns / 1e3;
    const double error = error_of_replay(input, replayed, w->arena);
    const struct predicted_range range = range_of_replay(walked, step, error, w->base.level);
    return (struct what_if_answer){
        .before = {.step_us = (double)replayed->recorded_ns / 1e3,
                   .active_us = (double)replayed->was_active_ns / 1e3,
                   .low_us = -1,
                   .high_us = -1},
        .walked = *walked,
        .after = {.step_us = step,
                  .host_us = (double)replayed->host_ns / 1e3,
                  .active_us = active,
                  .idle_us = fmax(step - active, 0),
                  .exposed_us = (double)replayed->exposed_ns / 1e3,
                  .low_us = range.low_us,
                  .high_us = range.high_us,
                  .steps_error = error,
                  .unlike = walked->estimates_high_us >= 0 && range_too_unlike(error),
                  .energy = walked->energy,
                  .estimated = walked->estimated},
        .communication_us = (double)replayed->communication_ns / 1e3,
        .steps = replayed->steps,
    };
}

static bool replay_inputs(struct what_if *w, const struct predict_asked *asked, struct what_if_answer *answers,
                          struct steptime_error *err)
{
    struct arena scratch = {0};
    struct replay **replays = arena_array(&scratch, w->count, sizeof *replays);
    struct replayed *replayed = arena_array(&scratch, w->count, sizeof *replayed);
    const bool good = open_replays(w, asked, replays, err);
    if (good)
        run_replays(w, replays, replayed);
    for (uint32_t i = 0; i < w->count; i++) {
        replay_free(replays[i]);
        if (good)
            answers[i] = answer_replayed(w, &w->inputs[i], &replayed[i], &answers[i].after);
    }
    arena_free(&scratch);
    return good;
}

bool what_if_ask(struct what_if *w, const struct question *question, struct what_if_answer *answers,
                 struct steptime_error *err)
{
    struct predict_asked asked;
    struct predicted_point *after;
    if (!what_if_asked(w, question, &asked, err) || !find_after(w, question, &asked, &after, err))
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        answers[i] = (struct what_if_answer){.before = w->before[i], .after = after[i]};
    if (what_if_can_replay(w, question) && !replay_inputs(w, &asked, answers, err))
        return false;
    return is_walked(w, question) || what_if_met(w, err);
}

const struct what_if_answer *what_if_slowest(const struct what_if_answer *answers, uint32_t count)
{
    const struct what_if_answer *slowest = answers;
    for (uint32_t i = 1; i < count; i++)
        if (answers[i].after.step_us > slowest->after.step_us)
            slowest = &answers[i];
    return slowest;
}

/* ---- in place of what was walked ---- */

/* Of a rank's steps those that were replayed. */
static void put_steps(const struct what_if_input *input, const struct what_if_answer *answer,
                      struct prediction *prediction)
{
    const struct step *first = &input->trace->steps[input->range.first];
    for (uint32_t i = 0, at = 0; i < prediction->step_count; i++) {
        struct predicted_step *step = &prediction->steps[i];
        const bool replayed = at < input->range.count && step->number == first[at].number;
        const double walked_us = step->step_us;
        step->step_us = replayed ? (double)answer->steps[at].step_ns / 1e3 : -1;
        step->active_us = replayed ? (double)answer->steps[at].active_ns / 1e3 : -1;
        step->range = moved(&answer->walked, step->range, walked_us, step->step_us);
        at += replayed;
    }
}

static void put_replayed(const struct what_if_input *input, const struct what_if_answer *answer,
                         struct prediction *prediction)
{
    prediction->replayed = true;
    prediction->replay_explains = input->explained;
    prediction->walk_step_us = prediction->walked.step_us;
    prediction->range = (struct predicted_range){answer->after.low_us, answer->after.high_us};
    prediction->steps_error = answer->after.steps_error;
    range_moved(&prediction->estimates, prediction->walked.step_us, answer->after.step_us);
    prediction->walked.step_us = answer->after.step_us;
    prediction->walked.host_us = answer->after.host_us;
    prediction->walked.active_us = answer->after.active_us;
    prediction->walked.idle_us = answer->after.idle_us;
    prediction->walked.communication_us = answer->communication_us;
    prediction->walked.exposed_communication_us = answer->after.exposed_us;
    prediction->walked.wait_us = -1;
    prediction->measured_us = prediction->finished_us = answer->before.step_us;
    prediction->measured_active_us = answer->before.active_us;
    prediction->held_us = 0;
    prediction->unprofiled_us = -1;
    prediction->host_share = 0;
    prediction->tests = 0;
    put_steps(input, answer, prediction);
}

/* A device alone, of steps that have none of their own, is no question: it is what they are predicted on. */
static bool asks_nothing(const struct what_if *w)
{
    struct question rest = w->question;
    if (!w->device.len && !rest.set_count)
        rest.hw = S("");
    return question_is_empty(&rest);
}

bool what_if_answer(struct what_if *w, struct prediction *predictions, struct steptime_error *err)
{
    if (asks_nothing(w))
        return true;
    w->answers = arena_array(w->arena, w->count, sizeof *w->answers);
    if (!what_if_ask(w, &w->question, w->answers, err))
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->answers[i].steps)
            put_replayed(&w->inputs[i], &w->answers[i], &predictions[i]);
    return true;
}
