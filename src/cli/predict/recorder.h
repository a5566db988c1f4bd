/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that measures kernels on a GPU, one a line: python/measure.py, or one of the user's own. It says `device NAME`,
 * `with WORDS` (its versions), `stub` where it measures nothing, and `ready`, or `cannot WHY`. Then each line `FORM OPERATOR
 * TYPE NAME=SIZE ...` is answered by `us MICROSECONDS` or `cannot WHY`. It ends when its input does.
 */
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

#include <sys/types.h>

#include "base/arena.h"
#include "ops/operators/kernel.h"
#include "steptime/error.h"

struct recorder {
    pid_t child;
    int to, from;
    char buffer[512]; /* of what was read and not yet taken */
    size_t held;
    str device, with;
    bool stub;
};

/* `command` runs in a shell; NULL: the built-in one by python3. False with *err: it cannot, and why. */
bool recorder_start(struct recorder *recorder, const char *command, struct arena *arena, struct steptime_error *err);

/* Microseconds; 0 where it cannot measure that one. False where it has ended, or does not answer. */
bool recorder_measure(struct recorder *recorder, const struct kernel *kernel, double *us);

void recorder_stop(struct recorder *recorder);

#endif
