/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strip: all that a job needs to know of what one rank did. For each of its
 * collectives, and for its last end, the way that led there: backwards from node
 * to node of the rank's own graph (graph_before), until that arrives in an earlier
 * collective of the rank, or at its first step.
 *
 *     way of a collective   ends at its entry: of a kernel at its start, on the host at the call
 *     stretch               a part of a way: its time, summed by kind. What goes before it is another stretch, a
 *                           collective, or the rank's beginning
 *
 * Ways that run together share their stretches, so these are a forest, and the
 * pass over the graph that makes it sees each node once. A stretch never runs
 * across the end of a collective of the rank: so what a rank did since it left one
 * is a sum of whole stretches. Both bound a strip by its collectives, not by its
 * events.
 *
 * Invariants (strip_check):
 *
 *     the pieces of a stretch sum to its length
 *     a stretch begins where what goes before it ends, or inside the collective that goes before it
 *     what goes before a stretch has a lower number
 *
 * A path of a trace and a path of its sketch are the same, since both are made of
 * its strip. Plain data: one arena, no pointers into the trace.
 */
#ifndef BREAKDOWN_STRIP_H
#define BREAKDOWN_STRIP_H

#include "breakdown/ranks/ranks.h"
#include "path_class.h"

/* What goes before something. */
enum strip_from {
    STRIP_START,      /* the rank's beginning */
    STRIP_STRETCH,    /* the stretch `index`, which ends there */
    STRIP_COLLECTIVE, /* the collective `index` of the rank, inside it or at its end */
};

struct strip_link {
    uint32_t from : 2; /* enum strip_from */
    uint32_t index : 30;
};

/* What time was spent on. */
struct strip_kind {
    uint32_t name; /* of names[]: the event or range of long ones; 0: none */
    uint8_t class; /* enum path_class */
    uint8_t cause; /* enum cause; CAUSE_NONE where the class says all */
    uint8_t phase; /* enum phase */
};

/* How long it is and its time, a piece a kind, are told by strip_start_ns and strip_walk (strip_pieces.h). */
struct strip_stretch {
    int64_t end_ns; /* of the trace */
    struct strip_link before;
    uint32_t pieces_at;
};

struct strip {
    int64_t first_ns,
        last_ns; /* of the rank: the start of its first selected step; the end of its last, or of device work */
    struct strip_link *ways; /* what goes before the entry of each collective; one more: before last_ns */
    uint32_t way_count;      /* collectives + 1; 0: none was made, for the rank has no collectives */
    struct strip_stretch *stretches;
    uint32_t stretch_count;
    const struct strip_kind *kinds; /* of pieces, each once */
    uint32_t kind_count;
    const uint8_t *pieces; /* packed */
    uint32_t piece_count;
    str *names; /* [0] is "" */
    uint32_t name_count;
};

/* The numbers are those of the graph's trace, of the same selection. Lives in the arena. */
void strip_of(const struct graph *graph, const struct judged_rows *rows, const struct selection *selection,
              const struct rank_numbers *numbers, struct arena *arena, struct strip *out);

/* Whether the invariants hold. Slow: for tests, and for what was read from a file. */
bool strip_check(const struct strip *strip);

#endif
