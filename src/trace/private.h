/* SPDX-License-Identifier: Apache-2.0 */
/* The writable side of struct trace, for the files of this room alone. */
#ifndef TRACE_PRIVATE_H
#define TRACE_PRIVATE_H

#include "base/map.h"
#include "sparse.h"
#include "trace.h"

struct trace_private {
    struct intern *names;
    struct arena arena;

    /* the columns of struct trace, all of the same room */
    int64_t *start_ns, *dur_ns;
    uint32_t *name, *lane, *parent, *cause;
    uint8_t *kind;
    size_t room;
    struct sparse attr[ATTRS];

    struct lane *lanes;
    size_t lanes_room;
    struct map lane_index; /* hash of a lane's identity to its index */
    uint32_t last_lane;    /* the answer before: events come in runs of one lane */

    struct flow *flows;
    size_t flow_count, flow_room;
    struct note *notes;
    size_t notes_room;
    uint32_t cut_texts, cut_lanes; /* how many there were at the last trace_cut */

    /* made by trace_finish */
    uint32_t *order;         /* all rows, grouped by lane and nest */
    uint32_t *group;         /* group[lane * NESTS + nest]: where its rows begin in order; one past the end at last */
    struct map far_operator; /* of a row whose operator is more than TRACE_LONGEST_CLIMB parents away */
    uint32_t *device_lanes;  /* lanes with device work by device, then lane */
    uint32_t device_lane_count;
    uint32_t *caused; /* device rows by cause row, then time */
    uint32_t caused_count;
    uint32_t unlinked;     /* device rows that no id links */
    struct sparse forward; /* of a backward row: its forward row */
    struct step *steps;
    uint32_t main_lane;
    struct trace_oddities odd;
};

void trace_mirror(struct trace *trace);                      /* the public face shows what the private side holds now */
void trace_make_room(struct trace *trace, size_t rows);      /* for that many more */
void trace_free_rows(struct trace *trace);                   /* the columns, arrows and notes */
void trace_keep_note(struct trace *trace, struct note note); /* its text is copied */

enum { TRACE_LONGEST_CLIMB = 16 }; /* calls of equal times nest in each other, thousands deep where a clock is coarse */

void trace_set_strays_aside(struct trace *trace); /* before anything else of the finish */
void trace_nest(struct trace *trace);             /* order, group, parent, far_operator */
void trace_find_devices(struct trace *trace);
void trace_link_ids(struct trace *trace); /* cause, as far as ids tell; needs no nesting */
void trace_link(struct trace *trace);     /* the rest of cause, caused */
void trace_pair(struct trace *trace);     /* forward */
void trace_find_steps(struct trace *trace);
void trace_find_main_lane(struct trace *trace);
void trace_count_oddities(struct trace *trace); /* and tells which launches lost their work */

/* Sorts rows by (start, longer first, row). */
void trace_sort_rows(const struct trace *trace, uint32_t *rows, size_t count);

#endif
