/* SPDX-License-Identifier: Apache-2.0 */
#include "bare.h"

#include "time/share.h"

struct replaying {
    const struct graph *graph;
    const struct graph_steps *steps;
    double share;
    struct arena arena;
    struct schedule schedule; /* its memory serves all replays */
};

static int64_t work(const void *context, uint32_t node)
{
    const struct replaying *const replaying = context;
    const struct net *const net = &replaying->graph->net;
    return net->kind[node] == NODE_DEVICE ? net->work[node] : graph_bare_ns(replaying->share, net->work[node]);
}

static bool replay(void *context, double share, double *length)
{
    struct replaying *const replaying = context;
    const struct graph_steps *const steps = replaying->steps;
    replaying->share = share;
    const struct change change = {.context = replaying, .work = work, .from = steps->from_ns};
    replaying->schedule =
        net_run_until(&replaying->graph->net, &change, steps->until, replaying->schedule, &replaying->arena);
    *length = (double)graph_steps_ns(steps, &replaying->schedule);
    return true;
}

double graph_bare_share(const struct graph *graph, const struct graph_steps *steps)
{
    const double slowed = graph->trace->info.slowed;
    double share = 0;
    if (!(slowed > 1) || !steps->count)
        return 1;
    struct replaying replaying = {.graph = graph, .steps = steps};
    share_for(replay, &replaying, (double)graph_steps_ns(steps, NULL) / slowed, &share);
    arena_free(&replaying.arena);
    return share > 0 ? share : 1 / slowed;
}
