/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step would save: a change of the dependency graph, put together piece
 * by piece, and replayed. Pieces of several findings are put into one relief to
 * learn what they save together; that is rarely the sum, since a wait that is
 * taken away may only move to the next one, and a step that its device fills
 * saves nothing.
 *
 *     struct relief *relief = relief_new(graph);
 *     relief_remove(relief, row_of_an_item);
 *     relief_remove(relief, row_of_another);
 *     per_step_ns = relief_saving_ns(relief);
 *     relief_clear(relief);
 *     ...
 *     relief_free(relief);
 *
 * A replay is one pass over the graph.
 */
#ifndef EVIDENCE_RELIEF_H
#define EVIDENCE_RELIEF_H

#include "movement.h"

struct relief;

/* The graph, and its trace, must live as long. */
struct relief *relief_new(const struct graph *graph);
void relief_clear(struct relief *relief); /* as recorded */
void relief_free(struct relief *relief);

/* An operator or call is gone: its time on the host, its waits, and the device work that it gave. */
void relief_remove(struct relief *relief, uint32_t row);

/* A copy no longer keeps the host: neither call waits, and the copy call takes no longer than one that only queues. */
void relief_unblock(struct relief *relief, const struct move *move);

/* Device work takes so long. */
void relief_device(struct relief *relief, uint32_t row, int64_t dur_ns);

/* A thread of the host does not work between two times. Calls there that give the device work keep theirs. */
void relief_host(struct relief *relief, uint32_t lane, int64_t start_ns, int64_t end_ns);

/* A thread of the host does nothing between two times: its calls there are gone, and the device work that they gave. */
void relief_stretch(struct relief *relief, uint32_t lane, int64_t start_ns, int64_t end_ns);

/*
 * How much shorter a step becomes: the time from the end of a step to the end of
 * the next, in the mean over the trace, less the same after the change. A step
 * ends when the training thread and the device work launched in it have. So what
 * happens once, before the first step ends, does not count; of a trace with one
 * step the end of that step does. May be negative by a launch or so, where other
 * work gets in the way. Both are without the recorder where it made steps much longer (graph/bare.h).
 */
int64_t relief_saving_ns(struct relief *relief);

/* A step as recorded, as above. */
int64_t relief_step_ns(const struct relief *relief);

/* Of a time of the host what is left without the recorder; 1: it is in all savings, as it cost little or nobody knows. */
double relief_bare_share(const struct relief *relief);

#endif
