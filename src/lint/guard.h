/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that defeats the analysis costs that file, never the run. Before it looks at files the program doubles itself:
 * one process does all the work and goes on, the other one watches and, once the look is over, ends as it ends. Should the
 * worker die over a file, the one that watches starts again, with one thread, so that it knows over which, and then without
 * that file.
 *
 * A program that serves looks again and again. Then each look is watched, by who worked before: once it is over, that one
 * goes, and the first process, whose number others know, takes the new worker as its own. So there are two processes
 * between looks, and three during one.
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
    bool lost_all; /* it died over too many files, or over none that can be told: no file is left */
    unsigned threads;
};

/*
 * Returns in the process that works. Files that were lost are taken out of the collection and told in *guard. Where no
 * process can be made, or this one is somebody else's, the work is done here. One who serves has each look guarded, and
 * goes on without any file where no other way is left; others have their first look guarded and end as the worker died.
 */
void guard_files(struct collection *files, unsigned threads, bool serves, struct guard *guard);
/* From here on nothing is started again: findings are told, files may be written. */
void guard_end(void);

#endif
