/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/mem.h"
#include "change.h"
#include "predict/plan/meetings.h"
#include "replay_private.h"

/* One step before and after the question. */
struct pair {
    const struct plan *before, *after;
};

/* ---- from plans to rows ---- */

static float ratio_of(double before, double after)
{
    return before > 0 ? (float)(after / before) : after > 0 ? NAN : 1;
}

/* What the host does in an operator, waits aside. */
static double host_us(const struct plan *plan, const struct plan_op *op)
{
    double us = op->gone ? 0 : op->last_us;
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        if (change_is_live(plan, &plan->launches[i]))
            us += plan->launches[i].gap_us + plan->launches[i].call_us;
    return us;
}

static void put_launch(struct replay *r, const struct pair *step, uint32_t i)
{
    const struct plan_launch *before = &step->before->launches[i], *after = &step->after->launches[i];
    if (before->source == PLAN_NONE)
        return;
    const int64_t row = step->before->program->launches[before->source].row;
    if (row < 0 || row >= r->graph->trace->count)
        return;
    r->gone[row] = !change_is_live(step->after, after) && change_is_live(step->before, before);
    if (after->us != before->us)
        r->work[row] = ratio_of(before->us, after->us);
}

/* The work is the row, whatever the step's program says of its time. */
static struct collective_point point_of(const struct trace *trace, const struct program *program,
                                        const struct collective *collective, uint32_t row)
{
    struct collective of = *collective;
    of.start_ns = trace->start_ns[row];
    of.dur_ns = trace->dur_ns[row];
    return collective_point(&of, program_group_of(program, collective), program->step);
}

/* A collective at which ranks may meet. */
static void put_meeting(struct replay *r, const struct pair *step, uint32_t i)
{
    const struct program *program = step->before->program;
    const struct plan_launch *launch = &step->after->launches[i];
    if (launch->source == PLAN_NONE || launch->collective >= program->collective_count ||
        !change_is_live(step->after, launch))
        return;
    const struct collective *collective = &program->collectives[launch->collective];
    const int64_t row = program->launches[launch->source].row;
    if (row < 0 || row >= r->graph->trace->count || !collective_is_blocking((enum collective_kind)collective->kind))
        return;
    r->meets = mem_grow(r->meets, &r->meet_room, r->meet_count + 1, sizeof *r->meets);
    r->meets[r->meet_count++] =
        (struct replay_meet){.point = point_of(r->graph->trace, program, collective, (uint32_t)row),
                             .row = (uint32_t)row,
                             .size = meeting_size(program, collective)};
}

/* Calls inside find the row of their operator by their parents. */
static void put_op(struct replay *r, const struct pair *step, uint32_t i)
{
    const struct plan_op *before = &step->before->ops[i], *after = &step->after->ops[i];
    if (before->op == OP_NONE)
        return;
    const int64_t row = step->before->program->ops[before->op].id;
    if (row < 0 || row >= r->graph->trace->count)
        return;
    const double was = host_us(step->before, before), is = host_us(step->after, after);
    if (was != is)
        r->work[row] = ratio_of(was, is);
    const double before_us = plan_before_us(step->before, before), after_us = plan_before_us(step->after, after);
    if (before_us != after_us)
        r->before[row] = ratio_of(before_us, after_us);
    r->freed[row] = change_op_waits(step->before, before) && (after->gone || !change_op_waits(step->after, after));
}

/* What waits behind a launch that is gone waited for that, as in the walk. */
static bool waits_no_more(const struct plan *after, const struct plan_place *place)
{
    return *plan_wait_at(after, place) == WAITS_FOR_NOTHING || after->ops[place->op].gone ||
           (place->launch != PLAN_NONE && after->launches[place->launch].gone);
}

/* A call that waits, in an operator or not. */
static void put_wait(struct replay *r, const struct pair *step, uint32_t i)
{
    const int64_t row = step->before->program->syncs[i].row;
    const struct plan_place *place = &step->before->places[i];
    if (row < 0 || row >= r->graph->trace->count || *plan_wait_at(step->before, place) == WAITS_FOR_NOTHING)
        return;
    r->freed[row] = r->freed[row] || waits_no_more(step->after, place);
}

void replay_step(struct replay *replay, const struct plan *before, const struct plan *after)
{
    const struct pair step = {before, after};
    for (uint32_t i = 0; i < before->launch_count; i++) {
        put_launch(replay, &step, i);
        put_meeting(replay, &step, i);
    }
    for (uint32_t i = 0; i < before->count; i++)
        put_op(replay, &step, i);
    for (uint32_t i = 0; before->places && i < before->program->sync_count; i++)
        put_wait(replay, &step, i);
}

/* The row or the next around it that is settled; ROW_NONE. */
static uint32_t settled_around(const struct trace *trace, const bool *settled, uint32_t row)
{
    while (row != ROW_NONE && !settled[row])
        row = trace->parent[row];
    return row;
}

/* A call has what the next one around it has, unless the question says more of it. Every row is settled once. */
static void settle(struct replay *r, bool *settled, uint32_t row, uint32_t path[])
{
    const struct trace *trace = r->graph->trace;
    const uint32_t top = settled_around(trace, settled, row);
    uint32_t depth = 0;
    for (; row != top; row = trace->parent[row])
        path[depth++] = row;
    while (depth--) {
        const uint32_t at = path[depth], around = trace->parent[at];
        settled[at] = true;
        if (around == ROW_NONE)
            continue;
        r->work[at] = isnan(r->work[at]) ? r->work[around] : r->work[at];
        r->freed[at] = r->freed[at] || r->freed[around];
    }
}

static void inherit(struct replay *r)
{
    struct arena scratch = {0};
    const uint32_t rows = r->graph->trace->count;
    bool *settled = arena_array(&scratch, rows, sizeof *settled);
    uint32_t *path = arena_array(&scratch, rows, sizeof *path);
    for (uint32_t node = 0; node < r->graph->net.count; node++)
        if (r->graph->net.kind[node] == NODE_CALL)
            settle(r, settled, r->graph->row[node], path);
    arena_free(&scratch);
}

/* ---- the change ---- */

/* Stops at the ends of int64_t. */
static int64_t times(int64_t ns, double ratio)
{
    const double product = (double)ns * ratio;
    if (ratio == 1)
        return ns;
    return product < 9.2e18 ? (int64_t)llround(product) : INT64_MAX;
}

/* NaN where the question says nothing. */
static float ratio_at(const struct replay *r, uint32_t node)
{
    const uint8_t kind = r->graph->net.kind[node];
    if (kind == NODE_BETWEEN)
        return r->before[r->graph->row[node]];
    return kind == NODE_DEVICE || kind == NODE_CALL ? r->work[r->graph->row[node]] : NAN;
}

static int64_t kept_at(const struct replay *r, uint32_t node)
{
    return r->kept_ns && r->rest != 1 ? r->kept_ns[node] : 0;
}

static int64_t work_ns(const void *context, uint32_t node)
{
    const struct replay *r = context;
    const struct net *net = &r->graph->net;
    const float ratio = ratio_at(r, node);
    if (net->kind[node] == NODE_DEVICE)
        return isnan(ratio) ? net->work[node] : times(net->work[node], ratio);
    const int64_t kept = kept_at(r, node);
    return kept + times(net->work[node] - kept, isnan(ratio) ? r->rest : ratio);
}

/* What is kept was the wait, as far as that goes. */
int64_t replay_rest_ns(const struct replay *replay, uint32_t node, int64_t rest_ns)
{
    const int64_t waited = replay->graph->net.work[node] - rest_ns, kept = kept_at(replay, node);
    const int64_t kept_of_rest = kept > waited ? kept - waited : 0;
    const float ratio = ratio_at(replay, node);
    return kept_of_rest + times(rest_ns - kept_of_rest, isnan(ratio) ? replay->rest : ratio);
}

static bool gone(const void *context, uint32_t node)
{
    const struct replay *r = context;
    return r->graph->net.kind[node] == NODE_DEVICE && r->gone[r->graph->row[node]];
}

static bool holds(const void *context, const struct edge *edge)
{
    const struct replay *r = context;
    if (edge->kind == EDGE_BUSY)
        return !gone(context, edge->from);
    return edge->kind != EDGE_WAIT || r->graph->net.kind[edge->to] != NODE_CALL || !r->freed[r->graph->row[edge->to]];
}

/* ---- all ---- */

struct replay *replay_new(const struct graph *graph, const struct work_classes *classes, struct step_range range)
{
    struct replay *r = mem_zeroed(sizeof *r);
    const uint32_t rows = graph->trace->count;
    r->graph = graph;
    r->classes = classes;
    r->range = range;
    r->work = arena_array(&r->arena, rows, sizeof *r->work);
    r->before = arena_array(&r->arena, rows, sizeof *r->before);
    r->gone = arena_array(&r->arena, rows, sizeof *r->gone);
    r->freed = arena_array(&r->arena, rows, sizeof *r->freed);
    for (uint32_t row = 0; row < rows; row++)
        r->work[row] = r->before[row] = NAN;
    return r;
}

void replay_keep(struct replay *replay, const int64_t *kept_ns)
{
    replay->kept_ns = kept_ns;
}

void replay_waits(struct replay *replay, const struct split_wait *waits, uint32_t count)
{
    replay->waits = waits;
    replay->wait_count = count;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    mem_free(replay->meets);
    arena_free(&replay->arena);
    mem_free(replay);
}

struct change replay_change(struct replay *replay, double cpu_speed)
{
    replay->rest = cpu_speed > 0 ? 1 / cpu_speed : 1;
    inherit(replay);
    const struct trace *trace = replay->graph->trace;
    const uint32_t first = replay->together ? 0 : replay->range.first;
    return (struct change){.context = replay,
                           .work = work_ns,
                           .holds = holds,
                           .gone = gone,
                           .from = replay->range.count ? trace->steps[first].start_ns : 0};
}

struct replayed replay_run(struct replay *replay, double cpu_speed, struct arena *arena)
{
    struct arena scratch = {0};
    const struct change change = replay_change(replay, cpu_speed);
    const struct schedule schedule = net_run(&replay->graph->net, &change, &scratch);
    const struct replayed replayed = replay_sum(replay, &schedule, arena);
    arena_free(&scratch);
    return replayed;
}
