/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running somebody's program: without a shell, in a process group of its own,
 * with nothing to read, its output thrown away and the end of its complaints
 * kept. Whatever it leaves running is ended with it, and on Linux it ends when this
 * program is killed.
 *
 * While one runs, an interrupt (SIGINT, SIGTERM, SIGHUP) ends it; the caller
 * tidies up and lets child_interrupted say what to die of.
 */
#ifndef CHILD_CHILD_H
#define CHILD_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

struct child_end {
    int status;     /* as an exit code; 128 + the signal's number where one killed it */
    bool timed_out; /* it ran longer than it might and was killed */
    str complaints; /* the last lines of its standard error, printable, each ended by a newline */
};

struct child_command {
    const char *const *argv;        /* ended by NULL; argv[0] is looked up in PATH */
    const char *const *environment; /* ended by NULL */
    const char *folder;             /* it runs in; NULL: here */
    int64_t limit_ns;
};

/* False: it could not be started, or an interrupt came. */
bool child_run(const struct child_command *command, struct arena *arena, struct child_end *end,
               struct steptime_error *err);

/* The signal that came while a child ran, or between the two calls below; 0: none. No child starts after it. */
int child_interrupted(void);

/* For work of several children: an interrupt between two of them is heard as well. Pairs may be nested. */
void child_hear_interrupts(void);
void child_stop_hearing(void);

#endif
