/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job again, by what its ranks answer when the others let them go earlier (breakdown/verdict/responses.h): what came last is
 * chosen again then, so what is saved is not "at most", as by strips (lines_replay.h), but what their graphs say.
 *
 * All rows of all ranks are laid out in the order in which they are asked for, and several experiments are made with one pass
 * over them: of thousands of ranks memory is what takes the time.
 */
#ifndef BREAKDOWN_LINES_ANSWERS_H
#define BREAKDOWN_LINES_ANSWERS_H

#include "breakdown/verdict/responses.h"
#include "lines.h"

enum { ANSWERS_ABREAST = 4 };

struct answer_trial {
    enum resource resource; /* RESOURCE_NONE: nothing is changed; of communication bytes take no time to move either */
    bool removed;           /* it takes no time */
    uint32_t late;          /* a rank that comes with the last but one; NO_RANK: each comes as it does */
    const struct response_blend *blend;                                /* by rank, in the place of the resource; NULL */
    int64_t (*transfer)(const void *of, uint32_t meeting, int64_t ns); /* what one takes; NULL: as recorded */
    const void *of;
    int64_t *longer_ns; /* filled: by rank, by how much longer its steps take than recorded; below 0: shorter */
};

/* Of each rank its answers. */
struct answers;
struct answers *lines_answers_new(const struct lines *lines, const struct responses *const *of, struct arena *arena);

void lines_answers_run(struct answers *answers, const struct answer_trial *trials, uint32_t count);

/* Which of its experiments that is; the first, which changes nothing, where it has none of these. */
uint32_t answers_run_of(const struct responses *responses, enum resource resource, bool removed);

#endif
