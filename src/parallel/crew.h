/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that share a table, or the traces of a job. Alone there is one;
 * the program steptime-mpi brings as many as mpirun starts. Each reads its share,
 * and the first puts together what they made of it and shows that.
 */
#ifndef PARALLEL_CREW_H
#define PARALLEL_CREW_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

struct crew {
    unsigned rank, count;
    /*
     * Brings the bytes of every process to the first, in order of ranks: parts has room for count; the others' parts are not
     * set. False with *err. A process that dies ends them all.
     */
    bool (*gather)(str mine, struct arena *arena, str *parts, struct steptime_error *err);
    /* The sum of a count over all processes, to each of them. */
    bool (*total)(uint64_t mine, uint64_t *all, struct steptime_error *err);
};

/* The one that this process belongs to; alone unless crew_join was called at its start. */
const struct crew *crew_ours(void);
void crew_join(const struct crew *crew); /* lives as long as the process */

#endif
