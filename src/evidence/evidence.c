/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

static void sum_steps(struct evidence *evidence)
{
    const struct trace *trace = evidence->trace;
    evidence->steps = trace->step_count ? trace->step_count : 1;
    const struct device_time *time = device_times_of(&evidence->times, -1);
    for (uint32_t i = 0; i < trace->step_count; i++) {
        const struct step *step = &trace->steps[i];
        evidence->wall_ns += step->end_ns - step->start_ns;
        if (time)
            evidence->busy_ns += spans_length_within(&time->busy, step->start_ns, step->end_ns);
    }
    for (uint32_t i = 0; i < evidence->movement.count; i++) {
        const struct move *move = &evidence->movement.at[i];
        if (move->step == STEP_NONE || !move->blocking)
            continue;
        evidence->blocked_ns += move->blocked_ns;
        evidence->blocking++;
    }
}

enum { TELLING_BYTES = 256 * 1024 }; /* smaller copies show what a copy takes, not what the bus gives */

struct rate {
    double bytes, ns;
};

/* Of a trace that uploads from both kinds of memory. */
static double pinned_gain(const struct movement *movement)
{
    struct rate rates[HOST_MEMORIES] = {{0, 0}};
    for (uint32_t i = 0; i < movement->count; i++) {
        const struct move *move = &movement->at[i];
        if (move->direction != COPY_H2D || move->bytes < TELLING_BYTES || !move->device_ns)
            continue;
        rates[move->memory].bytes += (double)move->bytes;
        rates[move->memory].ns += (double)move->device_ns;
    }
    const struct rate pinned = rates[HOST_PINNED], pageable = rates[HOST_PAGEABLE];
    if (!pinned.bytes || !pageable.bytes)
        return 1;
    const double gain = (pinned.bytes / pinned.ns) / (pageable.bytes / pageable.ns);
    return gain > 1 ? gain : 1;
}

void evidence_open(struct evidence *evidence, const struct trace *trace, struct place_filter filter)
{
    *evidence = (struct evidence){.trace = trace};
    struct arena *arena = &evidence->arena;
    evidence->classes = work_classes_new(trace, arena);
    evidence->graph = graph_new(trace, evidence->classes);
    evidence->times = device_times_open(trace, arena);
    evidence->stacks = stacks_new(trace, filter, arena);
    evidence->movement = movement_of(evidence->graph, evidence->classes, &evidence->times, arena);
    evidence->groups = groups_of(&evidence->movement, evidence->stacks, trace, arena);
    find_patterns(&evidence->groups, &evidence->movement, trace);
    evidence->preparations = preparations_of(trace, &evidence->times, &evidence->movement, evidence->stacks, arena);
    evidence->loops = element_loops_of(trace, evidence->stacks, arena);
    evidence->relief = relief_new(evidence->graph);
    evidence->pinned_gain = pinned_gain(&evidence->movement);
    sum_steps(evidence);
}

void evidence_close(struct evidence *evidence)
{
    relief_free(evidence->relief);
    device_times_close(&evidence->times);
    graph_free(evidence->graph);
    arena_free(&evidence->arena);
}

bool evidence_device_bound(const struct evidence *evidence)
{
    return evidence->busy_ns * 100 > evidence->wall_ns * 95;
}
