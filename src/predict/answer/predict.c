/* SPDX-License-Identifier: Apache-2.0 */
#include "predict.h"

#include <math.h>

#include "host_share.h"
#include "predict_private.h"
#include "predict/host/overheads_left_out.h"
#include "predict/plan/units.h"

/* ---- overheads ---- */

static struct overhead_samples *samples_of_steps(const struct predict_source *source)
{
    struct overhead_samples *samples = overhead_samples_new();
    for (uint32_t i = 0; i < source->count; i++) {
        struct arena scratch = {0};
        const struct program program = predict_source_step(source, i, &scratch);
        overhead_samples_add(samples, &program);
        arena_free(&scratch);
    }
    return samples;
}

/* The samples are added to the pool too, where there is one. */
static const struct overheads *pooled_overheads(const struct predict_source *source, struct overhead_pool *pool,
                                                struct arena *arena)
{
    if (!source->timed)
        return NULL;
    struct overhead_samples *samples = samples_of_steps(source);
    const struct overheads *overheads = overheads_of(samples, arena);
    if (pool)
        overhead_pool_add(pool, samples);
    overhead_samples_free(samples);
    return overheads;
}

const struct overheads *overheads_of_steps(const struct predict_source *source, struct arena *arena)
{
    return pooled_overheads(source, NULL, arena);
}

/* ---- one program ---- */

/* The plan of a program after the change. */
static bool plan_program(const struct program *program, const struct predict_asked *asked,
                         const struct overheads *overheads, struct arena *arena, struct plan *plan,
                         struct steptime_error *err)
{
    struct plan_options options = asked->plan;
    options.overheads = overheads;
    return plan_of(program, &options, arena, plan, err) &&
           (!asked->change || asked->change(asked->context, plan, arena, err));
}

bool predict_program(const struct program *program, const struct predict_asked *asked,
                     const struct overheads *overheads, struct arena *arena, struct plan *plan, struct walked *walked,
                     struct steptime_error *err)
{
    return plan_program(program, asked, overheads, arena, plan, err) && walk(plan, arena, walked, err);
}

bool predict_step_us(const struct program *program, const struct predict_asked *asked,
                     const struct overheads *overheads, double *step_us, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct plan plan;
    const bool good =
        plan_program(program, asked, overheads, &scratch, &plan, err) && walk_step_us(&plan, step_us, err);
    arena_free(&scratch);
    return good;
}

/* ---- sums over the steps ---- */

void add_walked(struct walked *sum, const struct walked *walked, double share)
{
    sum->step_us += walked->step_us * share;
    sum->host_us += walked->host_us * share;
    sum->active_us += walked->active_us * share;
    sum->idle_us += walked->idle_us * share;
    sum->wait_us += walked->wait_us * share;
    sum->communication_us += walked->communication_us * share;
    sum->exposed_communication_us += walked->exposed_communication_us * share;
    sum->contradicting += walked->contradicting;
    sum->unmet += walked->unmet;
    if ((uint64_t)walked->doubt.next * sum->doubt.pairs >= (uint64_t)sum->doubt.next * walked->doubt.pairs)
        sum->doubt = walked->doubt;
}

/* Of work whose models were measured; the rest has no error that could be averaged in. */
static void add_model_error(struct prediction *prediction, const struct plan *plan, double share)
{
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *launch = &plan->launches[i];
        if (launch->gone || plan->ops[launch->op].gone ||
            (launch->basis != TIMED_MODEL && launch->basis != TIMED_SCALED))
            continue;
        if (isnan(launch->estimate.error))
            prediction->unmeasured_us += launch->us * share;
        else
            prediction->model_error += launch->estimate.error * launch->us * share;
    }
}

static void add_plan(struct prediction *prediction, const struct plan *plan, double share)
{
    prediction->recorded_us += plan->recorded_us * share;
    prediction->modelled_us += plan->modelled_us * share;
    prediction->guessed_us += plan->guessed_us * share;
    add_model_error(prediction, plan, share);
}

static double us_of(int64_t ns)
{
    return ns < 0 ? -1 : (double)ns / 1e3;
}

/* Steps differ little in what they draw, so of many some are looked at, evenly spread: the share of this one. */
static double energy_share(const struct predict_source *source, uint32_t step)
{
    enum { MOST_DRAWN = 8 };
    const uint32_t each = (source->count + MOST_DRAWN - 1) / MOST_DRAWN, drawn = (source->count + each - 1) / each;
    return step % each == 0 ? 1.0 / drawn : 0;
}

/* On the device asked for, else on the one of the recording. */
static void add_energy(const struct predict_asked *asked, const struct plan *plan, double share,
                       struct step_energy *energy)
{
    const struct plan_options *options = &asked->plan;
    const struct hardware *board = options->hardware ? options->hardware : options->recorded_on;
    if ((asked->only_steps && !asked->energy) || !(share > 0))
        return;
    if (!energy->board.name.len)
        *energy = step_energy_on(options->models, board);
    if (energy->known == ENERGY_KNOWN)
        plan_energy(plan, options->models, board, share, &energy->work);
}

static bool predict_step(const struct predict_source *source, const struct program *program, uint32_t at,
                         const struct predict_asked *asked, const struct overheads *overheads, struct prediction *into,
                         struct predicted_step *step, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct plan plan;
    struct walked walked;
    const bool good = predict_program(program, asked, overheads, &scratch, &plan, &walked, err);
    if (good) {
        predict_tell(asked, &(struct predict_seen){source->rank, source->count, false, &plan, &walked});
        add_walked(&into->walked, &walked, 1.0 / source->count);
        add_plan(into, &plan, 1.0 / source->count);
        add_energy(asked, &plan, energy_share(source, at), &into->energy);
        step->step_us = walked.step_us;
        step->active_us = walked.active_us;
        into->held_us += step->held_us / source->count;
    }
    const bool ranged = good && (!(asked->level > 0) || range_step(asked, overheads, &plan, step, into, err));
    arena_free(&scratch);
    return ranged;
}

static bool predict_unprofiled(const struct predict_source *source, const struct program *program,
                               const struct predict_asked *asked, const struct overheads *overheads,
                               struct prediction *into, struct steptime_error *err)
{
    struct predict_asked without = *asked;
    without.plan.with_profiler = into->host_share > 0;
    without.plan.host_share = into->host_share;
    double us;
    const bool good = predict_step_us(program, &without, overheads, &us, err);
    into->unprofiled_us += us / source->count;
    return good;
}

enum measure { MEASURED_STEP, MEASURED_ACTIVE, MEASURED_FINISHED };

static double mean_measured(const struct predicted_step *steps, uint32_t count, enum measure measure)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double us = measure == MEASURED_STEP     ? steps[i].measured_us
                          : measure == MEASURED_ACTIVE ? steps[i].measured_active_us
                                                       : steps[i].finished_us;
        if (us < 0)
            return -1;
        sum += us / count;
    }
    return sum;
}

/* The step is planned several times, and what its operators launch is the same each time. */
static struct predict_asked with_units(const struct predict_asked *asked, const struct program *program,
                                       struct arena *arena)
{
    struct predict_asked with = *asked;
    if (asked->plan.models && asked->plan.hardware)
        with.plan.units = units_known(NULL, program, arena);
    return with;
}

/* All that is asked of one step, while its program is there. */
static bool ask_step(const struct predict_source *source, uint32_t i, const struct predict_asked *asked,
                     const struct overheads *overheads, struct arena *arena, struct predicted_step *steps,
                     struct prediction *into, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct program program = predict_source_step(source, i, &scratch);
    steps[i].measured_active_us = us_of(program.active_ns);
    steps[i].held_us = us_of(program.held_ns);
    const struct predict_asked with = with_units(asked, &program, &scratch);
    const bool in_the_middle = i == source->count / 2;
    const bool good = predict_step(source, &program, i, &with, overheads, into, &steps[i], err) &&
                      (asked->only_steps || !in_the_middle || find_top(&program, &with, overheads, arena, into, err)) &&
                      (asked->only_steps || predict_unprofiled(source, &program, &with, overheads, into, err)) &&
                      (!can_test_steps(source, asked) || test_from_step(source, i, &program, &with, steps, err));
    arena_free(&scratch);
    return good;
}

static struct predicted_step *open_steps(const struct predict_source *source, struct arena *arena)
{
    struct predicted_step *steps = arena_array(arena, source->count, sizeof *steps);
    for (uint32_t i = 0; i < source->count; i++)
        steps[i] = (struct predicted_step){
            .number = source->steps[i].number,
            .measured_us = us_of(source->steps[i].wall_ns),
            .finished_us = source->steps[i].finished_us,
            .from_beside_us = -1,
            .range = {-1, -1},
        };
    return steps;
}

static bool predict_steps(const struct predict_source *source, const struct predict_asked *asked,
                          const struct overheads *overheads, struct arena *arena, struct prediction *into,
                          struct steptime_error *err)
{
    struct predicted_step *steps = open_steps(source, arena);
    for (uint32_t i = 0; i < source->count; i++)
        if (!ask_step(source, i, asked, overheads, arena, steps, into, err))
            return false;
    into->steps = steps;
    into->step_count = source->count;
    into->profiler_us = overheads && !asked->only_steps ? overheads_profiler_us(overheads) : 0;
    into->measured_us = mean_measured(steps, source->count, MEASURED_STEP);
    into->measured_active_us = mean_measured(steps, source->count, MEASURED_ACTIVE);
    into->finished_us = mean_measured(steps, source->count, MEASURED_FINISHED);
    const double measured_us = into->modelled_us - into->unmeasured_us;
    into->model_error = measured_us > 0 && into->model_error > 0 ? into->model_error / measured_us : NAN;
    if (can_test_steps(source, asked))
        sum_tests(steps, source->count, into);
    range_prediction(asked, into);
    return true;
}

/* ---- one rank ---- */

static void describe(const struct predict_source *source, const struct predict_asked *asked, struct prediction *into)
{
    *into = (struct prediction){
        .rank = source->rank, .path = source->path, .rank_error = NAN, .alone_us = -1, .slowed = source->slowed};
    if (!source->count)
        return;
    struct arena scratch = {0};
    const struct program program = predict_source_step(source, source->count / 2, &scratch);
    into->source = program.source;
    into->device = asked->plan.hardware ? asked->plan.hardware->name : program.device;
    into->launches = program.launch_count;
    into->without_shapes = program.without_shapes;
    into->unusable_sizes = program_unusable_sizes(&program);
    for (uint32_t op = 0; op < program.count; op++)
        into->operators += program_is_top(&program, op);
    arena_free(&scratch);
}

static bool predict_rank(const struct predict_source *source, const struct predict_asked *asked,
                         struct overhead_pool *pool, struct arena *arena, struct prediction *prediction,
                         struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct overheads *given = asked->plan.overheads;
    const struct overheads *own = given && !pool ? NULL : pooled_overheads(source, pool, &scratch);
    const struct overheads *overheads = given ? given : own;
    struct predict_asked with = *asked;
    describe(source, asked, prediction);
    bool good = asked->only_steps || host_share_of(source, asked, overheads, &prediction->host_share, err);
    if (!asked->plan.with_profiler && prediction->host_share > 0) { /* measured, so better than what an event costs */
        with.plan.with_profiler = true;
        with.plan.host_share = prediction->host_share;
    }
    good = good && predict_steps(source, &with, overheads, arena, prediction, err);
    arena_free(&scratch);
    return good;
}

bool predict(const struct predict_source *source, const struct predict_asked *asked, struct arena *arena,
             struct prediction *prediction, struct steptime_error *err)
{
    return predict_rank(source, asked, NULL, arena, prediction, err);
}

/* ---- all ranks ---- */

static bool mean_step_us(const struct predict_source *source, const struct predict_asked *asked,
                         const struct overheads *overheads, double *mean_us, struct steptime_error *err)
{
    bool good = true;
    double us;
    *mean_us = 0;
    for (uint32_t i = 0; i < source->count && good; i++) {
        struct arena scratch = {0};
        const struct program program = predict_source_step(source, i, &scratch);
        good = predict_step_us(&program, asked, overheads, &us, err);
        *mean_us += us / source->count;
        arena_free(&scratch);
    }
    return good;
}

/* With what the other ranks cost the host. */
static bool test_rank(const struct predict_source *source, const struct overheads_of_all *all,
                      const struct predict_asked *asked, struct prediction *into, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct overhead_samples *own = samples_of_steps(source);
    const struct overheads *overheads = overheads_without(all, own, &scratch);
    double us;
    const bool good = mean_step_us(source, asked, overheads, &us, err);
    if (into->finished_us > 0)
        into->rank_error = (us - into->finished_us) / into->finished_us;
    overhead_samples_free(own);
    arena_free(&scratch);
    return good;
}

static bool test_ranks(const struct predict_source *sources, uint32_t count, const struct overhead_pool *pool,
                       const struct predict_asked *asked, struct prediction *predictions, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct overheads_of_all *all = overheads_of_all_in(pool, &scratch);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = !sources[i].timed || test_rank(&sources[i], all, asked, &predictions[i], err);
    arena_free(&scratch);
    return good;
}

static void predict_job(const struct predict_source *sources, uint32_t count, const struct predict_asked *asked,
                        struct arena *arena, struct prediction *predictions)
{
    struct steptime_error why = {0};
    str *apart = &predictions[0].apart;
    switch (predict_job_kind(sources, count)) {
    case JOB_NONE:
        return;
    case JOB_MISSING_RANKS:
        *apart = S("other ranks of their groups are missing");
        return;
    case JOB_LONE_STEP:
        *apart = S("one recorded step does not tell how far apart the ranks began it");
        return;
    case JOB_OTHER_STEPS:
        *apart = S("the ranks have not recorded the same steps");
        return;
    case JOB_SAME_STEPS:
        if (!predict_together(sources, count, asked, predictions, &why))
            *apart = str_copy(arena, str_of(why.message));
    }
}

bool predict_all(const struct predict_source *sources, uint32_t count, const struct predict_asked *asked,
                 struct arena *arena, struct prediction *predictions, struct steptime_error *err)
{
    struct overhead_pool *pool = count > 1 && !asked->change ? overhead_pool_new() : NULL;
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = predict_rank(&sources[i], asked, pool, arena, &predictions[i], err);
    good = good && (!pool || test_ranks(sources, count, pool, asked, predictions, err));
    overhead_pool_free(pool);
    if (good)
        predict_job(sources, count, asked, arena, predictions);
    return good;
}
