/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two recordings of the same steps of one process, one with times and one with Python's stacks, become one trace.
 *
 * Stacks slow the steps that they are recorded in, so the times of that recording are worth nothing. But both have the
 * same operators in the same order. Step by step and thread by thread operators of equal names are paired; each pair says
 * where two moments of the slow clock lie on the true one, and between these moments time is stretched evenly, but for what of it
 * was plainly a wait for a processor (trace/undisturbed.h). The frames
 * of the second recording are set to the times that follow, and written into the first. Its own events stay as they are,
 * byte by byte.
 */
#ifndef RECORD_STACKS_H
#define RECORD_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "steptime/error.h"

struct stacks_joined {
    uint64_t operators, paired; /* of the recording with times, in steps that both have; a part of them */
    uint64_t frames;            /* that were written */
    double note_ns; /* what noting the begin or end of one took, and was taken off: of the dearest thread; 0: unknown */
};

/*
 * From two traces of PyTorch's profiler (plain or gzip) a third, gzip; `to` may be the first one's path. False with *err
 * where one cannot be read, or the file not be written: then it is as it was.
 */
bool stacks_join(const char *times, const char *stacks, const char *to, struct stacks_joined *joined,
                 struct steptime_error *err);

#endif
