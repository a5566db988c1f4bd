/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a device was idle. A gap ends with the next device work, so the question
 * is what kept the host from launching it, or, once launched, what kept it from
 * starting. Until the launch call returns the host's state counts, on
 *
 *     the thread that launches the next work; while that one is in no event,
 *     the thread that launched the work before; then the main thread
 *
 * (so a backward thread that has not begun shows the forward part that the main
 * thread is in). From the return of the launch call on the work is queued: behind
 * an event of another stream (queue.h), else in the device's own launch latency.
 * A gap is cut where the state changes, so every nanosecond has its cause.
 */
#ifndef BREAKDOWN_IDLE_H
#define BREAKDOWN_IDLE_H

#include "host.h"
#include "breakdown/parts/part.h"
#include "breakdown/parts/sweep.h"

/* A stretch of idle time with one cause. */
struct idle_piece {
    int64_t start_ns, end_ns;
    enum part cause;
    uint32_t row; /* the host event it was spent in; else the device work that was waited for; ROW_NONE */
};

typedef void idle_take(void *context, const struct idle_piece *piece);

/* Cuts a gap: a piece of a sweep in which no class is at work. Gaps are asked for in order of time. */
void idle_split(const struct trace *trace, struct host *host, const struct sweep_piece *gap, idle_take *take,
                void *context);

/* The coarse split of a whole gap, as other tools make it. */
enum idle_wait { IDLE_HOST_WAIT, IDLE_KERNEL_WAIT, IDLE_OTHER, IDLE_WAITS };

enum { KERNEL_WAIT_NS = 30 * 1000 }; /* HTA's default of consecutive_kernel_delay */

/*
 * Host wait: the launch call of the next work began after the device went idle.
 * Kernel wait: it had begun by then (or before the recording), and the gap is
 * below 30 us. Other: the rest.
 */
enum idle_wait idle_wait(const struct trace *trace, const struct sweep_piece *gap);

#endif
