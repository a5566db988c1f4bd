/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several nets at once, which meet: at a meeting nobody goes on before all have
 * come. Each net has a clock of its own.
 *
 * Members of recorded nets ended a meeting at one moment, so what counts is how
 * long before its recorded end each came: the meeting begins when the last has,
 * by that measure. Those of planned nets share the time of the plan.
 *
 *     begins = max over members (start - recorded end)      recorded; of planned nets max over members start
 *     ends   = recorded end + begins + work                 by the member's clock
 *
 * The work of a meeting is the least that any member has: the others had waiting
 * in theirs. A member whose node is gone does not come, and nobody waits for it.
 *
 * The invariants of time/net.h hold over all nets together.
 */
#ifndef TIME_JOB_H
#define TIME_JOB_H

#include "run.h"

struct member {
    uint32_t net, node;
};

struct meeting {
    uint32_t first, count; /* of members */
};

struct job {
    const struct net *nets;
    const struct change *changes; /* a net; NULL: as they are */
    uint32_t count;
    const struct member *members; /* a node is a member of one meeting at most */
    const struct meeting *meetings;
    uint32_t meeting_count;
    /* A net, of one that is run over and over: room for what its carries need of each pass (job_room). NULL: it is not. */
    int64_t *const *let_go;
};

/* For so many passes, in the arena. */
int64_t *const *job_room(const struct job *job, uint32_t passes, struct arena *arena);

/*
 * `schedules`, a net, are filled. Those of a pass after the first (pass 0) come in the place of those of the pass before.
 * False where nets wait for each other in a circle; then stuck[net], where it is not NULL, is the node that waits, or
 * NODE_NONE, and the schedules say nothing.
 */
bool job_run(const struct job *job, uint32_t pass, struct arena *arena, struct schedule *schedules, uint32_t *stuck);

#endif
