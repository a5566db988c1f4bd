/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of an importer that gives one at a time, copied in blocks for the threads that work on them. */
#ifndef FLEET_JOB_COPIES_H
#define FLEET_JOB_COPIES_H

#include "import.h"

enum { JOB_COPIES = 1024 };

struct job_copies {
    struct job *jobs; /* room for JOB_COPIES */
    uint32_t count;
    uint64_t first; /* number of the first one, from 1 */
};

struct job_feed {
    struct import *import; /* NULL: the table has rows */
    uint64_t given;
    unsigned share, shares; /* every shares-th job is ours */
};

/* The next block of them; their texts live in the arena. False at the end. */
bool job_copies_next(struct job_feed *feed, struct job_copies *copies, struct arena *arena);

#endif
