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

#include "lines_ways.h"

/* What takes how long now. Members that are NULL change nothing. */
struct replay_change {
    way_wants *wants; /* which of the changes that the replay was made with */
    int64_t (*transfer)(const void *of, uint32_t meeting, int64_t ns);
    const void *of;
};

/* The order in which a job is replayed, and room to do it in. `changes`: of pieces. */
struct replay;
struct replay *lines_replay_new(const struct lines *lines, const struct way_changes *changes, struct arena *arena);

/* From the first start of the job to its last end. */
int64_t lines_replay_run(struct replay *replay, const struct replay_change *change);

#endif
