/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What published figures decide of a projection: the least and the most that any
 * population holding them can give, over all joints of architecture, cNodes and the
 * shares of the parts. Where both ends are far apart the answer for one population
 * (drawn as if what was not published were independent, say) is that population's,
 * not the figures'.
 *
 * It is a linear programme whose rows are the figures and whose columns are kinds of
 * jobs: corners (corners.h) for each number of cNodes. Of 64 cNodes and fewer each
 * number is taken, beyond that steps of a 64th, up to DECIDED_CNODES.
 */
#ifndef FLEET_DECIDED_H
#define FLEET_DECIDED_H

#include "figures.h"

enum { DECIDED_CNODES = 1024 };

enum answer { ANSWER_SPED_UP, ANSWER_CNODE_SPED_UP, ANSWER_MEAN, ANSWERS };

struct decided {
    bool known; /* else `why` */
    double least, most;
    str why;
};

struct decided_asked {
    const struct figures *figures;
    const struct cluster *here;
    const struct target *target;
    enum architecture group; /* the answer is of its jobs, each counting 1 */
};

/* All answers of a group, or why there are none. */
void decided_of(const struct decided_asked *asked, struct arena *arena, struct decided answers[ANSWERS]);

#endif
