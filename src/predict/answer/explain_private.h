/* SPDX-License-Identifier: Apache-2.0 */
/* What is explained, for the files that take it and draw it. */
#ifndef PREDICT_EXPLAIN_PRIVATE_H
#define PREDICT_EXPLAIN_PRIVATE_H

#include "explain.h"

/* What a number is made of. */
enum behind {
    BEHIND_NOTHING,    /* other numbers */
    BEHIND_NAMES,      /* names of operators, each with what a step is shorter without them */
    BEHIND_STEPS,      /* steps, each with its part of the mean */
    BEHIND_HOST,       /* operators and the host's time in and before them */
    BEHIND_WAITS,      /* operators and the host's waiting in them */
    BEHIND_LAUNCHES,   /* launches: each nanosecond with work counts for the one that began first */
    BEHIND_GAPS,       /* launches and the idle time before them */
    BEHIND_COLLECTIVE, /* as BEHIND_LAUNCHES, of communication */
    BEHIND_EXPOSED,    /* of that what no other work covers */
    BEHIND_RECORDED,   /* launches by where their time comes from */
    BEHIND_MODELLED,
    BEHIND_GUESSED,
    BEHIND_ERROR,     /* launches and by how much their model may be off */
    BEHIND_DOUBT,     /* the same by one standard deviation, of whatever is not recorded */
    BEHIND_OPERATORS, /* operators at the top, one each */
    BEHIND_LAUNCHED,  /* operators and how many launches they make */
    BEHIND_SHAPELESS, /* operators without arguments */
    BEHIND_UNUSABLE,  /* operators whose sizes cannot be */
};

struct predict_number {
    const char *id;
    enum behind behind;
    const char *formula;
};

extern const struct predict_number predict_numbers[];
extern const uint32_t predict_number_count;

enum { EXPLAINED_MOST = 200 }; /* events listed of a number */

struct explained_event {
    int64_t step, event; /* event: row of the trace, node, line; -1: none */
    str name, around;    /* around: the operator at the top */
    double amount;       /* us, or what the number counts; its part of the mean over the steps */
    double start_us, dur_us;
};

/* One rank's. */
struct explained_rank {
    int64_t rank;
    bool together;
    struct explained_event *events; /* the largest; [EXPLAINED_MOST] */
    uint32_t count;
    uint64_t all; /* with those not listed */
    double sum;
};

struct predict_explain {
    const struct predict_number *number; /* NULL: the list */
    struct arena *arena;
    struct explained_rank *ranks;
    uint32_t rank_count;
};

#endif
