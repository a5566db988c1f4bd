/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which stream the work of a dry run goes and what it waits for, by the marks that the run left (trace/execution.h).
 * A collective on a stream of its own begins when what is on the current stream is done; the stream that waits for it goes
 * on when it is.
 */
#ifndef PREDICT_PLAN_STREAMS_H
#define PREDICT_PLAN_STREAMS_H

#include "plan.h"

struct plan_streams;

/* NULL where the program has no marks and no collectives of a dry run. Sets the plan's count of streams. */
struct plan_streams *plan_streams_open(const struct program *program, struct plan *plan, struct arena *arena);

/* The operator is about to launch. */
void plan_streams_come(struct plan_streams *streams, uint32_t op);

/* Its work, which is the last launch of the plan; the collective it is, or NULL. */
void plan_streams_put(struct plan_streams *streams, struct plan *plan, const struct collective *collective);

void plan_streams_close(struct plan_streams *streams); /* NULL is fine */

#endif
