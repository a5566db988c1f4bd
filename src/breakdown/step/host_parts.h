/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side of the steps: what the thread that runs the training loop was in,
 * by the innermost event. While that thread is in no event, a collective that
 * runs on another thread of the host is what it waits for, else the operator of
 * the backward thread.
 */
#ifndef BREAKDOWN_HOST_PARTS_H
#define BREAKDOWN_HOST_PARTS_H

#include "breakdown.h"
#include "breakdown/idle/host.h"
#include "breakdown/parts/step_cut.h"

typedef void host_parts_take(void *context, uint32_t step, enum part part, uint32_t row, int64_t ns);

/* Gives every nanosecond of the steps, in order. row is ROW_NONE where no event was open. */
void host_parts(const struct trace *trace, struct host *host, const uint8_t *phases, const struct step_cut *steps,
                host_parts_take *take, void *context);

#endif
