/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay comes to: the same figures that a walk has (predict/plan/walk.h), of recorded steps. */
#include "base/span.h"
#include "graph/steps.h"
#include "replay_private.h"

/* Work on the device: when it is done then; any of it, when it was. */
struct device_work {
    struct spans own, communication, any, was;
};

static struct device_work work_of(const struct replay *replay, const struct schedule *schedule)
{
    struct device_work work = {0};
    const struct net *net = &replay->graph->net;
    for (uint32_t node = 0; node < net->count; node++) {
        if (net->kind[node] != NODE_DEVICE)
            continue;
        const bool sends = work_class(replay->classes, replay->graph->row[node]) == WORK_COMMUNICATION;
        spans_add(sends ? &work.communication : &work.own, schedule->start[node], schedule->end[node]);
        spans_add(&work.was, net->start[node], net_end(net, node));
    }
    spans_tidy(&work.own);
    spans_tidy(&work.communication);
    spans_tidy(&work.was);
    spans_union(&work.own, &work.communication, &work.any);
    return work;
}

static void work_free(struct device_work *work)
{
    spans_free(&work->own);
    spans_free(&work->communication);
    spans_free(&work->any);
    spans_free(&work->was);
}

static const struct replayed_step *steps_then(const struct replay *replay, const struct schedule *schedule,
                                              const struct spans *work, int64_t start, struct arena *arena)
{
    const uint32_t count = replay->range.count;
    struct replayed_step *steps = arena_array(arena, count, sizeof *steps);
    int64_t *ends = arena_array(arena, count, sizeof *ends);
    graph_step_ends(replay->graph, replay->range, schedule, ends);
    for (uint32_t i = 0; i < count; i++) {
        steps[i] = (struct replayed_step){ends[i] - start, spans_length_within(work, start, ends[i])};
        start = ends[i];
    }
    return steps;
}

struct replayed replay_sum(const struct replay *replay, const struct schedule *schedule, struct arena *arena)
{
    struct arena scratch = {0};
    const struct graph_steps steps = graph_steps_of(replay->graph, replay->range, &scratch);
    if (!steps.count)
        return (struct replayed){0};
    struct device_work work = work_of(replay, schedule);
    struct graph_steps moved = steps;
    if (replay->together) /* what changed before them moved where they begin */
        moved.from_ns = graph_time_then(replay->graph, steps.from_ns, schedule);
    const int64_t was_ns = graph_steps_ns(&steps, NULL), then_ns = graph_steps_ns(&moved, schedule);
    const int64_t from = moved.from_ns, until = time_sum(from, then_ns);
    const int64_t host_end = graph_steps_host_end(&steps, schedule);
    const int64_t active_ns = spans_length_within(&work.any, from, until);
    const struct replayed replayed = {
        .recorded_ns = was_ns / steps.count,
        .replayed_ns = then_ns / steps.count,
        .host_ns = host_end > from ? (host_end - from) / steps.count : 0,
        .was_active_ns = spans_length_within(&work.was, steps.from_ns, time_sum(steps.from_ns, was_ns)) / steps.count,
        .active_ns = active_ns / steps.count,
        .communication_ns = spans_length_within(&work.communication, from, until) / steps.count,
        .exposed_ns = (active_ns - spans_length_within(&work.own, from, until)) / steps.count,
        .steps = steps_then(replay, schedule, &work.any, from, arena),
    };
    work_free(&work);
    arena_free(&scratch);
    return replayed;
}
