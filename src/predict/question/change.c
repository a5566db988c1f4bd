/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"

#include <math.h>

#include "model/estimate/interval.h"

/* A star is tried with the shortest text first and lengthened where the rest does not fit: never more than pattern x name steps. */
static bool change_name_fits(str pattern, str name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, from = 0;
    while (n < name.len) {
        if (p < pattern.len && pattern.at[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.len && pattern.at[p] == name.at[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++from;
        } else
            return false;
    }
    while (p < pattern.len && pattern.at[p] == '*')
        p++;
    return p == pattern.len;
}

bool change_op_fits(const struct plan *plan, const struct plan_op *op, str pattern)
{
    return op->op != OP_NONE && change_name_fits(pattern, plan->program->ops[op->op].name);
}

static bool caller_fits(const struct program *program, uint32_t op, str pattern)
{
    for (; op != OP_NONE && !program->ops[op].label; op = program->ops[op].parent)
        if (change_name_fits(pattern, program->ops[op].name))
            return true;
    return false;
}

bool change_launch_fits(const struct plan *plan, const struct plan_launch *launch, str pattern)
{
    const struct program *program = plan->program;
    if (launch->source == PLAN_NONE)
        return change_op_fits(plan, &plan->ops[launch->op], pattern);
    const struct program_launch *recorded = &program->launches[launch->source];
    return change_name_fits(pattern, recorded->kernel) || caller_fits(program, recorded->op, pattern);
}

bool change_op_waits(const struct plan *plan, const struct plan_op *op)
{
    if (op->wait_stream != WAITS_FOR_NOTHING)
        return true;
    for (uint32_t i = 0; i < op->launches; i++)
        if (plan->launches[op->first_launch + i].wait_stream != WAITS_FOR_NOTHING)
            return true;
    return false;
}

static bool estimated(const struct question_context *context, struct kernels kernels, double *us)
{
    struct estimate estimate;
    *us = 0;
    for (uint32_t i = 0; i < kernels.count; i++) {
        if (!context->models || !context->hardware ||
            !models_estimate(context->models, context->hardware, &kernels.at[i], &estimate, NULL))
            return false;
        *us += estimate.us;
    }
    return *us > 0;
}

static double bytes_of(struct kernels kernels)
{
    double bytes = 0;
    for (uint32_t i = 0; i < kernels.count; i++)
        bytes += kernel_bytes(&kernels.at[i]);
    return bytes;
}

double change_ratio(const struct question_context *context, struct kernels from, struct kernels to, bool *known)
{
    double before, after;
    *known = true;
    if (estimated(context, from, &before) && estimated(context, to, &after))
        return after / before;
    before = bytes_of(from);
    after = bytes_of(to);
    *known = before > 0 && after > 0;
    return *known ? after / before : 1;
}

struct change_units change_units_of(const struct plan *plan, struct arena *arena)
{
    const struct program *program = plan->program;
    struct change_units all = {*units_known(plan->units, program, arena),
                               arena_array(arena, plan->launch_count, sizeof(uint32_t))};
    struct arena scratch = {0};
    uint32_t *of_source = arena_array(&scratch, program->launch_count, sizeof *of_source);
    memset(of_source, 0xFF, program->launch_count * sizeof *of_source);
    for (uint32_t i = 0; i < all.units.count; i++) {
        const struct program_op *op = &program->ops[all.units.at[i].op];
        for (uint32_t k = 0; k < op->launches; k++)
            of_source[op->first_launch + k] = i;
    }
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const uint32_t source = plan->launches[i].source;
        all.of_launch[i] = source == PLAN_NONE ? (uint32_t)PLAN_NONE : of_source[source];
    }
    arena_free(&scratch);
    return all;
}

struct kernels change_kernels_of(const struct change_units *units, const struct plan *plan, uint32_t launch)
{
    const uint32_t unit = units->of_launch[launch];
    if (unit != PLAN_NONE)
        return (struct kernels){units->units.at[unit].lowering.kernels, units->units.at[unit].lowering.count};
    const struct plan_launch *supposed = &plan->launches[launch];
    return (struct kernels){&supposed->kernel, supposed->has_kernel};
}

void change_suppose(struct plan_launch *launch, double ratio)
{
    launch->us *= ratio;
    if (launch->basis != TIMED_RECORDED || ratio == 1)
        return;
    launch->basis = TIMED_SCALED;
    launch->estimate = (struct estimate){.us = launch->us, .error = NAN, .family = ESTIMATE_NO_FAMILY};
}

/* No table of changes was measured: by how much a time changes may be a third off. */
static const double doubt_of_change = 0.33;

void change_stretch(struct plan_launch *launch, double ratio)
{
    change_suppose(launch, ratio);
    if (ratio == 1 || ratio <= 0)
        return;
    launch->estimate.error = NAN;
    launch->estimate.shared = hypot(launch->estimate.shared, doubt_of_change * log(ratio));
}
