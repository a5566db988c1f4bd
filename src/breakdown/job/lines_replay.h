/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job again, with some of its time changed: strips forwards. A collective is
 * entered when the way that led to it has run, nobody leaves a blocking one before
 * the last has come, and then it takes what it took. With nothing changed every
 * recorded time comes out.
 *
 * A strip knows the way that came last, not those that came just before. So what
 * is saved is at most what a replay says, but that a collective follows those of
 * its group on the same device is kept.
 */
#ifndef BREAKDOWN_LINES_REPLAY_H
#define BREAKDOWN_LINES_REPLAY_H

#include "breakdown/verdict/responses.h"
#include "lines.h"

/*
 * Ranks can also be asked what they do when the others let them go earlier (breakdown/verdict/responses.h): what came last
 * is chosen again then, so what is saved is not "at most" but what their graphs say.
 */
struct replay_answers {
    const struct responses *const *of;  /* by rank */
    const struct response_blend *blend; /* by rank: which of its experiments, or between which two */
    bool no_transfer;                   /* in the steps that are judged bytes take no time to move */
    uint32_t late;                      /* a rank that comes with the last but one; NO_RANK: each comes as it does */
};

/* What takes how long now. Members that are NULL change nothing. */
struct replay_change {
    int64_t (*piece)(const void *of, uint32_t rank, uint32_t stretch, uint32_t kind,
                     int64_t ns); /* kind: of the lines */
    int64_t (*transfer)(const void *of, uint32_t meeting, int64_t ns);
    const void *of;
    const struct replay_answers *answers; /* NULL: of strips; else the pieces do not matter */
};

/* The order in which a job is replayed, and room to do it in. */
struct replay;
struct replay *lines_replay_new(const struct lines *lines, struct arena *arena);

/* From the first start of the job to its last end. */
int64_t lines_replay_run(struct replay *replay, const struct replay_change *change);

/* By rank: by how much longer the steps that its answers are of take than recorded; below 0: shorter. Only with answers. */
void lines_replay_longer(struct replay *replay, const struct replay_change *change, int64_t *longer_ns);

#endif
