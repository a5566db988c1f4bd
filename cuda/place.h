/* SPDX-License-Identifier: Apache-2.0 */
/* Where the file goes, and which process it is of. */
#ifndef CUDA_PLACE_H
#define CUDA_PLACE_H

#include "out.h"

/*
 * A new file at $STEPTIME_CUDA_TO, a path without an ending (default: steptime-cuda), with the rank and ".cuda" behind it; where
 * that is taken, with the process's number. Its path goes to `path`. -1 with errno.
 */
int place_open(char *path, size_t bytes);

/* Rows that say host, process, command, rank. */
void place_tell(struct out *out);
void place_info(struct out *out, enum cudafile_info key, const char *text);

#endif
