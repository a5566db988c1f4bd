/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running somebody's program as if this one were not there: its input, output, signals and end are its own. What a
 * terminal sends to both (Ctrl-C) is the program's to answer; what is sent to this one alone is handed on.
 */
#ifndef CHILD_FOREGROUND_H
#define CHILD_FOREGROUND_H

#include <stdbool.h>

#include "steptime/error.h"

struct foreground {
    const char *const *argv;        /* ended by NULL; argv[0] is looked up in PATH */
    const char *const *environment; /* ended by NULL */
    bool quiet;                     /* it has nothing to read, and what it prints to standard output is thrown away */
    void (*look)(void *context);    /* called some times a second while it runs, and once when it has ended */
    void *context;
};

/* How it ended. */
struct foreground_end {
    int code;   /* where it exited */
    int signal; /* that killed it; else 0 */
};

/* False with *err: it could not be started. */
bool foreground_run(const struct foreground *run, struct foreground_end *end, struct steptime_error *err);

/* Ends this program as that one ended, where a signal did; else gives its exit code. */
int foreground_die_alike(struct foreground_end end);

#endif
