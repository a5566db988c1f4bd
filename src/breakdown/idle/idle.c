/* SPDX-License-Identifier: Apache-2.0 */
#include "idle.h"

#include "queue.h"

static uint32_t cause_of(const struct trace *trace, uint32_t row)
{
    return row == ROW_NONE ? ROW_NONE : trace->cause[row];
}

static uint32_t launching_lane(const struct trace *trace, uint32_t row)
{
    const uint32_t launch = cause_of(trace, row);
    return launch == ROW_NONE ? LANE_NONE : trace->lane[launch];
}

static enum part part_of_state(enum host_state state)
{
    static const enum part parts[] = {
        [HOST_UNRECORDED] = PART_UNKNOWN,    [HOST_BETWEEN] = PART_BETWEEN_OPERATORS,
        [HOST_IN_OPERATOR] = PART_FRAMEWORK, [HOST_LAUNCHING] = PART_LAUNCHING,
        [HOST_BLOCKED] = PART_BLOCKED,       [HOST_LOADING] = PART_DATA_LOADING,
        [HOST_COMPILING] = PART_COMPILATION, [HOST_COMMUNICATING] = PART_DEPENDENCY,
        [HOST_PROFILING] = PART_PROFILER,
    };
    return parts[state];
}

/* The stretch before the next work was launched. */
static void split_host(const struct trace *trace, struct host *host, const struct sweep_piece *gap, int64_t end_ns,
                       idle_take *take, void *context)
{
    const uint32_t lanes[] = {launching_lane(trace, gap->next), launching_lane(trace, gap->previous),
                              trace_main_lane(trace)};
    for (int64_t at = gap->start_ns; at < end_ns;) {
        const struct host_now now = host_at(host, lanes, sizeof lanes / sizeof *lanes, at);
        const int64_t until = now.until_ns < end_ns ? now.until_ns : end_ns;
        const uint32_t row = now.row != ROW_NONE ? now.row : gap->next;
        take(context, &(struct idle_piece){at, until, part_of_state(now.state), row});
        at = until;
    }
}

void idle_split(const struct trace *trace, struct host *host, const struct sweep_piece *gap, idle_take *take,
                void *context)
{
    const uint32_t launch = cause_of(trace, gap->next);
    const int64_t launched = launch == ROW_NONE ? INT64_MAX : trace_end_ns(trace, launch);
    const int64_t host_end = launched < gap->end_ns ? launched : gap->end_ns;
    split_host(trace, host, gap, host_end, take, context);
    const int64_t queued = host_end > gap->start_ns ? host_end : gap->start_ns;
    if (queued >= gap->end_ns)
        return;
    const enum part queue_cause = queue_behind_event(trace, gap) ? PART_DEPENDENCY : PART_LAUNCH_LATENCY;
    take(context, &(struct idle_piece){queued, gap->end_ns, queue_cause, gap->next});
}

enum idle_wait idle_wait(const struct trace *trace, const struct sweep_piece *gap)
{
    const uint32_t launch = cause_of(trace, gap->next);
    if (launch != ROW_NONE && trace->start_ns[launch] > gap->start_ns)
        return IDLE_HOST_WAIT;
    return gap->end_ns - gap->start_ns < KERNEL_WAIT_NS ? IDLE_KERNEL_WAIT : IDLE_OTHER;
}
