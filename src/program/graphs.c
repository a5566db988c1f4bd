/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where graphs (CUDA, HIP) stand among other work. Their work bears the streams
 * that it was captured on, but a graph runs in the stream that it is launched
 * into: after what is there, before what comes. Which one that is no trace says.
 * So, as with waits between streams (graph/order.h), the first work of a graph on
 * a stream is put behind what other streams were given before and ended last
 * before it began, and the first work behind a graph on another stream as well.
 */
#include "trace.h"

struct graphs {
    const struct program *program;
    uint32_t *last;  /* by stream: its launch called last so far; OP_NONE */
    uint32_t *graph; /* by launch: the first launch of its graph; OP_NONE: of none */
};

static void find_graphs(struct graphs *g)
{
    const struct program *program = g->program;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        g->graph[i] = !str_has(launch->call, S("GraphLaunch")) ? (uint32_t)OP_NONE
                      : launch->shared && i                    ? g->graph[i - 1]
                                                               : i;
    }
}

/* Whether a graph stands between the launch and the one before it on its stream. */
static bool meets_graph(const struct graphs *g, uint32_t launch, uint32_t before, uint32_t other)
{
    if (g->graph[launch] != OP_NONE)
        return before == OP_NONE || g->graph[before] != g->graph[launch];
    return g->graph[other] != OP_NONE && (before == OP_NONE || other > before);
}

/* What the launch has to come after; OP_NONE. */
static uint32_t order_of(const struct graphs *g, uint32_t launch)
{
    const struct program_launch *launches = g->program->launches;
    const uint32_t stream = launches[launch].stream;
    uint32_t best = OP_NONE;
    for (uint32_t s = 0; s < g->program->streams && s < TRACE_STREAMS_OF_ALL; s++) {
        const uint32_t other = g->last[s];
        if (s == stream || other == OP_NONE || !meets_graph(g, launch, g->last[stream], other) ||
            launch_end_ns(&launches[other]) > launches[launch].start_ns)
            continue;
        if (best == OP_NONE || launch_end_ns(&launches[other]) > launch_end_ns(&launches[best]))
            best = other;
    }
    return best;
}

static bool any_graph(const struct program *program)
{
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (str_has(program->launches[i].call, S("GraphLaunch")))
            return true;
    return false;
}

void step_graphs(struct step_program *p)
{
    const struct program *program = &p->result;
    if (program->streams < 2 || !any_graph(program))
        return;
    struct graphs g = {program, arena_array(&p->scratch, program->streams, sizeof *g.last),
                       arena_array(&p->scratch, program->launch_count, sizeof *g.graph)};
    uint32_t *after = arena_array(&p->scratch, program->launch_count, sizeof *after);
    for (uint32_t s = 0; s < program->streams; s++)
        g.last[s] = OP_NONE;
    find_graphs(&g);
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const bool worked = program->launches[i].row >= 0;
        after[i] = worked ? order_of(&g, i) : (uint32_t)OP_NONE;
        if (worked)
            g.last[program->launches[i].stream] = i;
    }
    step_add_orders(p, after);
}
