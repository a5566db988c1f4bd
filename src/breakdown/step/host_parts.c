/* SPDX-License-Identifier: Apache-2.0 */
#include "host_parts.h"

/* The thread other than the main one with most backward operators at the top; LANE_NONE. */
static uint32_t backward_lane(const struct trace *trace, const uint8_t *phases)
{
    const uint32_t main_lane = trace_main_lane(trace);
    uint32_t best = LANE_NONE, most = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows calls = lane == main_lane ? (struct rows){0} : trace_rows(trace, lane, NEST_CALLS);
        uint32_t count = 0;
        for (uint32_t i = 0; i < calls.count; i++)
            count += trace->parent[calls.at[i]] == ROW_NONE && phases[calls.at[i]] == PHASE_BACKWARD;
        if (count > most) {
            most = count;
            best = lane;
        }
    }
    return best;
}

static enum part part_of_phase(enum phase phase)
{
    static const enum part parts[PHASES] = {PART_FORWARD, PART_BACKWARD, PART_OPTIMIZER, PART_PYTHON};
    return parts[phase];
}

static enum part part_of(const struct host_now *now, const uint8_t *phases)
{
    switch (now->state) {
    case HOST_UNRECORDED:
        return PART_UNKNOWN;
    case HOST_BETWEEN:
        return PART_PYTHON;
    case HOST_COMPILING:
        return PART_COMPILATION;
    case HOST_LOADING:
        return PART_DATA_LOADING;
    case HOST_COMMUNICATING:
        return PART_COMMUNICATION;
    case HOST_PROFILING:
        return PART_PROFILER;
    default:
        return part_of_phase(phases[now->row]);
    }
}

/* What goes on at a time, the main thread first. */
static struct host_now now_at(struct host *host, uint32_t main_lane, uint32_t backward, int64_t time_ns)
{
    struct host_now now = host_at(host, &main_lane, 1, time_ns);
    if (now.row != ROW_NONE)
        return now;
    const struct host_now collective = host_collective_at(host, time_ns);
    const struct host_now other = host_at(host, &backward, 1, time_ns);
    const int64_t until = other.until_ns < collective.until_ns ? other.until_ns : collective.until_ns;
    const struct host_now *found = collective.row != ROW_NONE ? &collective : other.row != ROW_NONE ? &other : &now;
    return (struct host_now){found->state, found->row, until < now.until_ns ? until : now.until_ns};
}

void host_parts(const struct trace *trace, struct host *host, const uint8_t *phases, const struct step_cut *steps,
                host_parts_take *take, void *context)
{
    const uint32_t main_lane = trace_main_lane(trace), backward = backward_lane(trace, phases);
    for (uint32_t i = 0; i < steps->count; i++) {
        const int64_t end = steps->steps[i].end_ns;
        for (int64_t at = steps->steps[i].start_ns; at < end;) {
            const struct host_now now = now_at(host, main_lane, backward, at);
            const int64_t until = now.until_ns < end ? now.until_ns : end;
            take(context, i, part_of(&now, phases), now.row, until - at);
            at = until;
        }
    }
}
