/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator contributes to a step is not its time but what the step would
 * be shorter without it: work that hides behind other work contributes nothing.
 * So the plan is walked once more for each name, with its operators gone.
 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "measure.h"
#include "predict/plan/plan_doubt.h"
#include "predict_private.h"

enum { TRIED = 24 }; /* names with the most time, of which those that contribute most are shown */

struct names {
    struct intern *ids;
    struct predicted_operator *at; /* by id */
    double *longest_us;            /* by id: of what is not recorded */
    uint32_t *of_op;               /* by plan op: id; 0: outside any operator */
};

static void add_launch(struct names *names, uint32_t id, const struct plan_launch *launch)
{
    struct predicted_operator *into = &names->at[id];
    into->launches++;
    into->device_us += launch->us;
    if (launch->basis == TIMED_RECORDED)
        return;
    into->basis = launch->estimate.basis > into->basis ? launch->estimate.basis : into->basis;
    if (launch->us < names->longest_us[id])
        return;
    names->longest_us[id] = launch->us;
    into->from = launch->estimate.from;
    into->model = launch->estimate.model;
}

static void add_op(struct names *names, const struct plan *plan, const struct walked *walked, uint32_t i)
{
    const struct plan_op *op = &plan->ops[i];
    if (op->op == OP_NONE || op->gone)
        return;
    const str name = plan->program->ops[op->op].name;
    const uint32_t id = names->of_op[i] = intern_id(names->ids, name);
    struct predicted_operator *into = &names->at[id];
    into->name = name;
    into->calls++;
    into->host_us += walked->op_end_us[i] - walked->op_start_us[i];
    for (uint32_t k = 0; k < op->launches; k++) {
        const struct plan_launch *launch = &plan->launches[op->first_launch + k];
        if (!launch->gone)
            add_launch(names, id, launch);
    }
}

/* The device work of each name at the ends of its doubt. What was recorded has none. */
static void range_names(const struct names *names, const struct plan *plan, uint32_t count, double level)
{
    struct arena scratch = {0};
    struct estimate_sum *doubts = arena_array(&scratch, (size_t)count + 1, sizeof *doubts);
    for (uint32_t i = 0; i < plan->count; i++)
        plan_doubt_op(plan, &plan->ops[i], &doubts[names->of_op[i]]);
    for (uint32_t id = 0; id <= count; id++) {
        struct predicted_operator *op = &names->at[id];
        double shared, own;
        estimate_sum_sd(&doubts[id], &shared, &own);
        const double width = interval_half_width(hypot(shared, own), level);
        op->device.low_us = level > 0 ? op->device_us - doubts[id].us * (1 - exp(-width)) : -1;
        op->device.high_us = level > 0 ? op->device_us + doubts[id].us * (exp(width) - 1) : -1;
    }
    arena_free(&scratch);
}

static double weight(const struct predicted_operator *op)
{
    return op->host_us > op->device_us ? op->host_us : op->device_us;
}

static int by_weight(const void *a, const void *b)
{
    const double x = weight(a), y = weight(b);
    return (x < y) - (x > y);
}

static int by_contribution(const void *a, const void *b)
{
    const double x = ((const struct predicted_operator *)a)->without_us;
    const double y = ((const struct predicted_operator *)b)->without_us;
    return x != y ? (x < y) - (x > y) : by_weight(a, b);
}

static bool walk_without(struct plan *plan, const struct names *names, uint32_t id, double *step_us,
                         struct steptime_error *err)
{
    struct arena scratch = {0};
    bool *were_gone = arena_array(&scratch, plan->count, sizeof *were_gone);
    for (uint32_t i = 0; i < plan->count; i++) {
        were_gone[i] = plan->ops[i].gone;
        plan->ops[i].gone |= names->of_op[i] == id;
    }
    const bool good = walk_step_us(plan, step_us, err);
    for (uint32_t i = 0; i < plan->count; i++)
        plan->ops[i].gone = were_gone[i];
    arena_free(&scratch);
    return good;
}

static struct names open_names(const struct plan *plan, struct arena *scratch)
{
    const size_t most = (size_t)plan->count + 1;
    return (struct names){intern_new(), arena_array(scratch, most, sizeof(struct predicted_operator)),
                          arena_array(scratch, most, sizeof(double)), arena_array(scratch, most, sizeof(uint32_t))};
}

static bool rank_names(struct plan *plan, const struct walked *walked, double level, struct arena *arena,
                       struct prediction *into, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct names names = open_names(plan, &scratch);
    for (uint32_t i = 0; i < plan->count; i++)
        add_op(&names, plan, walked, i);
    const uint32_t all = intern_count(names.ids) - 1, tried = all < TRIED ? all : TRIED;
    struct predicted_operator *sorted = names.at + 1;
    range_names(&names, plan, all, level);
    qsort(sorted, all, sizeof *sorted, by_weight);
    bool good = true;
    for (uint32_t i = 0; i < tried && good; i++) {
        double step_us;
        uint32_t id = 0;
        intern_find(names.ids, sorted[i].name, &id);
        good = walk_without(plan, &names, id, &step_us, err);
        sorted[i].without_us = walked->step_us - step_us;
    }
    qsort(sorted, tried, sizeof *sorted, by_contribution);
    into->top_count = tried < PREDICTED_TOP ? tried : PREDICTED_TOP;
    for (uint32_t i = 0; i < into->top_count; i++) {
        into->top[i] = sorted[i];
        into->top[i].name = str_copy(arena, sorted[i].name);
    }
    intern_free(names.ids);
    arena_free(&scratch);
    return good;
}

bool find_top(const struct program *program, const struct predict_asked *asked, const struct overheads *overheads,
              struct arena *arena, struct prediction *into, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct plan plan;
    struct walked walked;
    bool good = predict_program(program, asked, overheads, &scratch, &plan, &walked, err);
    into->guessed = good ? plan.guessed : 0;
    into->launches = good ? plan.launch_count : 0;
    const struct plan_options *options = &asked->plan;
    const struct hardware *on = options->hardware ? options->hardware : options->recorded_on;
    into->row_count = good ? measure_find(&plan, options->models, on, arena, into->rows) : 0;
    good = good && rank_names(&plan, &walked, asked->level, arena, into, err);
    arena_free(&scratch);
    return good;
}
