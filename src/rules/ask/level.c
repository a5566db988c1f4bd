/* SPDX-License-Identifier: Apache-2.0 */
#include "level.h"

enum certainty gpu_certainty(const struct value *value)
{
    if (value->device == DEVICE_GPU)
        return GPU_SURE;
    if (value->device == DEVICE_CPU)
        return GPU_NO;
    return value->kind == VALUE_TENSOR ? GPU_GUESSED : GPU_NO;
}

static bool speaks_of(const struct context *context)
{
    return !context->on_error && !context->cpu_only && !context->in_worker && !context->asserts &&
           context->gate != GATE_FIRST;
}

static bool in_earnest(const struct context *context, const struct match *match)
{
    return !context->in_test && (!context->acting || match->not_needed) && context->gate != GATE_INTERVAL &&
           context->gate != GATE_FLAG;
}

static bool weighs(const struct context *context, const struct match *match)
{
    return context->pace == PACE_STEP && in_earnest(context, match);
}

bool level_of_run(const struct check *check, uint32_t node, struct match *match)
{
    const struct context context = context_of(check->project, check_site(check, node));
    if (!speaks_of(&context))
        return false;
    if (!in_earnest(&context, match))
        match->level = LEVEL_NOTE;
    return true;
}

bool level_at(const struct check *check, uint32_t node, enum certainty gpu, struct match *match)
{
    if (gpu == GPU_NO)
        return false;
    const struct context context = context_of(check->project, check_site(check, node));
    if (!speaks_of(&context))
        return false;
    if (match->level > LEVEL_NOTE && (gpu == GPU_GUESSED || !weighs(&context, match)))
        match->level = LEVEL_NOTE;
    return true;
}
