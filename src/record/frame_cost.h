/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recording Python's frames cost a thread, and its time without that.
 *
 * A frame is noted when it begins and when it ends, and each note takes as long. So lines that call much are told as too long,
 * and those beside them as too short. What a note takes says the recording itself.
 */
#ifndef RECORD_FRAME_COST_H
#define RECORD_FRAME_COST_H

#include "trace/trace.h"
#include "trace/undisturbed.h"
#include "warp.h"

/* Of a note, in ns: where the shortest tenth of built-in functions that call nothing ends; 0 where there are few. */
double frame_cost_of(const struct trace *stacks, uint32_t lane);

/* From recorded time to time without waits and without notes; the caller's to free. */
struct warp frame_cost_without(const struct trace *stacks, uint32_t lane, const struct undisturbed *own,
                               double note_ns);

#endif
