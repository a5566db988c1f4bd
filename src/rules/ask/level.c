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

static const char *rare_pace(enum pace pace)
{
    switch (pace) {
    case PACE_STEP:
        return NULL;
    case PACE_EVALUATION:
        return "it runs in an evaluation";
    case PACE_EPOCH:
        return "it runs once an epoch";
    case PACE_ONCE:
        return "it runs once";
    default:
        return "nothing in the files linted calls it in a training step";
    }
}

/* What makes an evaluation of it, or the loop or call through which it came to its pace. */
static struct site paced_by(const struct check *check, const struct context *context, struct site site)
{
    if (context->pace == PACE_EVALUATION && !site_is_none(context->untrained_at))
        return context->untrained_at;
    const struct way_in way = context_way_in(check->project, site);
    if (way.kind == WAY_LOOP || way.kind == WAY_CALL || way.kind == WAY_LEARNER)
        return way.at;
    const uint32_t function = syntax_function(check->tree, site.node);
    return function == SYNTAX_NONE ? site : check_site(check, function);
}

static void break_unreached(const struct context *context, struct match *match)
{
    if (context->gate == GATE_UNREACHED)
        match_break(match, LINK_PACE, "no program in the files linted comes to it", context->gate_at);
}

void level_of_loader(const struct check *check, uint32_t call, struct match *match)
{
    const struct context context = context_of(check->project, check_site(check, call));
    match->of_run = true;
    match->runs_at = call;
    break_unreached(&context, match);
}

/* What holds of a line that speaks of all steps too. */
static void break_anyhow(const struct check *check, const struct context *context, uint32_t node, struct match *match)
{
    if (context->in_test)
        match_break(match, LINK_PACE, "it is in a file of tests, which trains a few steps", check_site(check, node));
    if (context->gate == GATE_INTERVAL)
        match_break(match, LINK_PACE, "it runs now and then only", context->gate_at);
    if (context->gate == GATE_FLAG)
        match_break(match, LINK_PACE, "it runs only where a flag asks for it", context->gate_at);
    if (context->gate == GATE_UNMADE)
        match_break(match, LINK_PACE, "no program in the files linted makes one of this class that trains",
                    context->gate_at);
    break_unreached(context, match);
    if (context->gate == GATE_OFF) {
        const struct site option = context_option(check->project, context->gate_at);
        match_break(match, LINK_PACE, "only an option asks for it that is off by default and that nothing here gives",
                    site_is_none(option) ? context->gate_at : option);
    }
    if (context->gate == GATE_UNTAKEN)
        match_break(match, LINK_PACE, "no call of the run takes this branch", context->gate_at);
    if (context->gate == GATE_EMPTY)
        match_break(match, LINK_PACE, "it runs only where there is nothing in the data", context->gate_at);
    if (context->acting && !match->not_needed)
        match_break(match, LINK_GAIN, "the next step of the environment needs the value", check_site(check, node));
}

bool level_of_run(const struct check *check, uint32_t node, struct match *match)
{
    const struct context context = context_of(check->project, check_site(check, node));
    match->of_run = true;
    match->runs_at = node;
    break_anyhow(check, &context, node, match);
    return speaks_of(&context);
}

bool level_at(const struct check *check, uint32_t node, enum certainty gpu, struct match *match)
{
    if (gpu == GPU_NO)
        return false;
    const struct site site = check_site(check, node);
    const struct context context = context_of(check->project, site);
    const char *rare = rare_pace(context.pace);
    match->runs_at = node;
    break_anyhow(check, &context, node, match);
    if (rare)
        match_break(match, LINK_PACE, rare, paced_by(check, &context, site));
    if (gpu == GPU_GUESSED && !match->broken[LINK_DEVICE].why)
        match->broken[LINK_DEVICE] = (struct broken){"it is only likely that it lies on the device", site, true, false};
    return speaks_of(&context);
}

bool level_of_data(const struct check *check, uint32_t node, struct match *match)
{
    const struct context context = context_of(check->project, check_site(check, node));
    if (!context.in_worker)
        return level_at(check, node, GPU_SURE, match);
    match->of_run = true;
    match->runs_at = node;
    break_anyhow(check, &context, node, match);
    return !context.on_error && !context.cpu_only && !context.asserts;
}
