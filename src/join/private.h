/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the join share while one trace is joined. */
#ifndef JOIN_PRIVATE_H
#define JOIN_PRIVATE_H

#include "base/map.h"
#include "join.h"
#include "function.h"
#include "saving.h"
#include "sync_lines.h"

enum {
    FINDING_NONE = UINT32_MAX,
    MOST_EVENTS = 20,   /* rows told of a finding */
    MOST_REPLAYS = 300, /* a trace; findings beyond keep an unknown saving */
};

/* How often PyTorch saw a finding's line wait. */
struct seen {
    int64_t count, steps;
};

struct join {
    struct lint *lint;
    struct arena *arena;    /* of the findings */
    struct arena scratch;   /* of the join */
    uint32_t finding_count; /* of the source */
    struct evidence evidence;
    struct locator *locator;
    struct map by_function;     /* (file, function) to the first of its findings */
    uint32_t *next;             /* by finding: the next of its function; FINDING_NONE */
    struct map calls;           /* (function, built-in) to how many calls it has */
    enum tier *tiers;           /* by finding */
    struct sighting *sightings; /* by finding */
    struct sync_lines lines;
    struct seen *seen;      /* by finding */
    bool *explained;        /* by move */
    struct map moving;      /* (file, function) below which something copies or waits */
    bool unplaced;          /* something copies or waits of which nobody knows where */
    uint32_t *claims;       /* by move: how many findings show it */
    struct map host_claims; /* the same by row of the host */
    uint32_t replays;
};

/* The first finding of a function; FINDING_NONE. */
uint32_t join_first(const struct join *join, struct located at);

/* Confirms findings at lines that were seen to wait; how many such lines lie in the linted files. seen.c */
uint32_t join_seen(struct join *join);
bool join_seen_in_steps(const struct join *join, uint32_t finding);
str join_seen_note(const struct join *join, uint32_t finding, str note); /* with a sentence about it, where it was */

/* Findings about work of the host: preparation, data loaders, loops over elements. preparation.c */
void join_preparation(struct join *join);

/* Savings of a trace in which no device works. host.c */
void join_host(struct join *join, struct joined *joined);
/* Savings of time of the host beside a device that works: what a replay without it spares. host_replay.c */
void join_host_beside_device(struct join *join, struct joined *joined);
/* The rows behind a finding. join.c */
void join_tell_events(struct join *join, const struct sighting *sighting, struct lint_finding *finding);

/* What the trace says of the weight of findings. judge.c */
void join_judge(struct join *join);

/* Moves that matter and that no finding explains become findings; how many. trace_only.c */
uint32_t add_unexplained(struct join *join);

/* A warning about the trace that is joined. join.c */
void join_warn(struct join *join, const char *message);

/*
 * Of what several findings show an equal part counts for each, so that no sum over findings is more than the trace
 * shows. share.c
 */
void join_count_claims(struct join *join);
double join_share_of_move(const struct join *join, uint32_t move);
double join_share_of_host(const struct join *join, uint32_t row);
int64_t join_blocked_of(const struct join *join, const struct sighting *sighting); /* a step */
int64_t join_saving_of(const struct join *join, const struct sighting *sighting);  /* a step; -1: told by no replay */

/* A sentence about what a step of the trace shows. note.c */
str sighting_note(const struct join *join, const struct sighting *sighting, int64_t saving_ns);
str group_note(const struct join *join, const struct move_group *group, int64_t saving_ns);

#endif
