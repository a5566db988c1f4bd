/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a program: what it reads and writes, which signals it heeds, and whether it ends when this one does. */
#ifndef CHILD_START_H
#define CHILD_START_H

#include <signal.h>
#include <stdbool.h>

struct start {
    const char *const *argv;        /* ended by NULL; argv[0] is looked up in PATH */
    const char *const *environment; /* ended by NULL */
    const char *folder;             /* it runs in; NULL: here */
    const sigset_t *mask;           /* signals that it begins with blocked */
    int complaints;                 /* is its standard error; -1: that of this program */
    bool quiet;                     /* it has nothing to read, and what it prints is thrown away */
    bool own_group;                 /* of processes */
    bool dies_with_us;              /* where this program is killed it is, too (Linux) */
};

/* 0, or errno of what went wrong. Signals that this program ignores for itself (SIGPIPE, SIGXFSZ) are as usual over there. */
int start_program(const struct start *start, pid_t *pid);

#endif
