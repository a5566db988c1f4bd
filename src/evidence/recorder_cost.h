/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a thread's recorded time is the recorder's own, without a device.
 *
 *     each operator   what the trace itself shows: an operator that does nothing but call one other (aten::item, aten::zero_,
 *                     aten::reshape) takes longer than that one by what recording that one took, and the way to it. The lowest
 *                     tenth of all such differences ends there: what is above is work of the caller's own
 *     each frame      where stacks were recorded together with the times: of the rest, at most FRAME_NS
 *
 * Both together are at most what the recorder added to the steps, where that is known (inputs/step_times.h). What is then left
 * of that (with shapes PyTorch's recorder makes the process touch new memory all the time) lies nowhere in particular: it
 * makes all parts of a step longer alike.
 */
#ifndef EVIDENCE_RECORDER_COST_H
#define EVIDENCE_RECORDER_COST_H

#include "base/arena.h"
#include "trace/trace.h"

enum { FRAME_NS = 250 }; /* measured with PyTorch 2.13: 0.12 to 0.25 us a Python frame */

struct recorder_cost {
    const int64_t *operators, *frames; /* starts of those of the thread, ascending */
    uint32_t operator_count, frame_count;
    double operator_ns, frame_ns; /* each */
};

/* `added_ns`: by the recorder to a step; below 0: not known. Lists lie in the arena. */
struct recorder_cost recorder_cost_of(const struct trace *trace, uint32_t lane, double added_ns, struct arena *arena);

/* In a time of the thread. */
double recorder_cost_between(const struct recorder_cost *cost, int64_t start_ns, int64_t end_ns);

#endif
