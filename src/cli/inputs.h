/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a command to the files to read. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "command.h"

struct inputs {
    const char **paths;
    uint32_t count;
    int64_t packed_bytes; /* of all files, where known */
};

/*
 * Files as they are named, and of a directory the traces that lie in it: in
 * natural order (rank2 before rank10), told from other files by content, hidden
 * files and subdirectories left aside. False: no arguments (STEPTIME_USAGE), a
 * directory without a trace (STEPTIME_INPUT).
 */
bool inputs_of(const struct call *call, struct arena *arena, struct inputs *inputs, struct steptime_error *err);

/* Digits compare as numbers, the rest bytewise. */
int natural_order(const char *a, const char *b);

#endif
