/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a program that records none: those that its operators make by their arguments. */
#include "base/error.h"
#include "base/search.h"
#include "model/estimate/interval.h"
#include "plan_private.h"

enum { COMPUTE_STREAM = 0, COMMUNICATION_STREAM = 1 };

static enum work_class class_of(const struct kernel *kernel)
{
    switch (kernel->form) {
    case FORM_HOST_COPY:
        return WORK_COPY;
    case FORM_FILL:
        return WORK_MEMSET;
    case FORM_COLLECTIVE:
        return WORK_COMMUNICATION;
    default:
        return WORK_COMPUTE;
    }
}

static str call_of(enum work_class class)
{
    return class == WORK_COPY ? S("cudaMemcpyAsync") : S("cudaLaunchKernel");
}

/* Copies between host and device hold the host, unless memory is pinned and the call says that it need not wait. */
static bool holds_host(const struct planning *p, const struct unit *unit, const struct kernel *kernel)
{
    return kernel->form == FORM_HOST_COPY &&
           !(kernel->moved.pinned == 1 && str_has(p->program->ops[unit->op].arguments.values, S("\"True\"")));
}

/* Calls that began since the launch before, or since the operator did. */
static uint32_t events_before(struct planning *p, const struct unit *unit)
{
    const uint32_t events = unit->op > p->event_at ? unit->op - p->event_at : 0;
    p->event_at = unit->op > p->event_at ? unit->op : p->event_at;
    return events;
}

/* Collectives were measured within servers alone, kernels that a compiler makes not at all. */
static void unmeasured(struct estimate *estimate)
{
    if (estimate->basis < BASIS_ANALYTIC)
        estimate->basis = BASIS_ANALYTIC;
    estimate_prior(estimate);
}

static bool suppose_kernel(struct planning *p, struct plan_op *op, const struct unit *unit, const struct kernel *kernel,
                           const struct collective *collective, struct steptime_error *err)
{
    const enum work_class class = class_of(kernel);
    const str name = op->op == OP_NONE ? OVERHEAD_OUTSIDE : p->program->ops[op->op].name;
    const struct unit alone = {unit->op, {.kernels = kernel, .count = 1}};
    struct plan_launch *launch = room_for_launch(p);
    *launch = (struct plan_launch){
        .op = p->plan->count,
        .source = PLAN_NONE,
        .kernel = *kernel,
        .has_kernel = true,
        .basis = TIMED_MODEL,
        .gap_us = less_events(p, planned_us(p, op->launches ? OVERHEAD_T5 : OVERHEAD_T2, name), events_before(p, unit)),
        .call_us = planned_us(p, OVERHEAD_T4, call_of(class)),
        .stream = class == WORK_COMMUNICATION ? COMMUNICATION_STREAM : COMPUTE_STREAM,
        .collective = collective ? (uint32_t)(collective - p->program->collectives) : UINT32_MAX,
        .work = (uint8_t) class,
    };
    launch->wait_stream = holds_host(p, unit, kernel) ? launch->stream : WAITS_FOR_NOTHING;
    if (!estimate_unit(p, p->options->hardware, &alone, &launch->estimate, err))
        return false;
    launch->us = launch->estimate.us;
    if (collective && kernel->collective.ranks > kernel->collective.server_ranks)
        unmeasured(&launch->estimate);
    if (p->fusions.fused && p->fusions.fused[unit->op])
        unmeasured(&launch->estimate);
    if (launch->estimate.basis == BASIS_BYTES)
        launch->basis = TIMED_GUESS;
    op->launches++;
    if (p->put)
        plan_streams_put(p->put, p->plan, collective);
    return true;
}

/* ---- collectives of a dry run ---- */

static const struct collective *collective_of(const struct program *program, uint32_t op)
{
    const struct collective *const all = program->collectives;
    const size_t at = search_from(all, program->collective_count, sizeof *all, offsetof(struct collective, row), op);
    return at < program->collective_count && all[at].row == op ? &all[at] : NULL;
}

/* Of one rank alone nothing is sent. Of execution traces that name no group nothing is known. */
static bool suppose_collective(struct planning *p, struct plan_op *op, const struct unit *unit,
                               struct steptime_error *err)
{
    const struct collective *const c = collective_of(p->program, unit->op);
    const struct collective_group *const group = c ? program_group_of(p->program, c) : NULL;
    if (!group || !group->members.len || group->size < 2)
        return true;
    const struct hardware *const hardware = p->options->hardware;
    const int64_t near = collective_members_near(group->members, hardware_server(hardware));
    if (near < group->size && !(hardware->figure[HW_NETWORK] > 0))
        return fail(err, STEPTIME_INPUT, "which network joins servers of %.*s? --network 100Gbps",
                    (int)hardware->name.len, hardware->name.at);
    const struct kernel kernel = {
        .form = FORM_COLLECTIVE,
        .dtype = DTYPE_F32,
        .library = LIBRARY_NCCL,
        .collective = {c->kind + 1, collective_bytes(c, group->size), group->size, near > 0 ? near : 1}};
    return kernel.collective.bytes <= 0 || suppose_kernel(p, op, unit, &kernel, c, err);
}

bool suppose_unit(struct planning *p, struct plan_op *op, const struct unit *unit, struct steptime_error *err)
{
    const struct program_op *call = &p->program->ops[unit->op];
    if (!program_sizes_usable(call, NULL))
        return true; /* left out; who shows the prediction tells how many are */
    if (unit->lowering.way == LOWERED_NOT)
        return fail(err, STEPTIME_INPUT, "operator %.*s (%lld): %s", (int)call->name.len, call->name.at,
                    (long long)call->id, unit->lowering.why ? unit->lowering.why : "its work is not known");
    if (p->put)
        plan_streams_come(p->put, unit->op);
    if (unit->lowering.way == LOWERED_TO_COLLECTIVE)
        return suppose_collective(p, op, unit, err);
    for (uint32_t i = 0; i < unit->lowering.count; i++)
        if (!suppose_kernel(p, op, unit, &unit->lowering.kernels[i], NULL, err))
            return false;
    return true;
}
