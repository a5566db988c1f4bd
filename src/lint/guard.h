/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that defeats the analysis costs that file, never the run. The program doubles itself before it looks at files:
 * one process does all the work and goes on, the other one waits for it and ends as it ends. Should it die over a file,
 * the one that waits starts again, with one thread, so that it knows over which, and then without that file.
 */
#ifndef LINT_GUARD_H
#define LINT_GUARD_H

#include "collect.h"

/* A file over which the analysis died. */
struct lost_file {
    str path;
    int ended; /* by this signal; 0: memory ran out */
};

enum { MOST_LOST = 4 }; /* after so many the run is given up: something else is wrong */

struct guard {
    struct lost_file lost[MOST_LOST];
    uint32_t lost_count;
    unsigned threads;
};

/*
 * Returns in the process that works. Files that were lost are taken out of the collection and told in *guard. Where no
 * process can be made, or this one is somebody else's, the work is done here.
 */
void guard_files(struct collection *files, unsigned threads, struct guard *guard);
/* From here on nothing is started again: findings are told, files may be written. */
void guard_end(void);

#endif
