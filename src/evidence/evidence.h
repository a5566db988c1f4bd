/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace shows of copies, synchronisations and preparation on the host,
 * opened as a whole:
 *
 *     struct evidence evidence;
 *     evidence_open(&evidence, trace, (struct place_filter){0});
 *     for each of evidence.groups: where, how often, host blocked, bubble ...
 *     relief_remove(evidence.relief, ...); relief_saving_ns(evidence.relief);
 *     evidence_close(&evidence);
 *
 * The trace must live as long. A trace without device activity has no moves.
 */
#ifndef EVIDENCE_EVIDENCE_H
#define EVIDENCE_EVIDENCE_H

#include "group.h"
#include "loops.h"
#include "pattern.h"
#include "preparation.h"
#include "relief.h"

struct evidence {
    const struct trace *trace;
    struct arena arena;
    struct work_classes *classes;
    struct graph *graph;
    struct device_times times;
    struct stacks *stacks;
    struct movement movement;
    struct move_groups groups;
    struct preparations preparations;
    struct element_loops loops;
    struct relief *relief;

    uint32_t steps;     /* at least 1 */
    int64_t wall_ns;    /* of all steps */
    int64_t busy_ns;    /* the first device in them */
    int64_t blocked_ns; /* the host, in moves of the steps */
    double pinned_gain; /* how much faster this trace uploads from pinned memory than from pageable; 1: unknown */
    uint32_t blocking;  /* moves in the steps that block */
};

void evidence_open(struct evidence *evidence, const struct trace *trace, struct place_filter filter);
void evidence_close(struct evidence *evidence);

/* A step that the device fills so far gains nothing from moves: at 95 % it is bound by the device. */
bool evidence_device_bound(const struct evidence *evidence);

#endif
