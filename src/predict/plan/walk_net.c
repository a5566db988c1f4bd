/* SPDX-License-Identifier: Apache-2.0 */
#include "walk_net.h"

#include <math.h>

#include "base/mem.h"
#include "time/build.h"

enum walk_link { LINK_LANE = EDGE_LANE, LINK_LAUNCH, LINK_WAIT, LINK_STREAM, LINK_THREAD, LINK_ROOM };

enum { QUEUE_MOST = 4096 };

/* A link whose source is known when all is made. */
struct owed {
    uint32_t to, kind;
    uint32_t stream, calls; /* the work called on the stream so many calls before its first of the step */
    uint32_t launch;        /* or the work of this launch; PLAN_NONE */
};

/* Work of a stream, in the order of the calls. */
struct called {
    uint32_t *nodes;
    size_t count, room;
};

struct making {
    struct walk_net *into;
    const struct plan *plan;
    struct net_build build;
    struct arena *scratch;
    uint32_t *last;        /* by thread: its last node; NODE_NONE */
    uint32_t *first;       /* by thread: its first */
    struct called *called; /* by stream */
    double due_us;         /* what the next node of the host begins with: a call, what comes before an operator */
    uint32_t awaited;      /* the stream that the next node of the host waits for; WAITS_FOR_... */
    uint32_t due_launch;   /* which the next node of the host begins with; PLAN_NONE */
    struct owed *owed;
    size_t owed_count, owed_room;
    uint32_t queue_room;
    uint32_t steps; /* that may be walked */
    uint32_t op;    /* the current one */
};

/* Microseconds as ticks; times beyond what can be told end at its end. */
static int64_t walk_ticks(double us)
{
    return time_rounded(us * 1e6);
}

double walk_us(int64_t ticks)
{
    return (double)ticks / 1e6;
}

/* ---- links ---- */

static void owe(struct making *m, struct owed owed)
{
    m->owed = mem_grow(m->owed, &m->owed_room, m->owed_count + 1, sizeof *m->owed);
    m->owed[m->owed_count++] = owed;
}

static uint32_t last_called(const struct called *called)
{
    return called->count ? called->nodes[called->count - 1] : NODE_NONE;
}

/* The work called last in a stream: so far in this step, else in the step before. */
static void await_stream(struct making *m, uint32_t stream, uint32_t node)
{
    if (m->called[stream].count)
        net_link(&m->build, last_called(&m->called[stream]), node, LINK_WAIT);
    else
        owe(m, (struct owed){node, LINK_WAIT, stream, 1, PLAN_NONE});
}

static void await(struct making *m, uint32_t node)
{
    for (uint32_t s = 0; s < m->plan->streams; s++)
        if (m->awaited == WAITS_FOR_ALL || m->awaited == s)
            await_stream(m, s, node);
    m->awaited = WAITS_FOR_NOTHING;
}

/* A stream holds so many launches; the next waits until the oldest has come to the device. */
static void wait_for_room(struct making *m, uint32_t stream, uint32_t node)
{
    const struct called *called = &m->called[stream];
    if (called->count < m->queue_room)
        owe(m, (struct owed){node, LINK_ROOM, stream, m->queue_room - (uint32_t)called->count, PLAN_NONE});
    else
        net_link(&m->build, called->nodes[called->count - m->queue_room], node, LINK_ROOM);
}

static void push_called(struct called *called, uint32_t node)
{
    called->nodes = mem_grow(called->nodes, &called->room, called->count + 1, sizeof *called->nodes);
    called->nodes[called->count++] = node;
}

static bool is_gone(const struct plan *plan, uint32_t launch)
{
    return plan->launches[launch].gone || plan->ops[plan->launches[launch].op].gone;
}

/* Called by the begin of a node of the host. */
static void add_work(struct making *m, uint32_t launch, uint32_t call)
{
    const struct plan_launch *work = &m->plan->launches[launch];
    struct called *called = &m->called[work->stream];
    const uint32_t class = work->work < WORK_CLASSES ? work->work : 0;
    const uint32_t node = net_add(&m->build, last_called(called), WALK_WORK + class, walk_ticks(work->us));
    m->into->work_of[launch] = node;
    net_link(&m->build, call, node, LINK_LAUNCH);
    for (uint32_t i = 0; i < work->waits; i++) {
        const uint32_t other = m->plan->waits[work->first_wait + i];
        if (m->into->work_of[other] != NODE_NONE)
            net_link(&m->build, m->into->work_of[other], node, LINK_STREAM);
        else if (!is_gone(m->plan, other))
            owe(m, (struct owed){.to = node, .kind = LINK_STREAM, .launch = other});
    }
    if (work->after_step)
        owe(m, (struct owed){node, LINK_STREAM, 0, 1, PLAN_NONE});
    if (!called->count)
        owe(m, (struct owed){node, LINK_LANE, work->stream, 1, PLAN_NONE});
    push_called(called, node);
}

/* ---- operators ---- */

static void add_wait_record(struct making *m, uint32_t node, uint32_t next, bool room)
{
    m->into->waits[m->into->wait_count++] = (struct walk_wait){node, next, m->op, room};
}

static void launch_due(struct making *m, uint32_t gap, uint32_t call)
{
    const uint32_t launch = m->due_launch, stream = m->plan->launches[launch].stream;
    m->due_launch = PLAN_NONE;
    if (m->queue_room) {
        wait_for_room(m, stream, call);
        add_wait_record(m, gap, call, true);
    }
    add_work(m, launch, call);
}

/* The next node of a thread. */
static uint32_t add_host(struct making *m, uint32_t thread, double us)
{
    const uint32_t before = m->last[thread], node = net_add(&m->build, before, WALK_HOST, walk_ticks(us));
    if (before == NODE_NONE)
        m->first[thread] = node;
    m->last[thread] = node;
    if (m->awaited != WAITS_FOR_NOTHING)
        await(m, node);
    if (m->due_launch != PLAN_NONE)
        launch_due(m, before, node);
    return node;
}

/* A node of the operator: what is left of the call before it, and so much more. Behind a wait it is what comes after. */
static uint32_t add_part(struct making *m, uint32_t thread, double us)
{
    const bool waits = m->awaited != WAITS_FOR_NOTHING;
    const uint32_t node = add_host(m, thread, m->due_us + us);
    m->due_us = 0;
    if (waits)
        m->into->waits[m->into->wait_count - 1].next = node;
    return node;
}

/* The node that waits; what comes next on the thread is told when it comes. */
static void add_wait(struct making *m, uint32_t thread, uint32_t stream)
{
    if (stream == WAITS_FOR_NOTHING)
        return;
    if (m->due_us > 0)
        add_part(m, thread, 0);
    add_wait_record(m, add_host(m, thread, m->plan->device.wait_us), NODE_NONE, false);
    m->awaited = stream;
}

static void add_launch(struct making *m, uint32_t thread, uint32_t i)
{
    const struct plan_launch *launch = &m->plan->launches[i];
    add_part(m, thread, launch->gap_us);
    m->due_launch = i;
    m->due_us = launch->call_us;
    add_wait(m, thread, launch->wait_stream);
}

/* A launch is some cache lines long, and of most nothing is read but the first: the processor does not guess the next. */
static void fetch_ahead(const struct plan *plan, uint32_t launch)
{
    enum { AHEAD = 8 };
    if (launch + AHEAD < plan->launch_count)
        __builtin_prefetch(&plan->launches[launch + AHEAD]);
}

static void add_launches(struct making *m, const struct plan_op *op)
{
    add_wait(m, op->thread, op->wait_stream);
    for (uint32_t launch = op->first_launch; launch < op->first_launch + op->launches; launch++) {
        fetch_ahead(m->plan, launch);
        if (!m->plan->launches[launch].gone)
            add_launch(m, op->thread, launch);
    }
}

static void add_op(struct making *m, uint32_t i)
{
    const struct plan_op *op = &m->plan->ops[i];
    m->op = i;
    m->into->begin_of[i] = m->build.count; /* the node to come */
    m->due_us = plan_before_us(m->plan, op);
    if (op->follows != PLAN_NONE)
        net_link(&m->build, m->into->end_of[op->follows], m->build.count, LINK_THREAD);
    if (!op->gone)
        add_launches(m, op);
    m->into->end_of[i] = add_part(m, op->thread, op->gone ? 0 : op->last_us);
}

/* ---- batches ---- */

/* Before all operators, so that they can wait for it. */
static uint32_t add_feed(struct making *m)
{
    if (m->plan->load.feed_us <= 0)
        return NODE_NONE;
    const uint32_t feed = net_add(&m->build, NODE_NONE, WALK_HOST, walk_ticks(m->plan->load.feed_us));
    net_link_back(&m->build, (struct carry){{feed, feed, LINK_THREAD}, 1});
    return feed;
}

static void add_load(struct making *m)
{
    if (m->plan->load.own_us > 0)
        add_host(m, 0, m->plan->load.own_us);
}

static void wait_for_feed(struct making *m, uint32_t feed)
{
    if (feed != NODE_NONE && m->first[0] != NODE_NONE)
        net_link(&m->build, feed, m->first[0], LINK_THREAD);
}

/* ---- the whole ---- */

static uint32_t *all_none(uint32_t count, struct arena *arena)
{
    uint32_t *nodes = arena_room(arena, count, sizeof *nodes);
    if (count)
        memset(nodes, 0xFF, count * sizeof *nodes); /* NODE_NONE */
    return nodes;
}

/* So many steps ago, if ever: a stream is called as often in each step. */
static void pay_from_earlier(struct making *m, const struct owed *owed)
{
    const struct called *called = &m->called[owed->stream];
    const uint32_t all = (uint32_t)called->count, back = all ? (owed->calls + all - 1) / all : m->steps;
    if (back < m->steps)
        net_link_back(&m->build, (struct carry){{called->nodes[back * all - owed->calls], owed->to, owed->kind}, back});
}

static void pay(struct making *m)
{
    for (size_t i = 0; i < m->owed_count; i++) {
        const struct owed *owed = &m->owed[i];
        if (owed->launch != PLAN_NONE)
            net_link(&m->build, m->into->work_of[owed->launch], owed->to, owed->kind);
        else
            pay_from_earlier(m, owed);
    }
}

/* The host's end, from which the next step begins. */
static void add_tail(struct making *m)
{
    const uint32_t tail = net_add(&m->build, NODE_NONE, WALK_HOST, walk_ticks(m->plan->tail_us));
    for (uint32_t thread = 0; thread < m->plan->threads; thread++) {
        if (m->last[thread] == NODE_NONE)
            continue;
        net_link(&m->build, m->last[thread], tail, LINK_THREAD);
        net_link_back(&m->build, (struct carry){{tail, m->first[thread], LINK_THREAD}, 1});
    }
    net_link_back(&m->build, (struct carry){{tail, tail, LINK_THREAD}, 1});
    m->into->tail = tail;
}

static void set_floors(const struct plan *plan, struct net *net)
{
    net->floor[WALK_HOST][LINK_WAIT] = walk_ticks(plan->device.return_us);
    for (uint32_t class = 0; class < WORK_CLASSES; class ++) {
        net->floor[WALK_WORK + class][LINK_LAUNCH] = walk_ticks(plan->device.start_us[class]);
        net->floor[WALK_WORK + class][LINK_LANE] = walk_ticks(plan->device.gap_us[class]);
        net->floor[WALK_WORK + class][LINK_STREAM] = walk_ticks(plan->device.gap_us[class]);
    }
    net->early = 1u << LINK_ROOM | 1u << LINK_LAUNCH;
}

static void rename_all(const uint32_t *number, uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = nodes[i] == NODE_NONE ? nodes[i] : number[nodes[i]];
}

static void renumber(struct walk_net *net, const uint32_t *number)
{
    rename_all(number, net->work_of, net->plan->launch_count);
    rename_all(number, net->begin_of, net->plan->count);
    rename_all(number, net->end_of, net->plan->count);
    rename_all(number, &net->tail, 1);
    for (uint32_t i = 0; i < net->wait_count; i++) {
        rename_all(number, &net->waits[i].node, 1);
        rename_all(number, &net->waits[i].next, 1);
    }
}

struct walk_net walk_net_of(const struct plan *plan, struct arena *arena)
{
    struct arena scratch = {0};
    struct walk_net net = {.plan = plan};
    struct making m = {.into = &net, .plan = plan, .scratch = &scratch, .awaited = WAITS_FOR_NOTHING};
    m.due_launch = PLAN_NONE;
    m.build = net_build_open(arena, 3 * (size_t)plan->count + 4 * (size_t)plan->launch_count + 3);
    m.steps = plan->repeats ? WALK_REPEATS_MOST : 1;
    m.queue_room = plan->device.queue_room < QUEUE_MOST ? plan->device.queue_room : QUEUE_MOST;
    net.work_of = all_none(plan->launch_count, arena);
    net.begin_of = all_none(plan->count, arena);
    net.end_of = all_none(plan->count, arena);
    net.waits = arena_room(arena, plan->count + 2 * (size_t)plan->launch_count, sizeof *net.waits);
    m.last = all_none(plan->threads, &scratch);
    m.first = all_none(plan->threads, &scratch);
    m.called = arena_array(&scratch, plan->streams, sizeof *m.called);
    const uint32_t feed = add_feed(&m);
    add_load(&m);
    for (uint32_t i = 0; i < plan->count; i++)
        add_op(&m, i);
    wait_for_feed(&m, feed);
    add_tail(&m);
    pay(&m);
    mem_free(m.owed);
    for (uint32_t s = 0; s < plan->streams; s++)
        mem_free(m.called[s].nodes);
    const uint32_t *number;
    net.net = net_built(&m.build, &number);
    set_floors(plan, &net.net);
    net.contradicting = m.build.dropped;
    if (number)
        renumber(&net, number);
    arena_free(&scratch);
    return net;
}
