/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that this process works on, for another process that watches it: should this one die, that one can tell which
 * file it was. With several threads it is the file that one of them began last; who must know exactly uses one thread.
 */
#ifndef BASE_AT_WORK_H
#define BASE_AT_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

struct at_work {
    _Atomic(const char *) path; /* of the file; NULL: all of them together, or none */
};

extern struct at_work *at_work_seen;           /* by whoever watches */
extern void (*at_work_hook)(const char *path); /* of tests: called for each file; NULL */
extern bool at_work_alone; /* the process is the program's own: it may be doubled, so that one watches the other */

static inline void at_work_on(const char *path)
{
    atomic_store_explicit(&at_work_seen->path, path, memory_order_relaxed);
    if (at_work_hook && path)
        at_work_hook(path);
}

#endif
