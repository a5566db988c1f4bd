/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that stand for all others, so that not all have to be replayed.
 *
 * They follow each other, so that queues carry over from step to step as they do
 * in all. They are those whose mean step is most like that of all: in time, in
 * calls of the training thread and in pieces of device work. Where no such steps
 * are alike enough, or where so much more happens in other steps that it could be
 * shown, there are none: then all steps are replayed.
 */
#ifndef BREAKDOWN_SAMPLE_H
#define BREAKDOWN_SAMPLE_H

#include "trace/select.h"

enum { SAMPLE_STEPS = 20 };

/* So many of the judged steps; count 0: they do not stand for all. */
struct step_range sample_of_steps(const struct trace *trace, const struct selection *selection, uint32_t steps);

/* Those that are replayed for all where all would cost more; count 0: all are. */
struct step_range sample_of(const struct trace *trace, const struct selection *selection);

#endif
