/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that nothing held any more but a full device. A kernel of one stream can
 * fill the device, and what other streams have ready then begins when it drains:
 * no call and no event says so, only the times do. Such a kernel began in the
 * last tenth of a long one of another stream, or right after it, having been
 * ready since that one began. It is put behind it, as by an event.
 */
#include "base/sort.h"
#include "trace.h"

enum {
    LONG_NS = 100 * 1000, /* kernels of which it is no accident that another begins at their end */
    LATE_NS = 50 * 1000,  /* what calls and streams do not delay */
    AFTER_NS = 10 * 1000,
    DRAINS = 10,    /* the share of a kernel in which it leaves room, one in so many */
    LOOKED_AT = 16, /* kernels a launch */
};

struct crowd {
    const struct step_program *p;
    const struct program_launch *launches;
    const int64_t *ready_ns;
    struct keyed *ended; /* long kernels by their end */
    uint32_t count;
};

static void later(int64_t *a, int64_t b)
{
    *a = b > *a ? b : *a;
}

static int64_t device_of(const struct crowd *c, const struct program_launch *launch)
{
    const struct trace *trace = c->p->of->trace;
    return trace->lanes[trace->lane[launch->row]].process;
}

/*
 * By launch when nothing that is recorded held it any more: its call, the work before it on its stream, what it waits
 * for by events; -1: not known. NULL where a stream did not work in the order of its calls: times tell nothing then.
 */
static const int64_t *ready_of(struct step_program *p)
{
    const struct program *program = &p->result;
    int64_t *stream_end_ns = arena_array(&p->scratch, program->streams, sizeof *stream_end_ns);
    int64_t *ready_ns = arena_array(&p->scratch, program->launch_count, sizeof *ready_ns);
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        ready_ns[i] = launch->call_start_ns;
        if (launch->start_ns < 0)
            continue;
        if (launch->start_ns + AFTER_NS < stream_end_ns[launch->stream])
            return NULL;
        if (launch->call_start_ns >= 0)
            later(&ready_ns[i], stream_end_ns[launch->stream]);
        later(&stream_end_ns[launch->stream], launch_end_ns(launch));
    }
    for (uint32_t i = 0; i < program->order_count; i++)
        later(&ready_ns[program->orders[i].launch], launch_end_ns(&program->launches[program->orders[i].after]));
    return ready_ns;
}

static void find_long(struct crowd *c)
{
    for (uint32_t i = 0; i < c->p->result.launch_count; i++)
        if (c->launches[i].work == WORK_COMPUTE && c->launches[i].row >= 0 && c->launches[i].dur_ns >= LONG_NS)
            c->ended[c->count++] = (struct keyed){launch_end_ns(&c->launches[i]), i};
    sort_keyed(c->ended, c->count);
}

static bool fills(const struct crowd *c, uint32_t by, uint32_t launch)
{
    const struct program_launch *held = &c->launches[launch], *full = &c->launches[by];
    return full->stream != held->stream && full->start_ns <= c->ready_ns[launch] &&
           held->start_ns >= launch_end_ns(full) - full->dur_ns / DRAINS && device_of(c, full) == device_of(c, held);
}

/* The kernel that the launch had to make way for; OP_NONE. */
static uint32_t crowded_by(const struct crowd *c, uint32_t launch)
{
    const struct program_launch *held = &c->launches[launch];
    if (held->work != WORK_COMPUTE || held->row < 0 || c->launches[launch].call_start_ns < 0 ||
        held->start_ns - c->ready_ns[launch] < LATE_NS)
        return OP_NONE;
    const size_t first = keyed_below(c->ended, c->count, held->start_ns - AFTER_NS);
    for (size_t i = first; i < c->count && i < first + LOOKED_AT; i++)
        if (fills(c, c->ended[i].row, launch))
            return c->ended[i].row;
    return OP_NONE;
}

void step_add_orders(struct step_program *p, const uint32_t *after)
{
    struct program *program = &p->result;
    struct program_order *orders = arena_array(p->arena, program->order_count + program->launch_count, sizeof *orders);
    uint32_t from = 0, to = 0;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        while (from < program->order_count && program->orders[from].launch == i)
            orders[to++] = program->orders[from++];
        if (after[i] != OP_NONE)
            orders[to++] = (struct program_order){i, after[i]};
    }
    program->orders = orders;
    program->order_count = to;
}

void step_crowding(struct step_program *p)
{
    const struct program *program = &p->result;
    struct crowd crowd = {.p = p, .launches = program->launches};
    if (program->streams < 2)
        return;
    crowd.ready_ns = ready_of(p);
    if (!crowd.ready_ns)
        return;
    crowd.ended = arena_array(&p->scratch, program->launch_count, sizeof *crowd.ended);
    uint32_t *crowded = arena_array(&p->scratch, program->launch_count, sizeof *crowded);
    find_long(&crowd);
    for (uint32_t i = 0; i < program->launch_count; i++)
        crowded[i] = crowded_by(&crowd, i);
    if (crowd.count)
        step_add_orders(p, crowded);
}
