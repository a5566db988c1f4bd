/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "straggler_mix.h"
#include "straggler_net.h"

/* Workers whose what-if is walked; of all others only the estimate of worker_slowdown is given. */
enum { WORKERS_WALKED = 16 };

/* What all what-ifs share. */
struct trial {
    const struct operations *operations;
    const struct straggler_plan *plan;
    struct type_classes classes;
    struct straggler_net net;
    const int64_t *original, *ideal; /* works */
    int64_t *mixed;
    double *step_s; /* of the last walk */
    bool told;      /* all walks were of steps that can be told */
    struct arena *arena;
};

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static void walk(struct trial *trial, const int64_t *work, double *step_s)
{
    trial->told = straggler_walk(&trial->net, work, step_s) && trial->told;
}

/* The mean step with the selected cells of one kind and all others of the other. */
static double walk_mixed(struct trial *trial, struct selection selection, const int64_t *chosen, const int64_t *others)
{
    mix_works(trial->plan, &trial->classes, selection, chosen, others, trial->mixed);
    walk(trial, trial->mixed, trial->step_s);
    return mean(trial->step_s, trial->operations->steps);
}

static struct returned returned_by(struct trial *trial, const struct stragglers *stragglers, struct selection selection)
{
    struct returned returned = {.ideal_s = stragglers->mean_ideal_s, .original_s = stragglers->mean_original_s};
    returned.fixed_s = walk_mixed(trial, selection, trial->ideal, trial->original);
    returned.left_s = walk_mixed(trial, selection, trial->original, trial->ideal);
    const double lost_s = returned.original_s - returned.ideal_s;
    returned.share = lost_s != 0 ? (returned.original_s - returned.fixed_s) / lost_s : NAN;
    return returned;
}

/* ---- what-ifs ---- */

static struct straggler_what_if what_if(struct trial *trial, const struct stragglers *stragglers,
                                        struct selection selection, str what)
{
    const struct returned returned = returned_by(trial, stragglers, selection);
    double *step_slowdown = arena_array(trial->arena, stragglers->steps, sizeof *step_slowdown);
    for (uint32_t i = 0; i < stragglers->steps; i++)
        step_slowdown[i] =
            trial->step_s[i] / stragglers->ideal_s[i]; /* of the walk that left these slow, the last one */
    return (struct straggler_what_if){.what = what,
                                      .slowdown = returned.left_s / returned.ideal_s,
                                      .step_s = returned.fixed_s,
                                      .returned = returned.share,
                                      .step_slowdown = step_slowdown};
}

static str number_name(struct trial *trial, const char *kind, const int64_t *numbers, uint32_t number)
{
    return str_printf(trial->arena, "%s %lld", kind, (long long)numbers[number]);
}

static struct what_ifs by_type(struct trial *trial, const struct stragglers *stragglers)
{
    struct straggler_what_if *rows = arena_array(trial->arena, trial->classes.count, sizeof *rows);
    for (uint32_t i = 0; i < trial->classes.count; i++)
        rows[i] =
            what_if(trial, stragglers, (struct selection){.by = SELECT_CLASS, .number = i}, trial->classes.names[i]);
    return (struct what_ifs){rows, trial->classes.count};
}

static struct what_ifs by_replica(struct trial *trial, const struct stragglers *stragglers)
{
    struct straggler_what_if *rows = arena_array(trial->arena, stragglers->replicas, sizeof *rows);
    for (uint32_t i = 0; i < stragglers->replicas; i++)
        rows[i] = what_if(trial, stragglers, (struct selection){.by = SELECT_REPLICA, .number = i},
                          number_name(trial, "replica", stragglers->replica_numbers, i));
    return (struct what_ifs){rows, stragglers->replicas};
}

static struct what_ifs by_stage(struct trial *trial, const struct stragglers *stragglers)
{
    struct straggler_what_if *rows = arena_array(trial->arena, stragglers->stages, sizeof *rows);
    for (uint32_t i = 0; i < stragglers->stages; i++)
        rows[i] = what_if(trial, stragglers, (struct selection){.by = SELECT_STAGE, .number = i},
                          number_name(trial, "stage", stragglers->stage_numbers, i));
    return (struct what_ifs){rows, stragglers->stages};
}

/* ---- workers ---- */

static const double *worker_slowdowns(const struct stragglers *stragglers, struct arena *arena)
{
    double *slowdown = arena_array(arena, (size_t)stragglers->stages * stragglers->replicas, sizeof *slowdown);
    for (uint32_t stage = 0; stage < stragglers->stages; stage++)
        for (uint32_t replica = 0; replica < stragglers->replicas; replica++)
            slowdown[stage * stragglers->replicas + replica] =
                fmin(stragglers->by_stage.at[stage].slowdown, stragglers->by_replica.at[replica].slowdown);
    return slowdown;
}

struct ranked {
    double slowdown;
    uint32_t worker;
};

/* By falling slowdown; equal ones, and those that have none, by stage and replica. */
static int slower_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->slowdown > b->slowdown || a->slowdown < b->slowdown)
        return a->slowdown > b->slowdown ? -1 : 1;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

static const struct ranked *slowest_first(const struct stragglers *stragglers, struct arena *arena)
{
    const uint32_t workers = stragglers->stages * stragglers->replicas;
    struct ranked *order = arena_array(arena, workers, sizeof *order);
    for (uint32_t i = 0; i < workers; i++) {
        const double slowdown = stragglers->worker_slowdown[i];
        order[i] = (struct ranked){isnan(slowdown) ? -1 : slowdown, i};
    }
    qsort(order, workers, sizeof *order, slower_first);
    return order;
}

/* The slowest 3 % of workers, at least one, made ideal: M_W. */
static struct returned fix_slowest(struct trial *trial, const struct stragglers *stragglers, const struct ranked *order)
{
    struct arena scratch = {0};
    const uint32_t workers = stragglers->stages * stragglers->replicas, count = (workers * 3 + 99) / 100;
    bool *marks = arena_array(&scratch, workers, sizeof *marks);
    for (uint32_t i = 0; i < count; i++)
        marks[order[i].worker] = true;
    const struct returned returned =
        returned_by(trial, stragglers, (struct selection){.by = SELECT_WORKERS, .workers = marks});
    arena_free(&scratch);
    return returned;
}

static struct what_ifs by_worker(struct trial *trial, const struct stragglers *stragglers, const struct ranked *order)
{
    struct arena scratch = {0};
    const uint32_t workers = stragglers->stages * stragglers->replicas;
    const uint32_t count = workers < WORKERS_WALKED ? workers : WORKERS_WALKED;
    struct straggler_what_if *rows = arena_array(trial->arena, count, sizeof *rows);
    bool *marks = arena_array(&scratch, workers, sizeof *marks);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t worker = order[i].worker;
        marks[worker] = true;
        const str what = str_printf(trial->arena, "replica %lld stage %lld",
                                    (long long)stragglers->replica_numbers[worker % stragglers->replicas],
                                    (long long)stragglers->stage_numbers[worker / stragglers->replicas]);
        rows[i] = what_if(trial, stragglers, (struct selection){.by = SELECT_WORKERS, .workers = marks}, what);
        marks[worker] = false;
    }
    arena_free(&scratch);
    return (struct what_ifs){rows, count};
}

/* ---- steps ---- */

/* From the first start to the last end of each step, as recorded. */
static const double *recorded_steps(const struct operations *operations, struct arena *arena)
{
    double *first_s = arena_array(arena, operations->steps, sizeof *first_s);
    double *length_s = arena_array(arena, operations->steps, sizeof *length_s);
    for (uint32_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->at[i];
        const bool begins = !i || operation->step != operations->at[i - 1].step;
        double *first = &first_s[operation->step], *last = &length_s[operation->step];
        *first = begins ? operation->start_s : fmin(*first, operation->start_s);
        const double end_s = operation->start_s + operation->duration_s;
        *last = begins ? end_s : fmax(*last, end_s);
    }
    for (uint32_t i = 0; i < operations->steps; i++)
        length_s[i] -= first_s[i];
    return length_s;
}

static const double *walked_steps(struct trial *trial, const int64_t *work)
{
    double *step_s = arena_array(trial->arena, trial->operations->steps, sizeof *step_s);
    walk(trial, work, step_s);
    return step_s;
}

static struct stragglers compare_steps(struct trial *trial)
{
    const struct operations *operations = trial->operations;
    struct stragglers stragglers = {.steps = operations->steps,
                                    .stages = operations->stages,
                                    .replicas = operations->replicas,
                                    .step_numbers = operations->step_numbers,
                                    .stage_numbers = operations->stage_numbers,
                                    .replica_numbers = operations->replica_numbers,
                                    .recorded_s = recorded_steps(operations, trial->arena),
                                    .original_s = walked_steps(trial, trial->original),
                                    .ideal_s = walked_steps(trial, trial->ideal),
                                    .dropped = operations->dropped,
                                    .strangers = trial->plan->strangers};
    stragglers.mean_recorded_s = mean(stragglers.recorded_s, stragglers.steps);
    stragglers.mean_original_s = mean(stragglers.original_s, stragglers.steps);
    stragglers.mean_ideal_s = mean(stragglers.ideal_s, stragglers.steps);
    stragglers.slowdown = stragglers.mean_original_s / stragglers.mean_ideal_s;
    stragglers.launch_slowdown = stragglers.mean_recorded_s / stragglers.mean_original_s;
    return stragglers;
}

/* What is all of the job says nothing of a part of it. */
static void leave_out_single(struct stragglers *stragglers)
{
    if (stragglers->stages == 1) {
        stragglers->by_stage.count = stragglers->workers.count = 0; /* workers are the replicas */
        stragglers->last_stage.share = NAN;
    }
    if (stragglers->replicas == 1)
        stragglers->by_replica.count = stragglers->workers.count = 0; /* workers are the stages */
}

static void ask_all(struct trial *trial, struct stragglers *stragglers)
{
    struct arena scratch = {0};
    stragglers->types = by_type(trial, stragglers);
    stragglers->by_replica = by_replica(trial, stragglers);
    stragglers->by_stage = by_stage(trial, stragglers);
    stragglers->worker_slowdown = worker_slowdowns(stragglers, trial->arena);
    const struct ranked *order = slowest_first(stragglers, &scratch);
    stragglers->workers = by_worker(trial, stragglers, order);
    stragglers->slowest_workers = fix_slowest(trial, stragglers, order);
    stragglers->last_stage =
        returned_by(trial, stragglers, (struct selection){.by = SELECT_STAGE, .number = stragglers->stages - 1});
    leave_out_single(stragglers);
    arena_free(&scratch);
}

/* Each replica and stage is walked twice: cells of all walks, some minutes' worth at most. */
#define MOST_WALKED 5e10

static bool is_affordable(const struct straggler_plan *plan, const struct operations *operations,
                          struct steptime_error *err)
{
    const double walks = 2.0 * ((double)operations->replicas + operations->stages + operations->type_count);
    return walks * (double)plan_cells(plan) <= MOST_WALKED ||
           fail(err, STEPTIME_INPUT,
                "%u replicas of %u stages are too many to make each ideal in turn: take fewer steps",
                operations->replicas, operations->stages);
}

static struct trial trial_of(const struct operations *operations, const struct straggler_plan *plan,
                             struct arena *arena, struct arena *scratch)
{
    const double *recorded_s = recorded_works(operations, plan, scratch);
    const double *ideal_s = ideal_works(operations, plan, recorded_s, scratch);
    return (struct trial){.operations = operations,
                          .plan = plan,
                          .classes = type_classes(operations, arena),
                          .net = straggler_net_of(plan, scratch),
                          .original = works_as_ticks(plan, recorded_s, scratch),
                          .ideal = works_as_ticks(plan, ideal_s, scratch),
                          .mixed = arena_array(scratch, plan_cells(plan), sizeof(int64_t)),
                          .step_s = arena_array(scratch, operations->steps, sizeof(double)),
                          .told = true,
                          .arena = arena};
}

bool stragglers_of(const struct operations *operations, struct arena *arena, struct stragglers *stragglers,
                   struct steptime_error *err)
{
    struct arena scratch = {0};
    struct straggler_plan plan;
    bool good = straggler_plan(operations, &scratch, &plan, err) && is_affordable(&plan, operations, err);
    if (good) {
        struct trial trial = trial_of(operations, &plan, arena, &scratch);
        *stragglers = compare_steps(&trial);
        ask_all(&trial, stragglers);
        good = trial.told || fail(err, STEPTIME_INPUT, "a step takes longer than a hundred days, which is not told");
    }
    arena_free(&scratch);
    return good;
}
