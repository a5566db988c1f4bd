/* SPDX-License-Identifier: Apache-2.0 */
#include "lab.h"

struct lab lab_open(const struct graph *graph, const struct work_classes *classes, struct step_range range,
                    struct arena *arena)
{
    struct lab lab = {.graph = graph,
                      .charges = charges_of(graph, classes, arena),
                      .steps = graph_steps_of(graph, range, arena),
                      .work = arena_array(arena, graph->net.count, sizeof *lab.work)};
    lab.as_is_ns = graph_steps_ns(&lab.steps, NULL);
    return lab;
}

static int64_t work_now(const void *lab, uint32_t node)
{
    return ((const struct lab *)lab)->work[node];
}

static bool still_holds(const void *lab, const struct edge *edge)
{
    return edge->kind != EDGE_WAIT || !((const struct lab *)lab)->freed[edge->to];
}

static int64_t time_after(const struct lab *lab, struct change change)
{
    struct arena scratch = {0};
    change.from = lab->steps.from_ns;
    const struct schedule schedule = net_run_until(&lab->graph->net, &change, lab->steps.until, &scratch);
    const int64_t ns = graph_steps_ns(&lab->steps, &schedule);
    arena_free(&scratch);
    return ns;
}

int64_t lab_saved_ns(const struct lab *lab)
{
    return lab->as_is_ns -
           time_after(lab, (struct change){.context = lab, .work = work_now, .holds = lab->freed ? still_holds : NULL});
}

int64_t lab_explained_ns(const struct lab *lab)
{
    return time_after(lab, (struct change){.prompt = true});
}
