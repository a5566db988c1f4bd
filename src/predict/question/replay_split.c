/* SPDX-License-Identifier: Apache-2.0 */
/* A replay of a net in which the waits of the host's threads have nodes of their own. */
#include "replay_private.h"

static int64_t work_ns(const void *context, uint32_t node)
{
    const struct replay_split *s = context;
    const uint32_t whole = s->split.of[node];
    if (whole == NODE_NONE)
        return s->split.net.work[node];
    if (!split_holds(&s->split, whole))
        return s->whole.work(s->whole.context, whole);
    return node == s->split.first[whole] ? 0 : replay_rest_ns(s->replay, whole, s->split.net.work[node]);
}

static bool gone(const void *context, uint32_t node)
{
    const struct replay_split *s = context;
    const uint32_t whole = s->split.of[node];
    return whole != NODE_NONE && s->whole.gone(s->whole.context, whole);
}

static bool holds(const void *context, const struct edge *edge)
{
    const struct replay_split *s = context;
    const struct edge whole = {s->split.of[edge->from], s->split.of[edge->to], edge->kind};
    return whole.from == NODE_NONE || whole.to == NODE_NONE || s->whole.holds(s->whole.context, &whole);
}

enum { EDGE_ENTER = EDGE_KINDS }; /* a graph has none */
_Static_assert((int)EDGE_KINDS < (int)EDGE_KINDS_MOST, "an edge to a meeting has no kind");

void replay_split(const struct replay *replay, struct change whole, struct arena *arena, struct replay_split *out)
{
    struct arena scratch = {0};
    struct net_wait *waits = arena_array(&scratch, replay->wait_count, sizeof *waits);
    for (uint32_t i = 0; i < replay->wait_count; i++)
        waits[i] = replay->waits[i].at;
    *out = (struct replay_split){.whole = whole, .replay = replay};
    out->split = net_split(&replay->graph->net, waits, replay->wait_count, EDGE_ENTER, EDGE_THREAD, arena);
    out->change = whole;
    if (replay->wait_count)
        out->change =
            (struct change){.context = out, .work = work_ns, .holds = holds, .gone = gone, .from = whole.from};
    arena_free(&scratch);
}
