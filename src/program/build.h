/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a program call by call, for sources that describe a model instead of recording it. */
#ifndef PROGRAM_BUILD_H
#define PROGRAM_BUILD_H

#include "program.h"

/* A zeroed struct with its arena set is an empty program. program_built frees what grew. */
struct program_build {
    struct arena *arena; /* of the result */
    struct program_op *ops;
    size_t count, room;
    struct program_launch *launches;
    size_t launch_count, launch_room;
    uint32_t open; /* the innermost open call, plus 1; 0 at the top */
    uint8_t phase; /* enum phase, of the calls to come */
    uint32_t thread;
};

/* Opens a call inside the one that is open, and gives its number. `types` "float" stands for all tensors of `dims`. */
uint32_t program_build_open(struct program_build *b, str name, str dims, str types, str values);
void program_build_close(struct program_build *b);

/* Opens and closes. */
uint32_t program_build_call(struct program_build *b, str name, str dims, str types, str values);

/* Groups the calls until it is closed. */
void program_build_label(struct program_build *b, str name);

/* A copy between host and device by the open call, after which the host goes on only when it is done. */
void program_build_copy(struct program_build *b, enum copy_direction direction, enum host_memory memory, int64_t bytes);

/* A launch of which nothing is known. */
struct program_launch program_blank_launch(void);

/* A copy of which nothing is known, not even the direction: for those who fill in what they know. */
struct program_launch program_unrecorded_copy(void);

/* The gradient that the call computes is that of `forward`. */
void program_build_forward(struct program_build *b, uint32_t op, uint32_t forward);

struct program program_build_finish(struct program_build *b, enum program_source source);

#endif
