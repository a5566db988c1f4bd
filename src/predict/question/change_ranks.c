/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives: of another number of ranks, or partly hidden by other work.
 *
 * --ranks N scales data parallelism, with as much work a rank as recorded: groups
 * of all ranks have N, smaller groups (tensor or expert parallelism) stay. The
 * message of a rank stays the same. What was recorded of a collective is mostly
 * waiting for the last rank, so the difference of two estimates of its time is
 * added; where less was recorded than is estimated, their ratio counts. Without a
 * model it is the ratio of the bus factors over the slowest link of the group. Of
 * one rank nothing is sent.
 */
#include "base/error.h"
#include "change.h"

static const struct collective *collective_of(const struct plan *plan, const struct plan_launch *launch)
{
    return launch->collective < plan->program->collective_count ? &plan->program->collectives[launch->collective]
                                                                : NULL;
}

static int64_t largest_group(const struct program *program)
{
    int64_t largest = 1;
    for (uint32_t i = 0; i < program->group_count; i++)
        largest = program->groups[i].size > largest ? program->groups[i].size : largest;
    return largest;
}

/* Of all ranks: as recorded, else the largest group. */
static int64_t world_of(const struct program *program)
{
    return program->world_size > 0 ? program->world_size : largest_group(program);
}

static int64_t group_size(const struct program *program, const struct collective *collective)
{
    const int64_t size = collective->group < program->group_count ? program->groups[collective->group].size : 0;
    return size > 0 ? size : world_of(program);
}

static struct kernel kernel_of(const struct question_context *context, const struct collective *collective,
                               int64_t bytes, int64_t ranks)
{
    const int64_t server = hardware_server(context->hardware);
    return (struct kernel){.form = FORM_COLLECTIVE,
                           .dtype = DTYPE_F32,
                           .library = LIBRARY_NCCL,
                           .collective = {collective->kind + 1, bytes, ranks, ranks < server ? ranks : server}};
}

/* Its time among so many ranks; false where no model knows. */
static bool estimate_us(const struct question_context *context, const struct collective *collective, int64_t bytes,
                        int64_t ranks, double *us)
{
    struct estimate estimate;
    const struct kernel kernel = kernel_of(context, collective, bytes, ranks);
    if (!context->models || !context->hardware || bytes <= 0 ||
        !models_estimate(context->models, context->hardware, &kernel, &estimate, NULL))
        return false;
    *us = estimate.us;
    return true;
}

static double factor_of(const struct question_context *context, const struct collective *collective, int64_t from,
                        int64_t to)
{
    const enum collective_kind kind = (enum collective_kind)collective->kind;
    const double factor = collective_bus_factor(kind, to) / collective_bus_factor(kind, from);
    const double then = hardware_link_rate(context->hardware, from);
    const double now = hardware_link_rate(context->hardware, to);
    return then > 0 && now > 0 ? factor * then / now : factor;
}

static double ratio_of(const struct question_context *context, const struct plan_launch *launch,
                       const struct collective *collective, int64_t from, int64_t to)
{
    const int64_t bytes = collective_bytes(collective, from);
    double before, after;
    if (!estimate_us(context, collective, bytes, from, &before) || !estimate_us(context, collective, bytes, to, &after))
        return factor_of(context, collective, from, to);
    return launch->us > before ? (launch->us + after - before) / launch->us : after / before;
}

static void resize(struct changing *changing, struct plan_launch *launch, const struct collective *collective)
{
    const struct program *program = changing->plan->program;
    const int64_t from = group_size(program, collective), to = changing->question->ranks;
    if (from < world_of(program) || from == to)
        return; /* not of all ranks, or as many as before */
    if (to == 1)
        launch->gone = true;
    else if (from > 1)
        change_stretch(launch, ratio_of(changing->context, launch, collective, from, to));
}

bool change_ranks(struct changing *changing)
{
    struct plan *plan = changing->plan;
    uint32_t collectives = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct collective *collective = collective_of(plan, &plan->launches[i]);
        if (!collective || !change_is_live(plan, &plan->launches[i]))
            continue;
        resize(changing, &plan->launches[i], collective);
        collectives++;
    }
    if (!collectives)
        return fail(changing->err, STEPTIME_USAGE, "--ranks: the step has no collectives on a device to scale");
    change_tell(changing,
                str_printf(changing->arena, "--ranks: %u collectives of %lld ranks instead of %lld", collectives,
                           (long long)changing->question->ranks, (long long)world_of(plan->program)));
    const str remark = hardware_server_remark(changing->context->hardware, changing->arena);
    if (remark.len)
        change_tell(changing, str_printf(changing->arena, "--ranks: %.*s", (int)remark.len, remark.at));
    return true;
}

/* ---- --overlap F: of each collective the part 1 - F is left ---- */

bool change_overlap(struct changing *changing)
{
    struct plan *plan = changing->plan;
    uint32_t collectives = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        if (!change_is_live(plan, &plan->launches[i]) || plan->launches[i].work != WORK_COMMUNICATION)
            continue;
        change_suppose(&plan->launches[i], 1 - changing->question->overlap);
        collectives++;
    }
    change_tell(changing, str_printf(changing->arena, "--overlap: %.0f %% of %u collectives is hidden",
                                     100 * changing->question->overlap, collectives));
    return true;
}
