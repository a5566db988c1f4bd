/* SPDX-License-Identifier: Apache-2.0 */
/* What held back device work that was launched and had not started, while the device was idle. */
#ifndef BREAKDOWN_QUEUE_H
#define BREAKDOWN_QUEUE_H

#include "breakdown/parts/sweep.h"

/*
 * Whether the work that ends the gap stood behind an event of another stream: it
 * was launched before the gap, and either another stream's work was the last to
 * end, or a wait for an event was put into its stream just before it.
 */
bool queue_behind_event(const struct trace *trace, const struct sweep_piece *gap);

#endif
