/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --batch N: the program with other sizes (predict/question/batch.h). Work that was
 * recorded takes the ratio of the estimates of its operator's kernels; work that
 * was supposed is estimated again. The host does what it did.
 */
#include "base/error.h"
#include "batch.h"
#include "change.h"

struct scaled {
    uint32_t launches, of;    /* scaled, and all */
    double unknown_us, of_us; /* of work of which no sizes are known, and of all */
};

/* By operator, both lists ascend; an operator that is no unit any more has lost its kernels. */
static const struct unit *same_unit(const struct units *units, uint32_t op, uint32_t *at)
{
    while (*at < units->count && units->at[*at].op < op)
        ++*at;
    return *at < units->count && units->at[*at].op == op ? &units->at[*at] : NULL;
}

static double *ratios_of(struct changing *changing, const struct units *before, const struct units *after)
{
    double *ratios = arena_array(changing->arena, before->count, sizeof *ratios);
    uint32_t at = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct unit *unit = same_unit(after, before->at[i].op, &at);
        const struct kernels from = {before->at[i].lowering.kernels, before->at[i].lowering.count};
        bool known;
        ratios[i] = unit ? change_ratio(changing->context, from,
                                        (struct kernels){unit->lowering.kernels, unit->lowering.count}, &known)
                         : 1;
    }
    return ratios;
}

/* What a collective takes is its ranks' affair. */
static bool sizes_known(const struct plan_launch *launch, const struct units *units, uint32_t unit)
{
    return launch->work == WORK_COMMUNICATION || (unit != PLAN_NONE && units->at[unit].lowering.way != LOWERED_NOT);
}

static struct scaled scale_recorded(struct changing *changing, const struct program *program)
{
    struct plan *plan = changing->plan;
    const struct change_units before = change_units_of(plan, changing->arena);
    const struct units after = units_of(program, changing->arena);
    const double *ratios = ratios_of(changing, &before.units, &after);
    struct scaled scaled = {0};
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const uint32_t unit = before.of_launch[i];
        if (!change_is_live(plan, &plan->launches[i]))
            continue;
        scaled.of++;
        scaled.of_us += plan->launches[i].us;
        scaled.unknown_us += sizes_known(&plan->launches[i], &before.units, unit) ? 0 : plan->launches[i].us;
        if (unit == PLAN_NONE || ratios[unit] == 1)
            continue;
        change_stretch(&plan->launches[i], ratios[unit]);
        scaled.launches++;
    }
    return scaled;
}

static bool plan_again(struct changing *changing, const struct program *program)
{
    struct program *own = arena_alloc(changing->arena, sizeof *own);
    *own = *program;
    return plan_of(own, changing->context->options, changing->arena, changing->plan, changing->err);
}

static bool fail_no_batch(struct changing *changing, const struct batch *batch)
{
    struct steptime_error *err = changing->err;
    switch (batch->doubt) {
    case BATCH_PACKED:
        return fail(err, STEPTIME_INPUT,
                    "--batch: which size is the batch is not to be told: %lld in front of %u of %u forward operators "
                    "are tokens of sequences put together, and how many sequences these are is no size of an operator",
                    (long long)batch->seen, batch->had, batch->asked);
    case BATCH_BEHIND:
        return fail(err, STEPTIME_INPUT,
                    "--batch: which size is the batch is not to be told: %lld is the first dimension of %u of %u "
                    "forward operators, but seems to be the steps of sequences, and the batch %lld, which is behind it",
                    (long long)batch->seen, batch->had, batch->asked, (long long)batch->other);
    case BATCH_SEVERAL:
        return fail(err, STEPTIME_INPUT,
                    "--batch: which size is the batch is not to be told: %lld is the first dimension of %u of %u "
                    "forward operators, and %lld, which does not go with it, of %u",
                    (long long)batch->seen, batch->had, batch->asked, (long long)batch->other, batch->other_had);
    default:
        return fail(err, STEPTIME_INPUT,
                    "--batch: no batch is to be seen in the shapes of the operators (were shapes recorded?)");
    }
}

static bool is_recorded(const struct program *program)
{
    return program->source == PROGRAM_TRACE || program->source == PROGRAM_JOINED;
}

/* Of device time: beyond it the answer would be of the rest. */
static const double most_unknown = 0.5;

bool change_batch(struct changing *changing)
{
    const struct program *program = changing->plan->program;
    const int64_t wanted = changing->question->batch;
    const struct batch batch = batch_of(program);
    if (!batch.size)
        return fail_no_batch(changing, &batch);
    const struct program other = batch_scaled(program, batch.size, wanted, changing->arena);
    if (program_unusable_sizes(&other) > program_unusable_sizes(program))
        return fail(changing->err, STEPTIME_INPUT, "--batch: with a batch of %lld sizes are more than any memory holds",
                    (long long)wanted);
    struct scaled scaled = {.launches = changing->plan->launch_count, .of = changing->plan->launch_count};
    if (is_recorded(program))
        scaled = scale_recorded(changing, &other);
    else if (!plan_again(changing, &other))
        return false;
    if (scaled.unknown_us > most_unknown * scaled.of_us)
        return fail(
            changing->err, STEPTIME_INPUT,
            "--batch: of %.0f %% of the device's time no sizes are known, so what it takes with another batch is "
            "not known either",
            100 * scaled.unknown_us / scaled.of_us);
    change_tell(changing,
                str_printf(changing->arena,
                           "--batch: %lld instead of %lld, the first dimension of %u of %u forward operators; %u of %u "
                           "launches take another time",
                           (long long)wanted, (long long)batch.size, batch.had, batch.asked, scaled.launches,
                           scaled.of));
    return true;
}
