/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that read one log: what the records of one process have in common. */
#ifndef COMPILELOG_READING_H
#define COMPILELOG_READING_H

#include "base/intern.h"
#include "base/map.h"
#include "compilelog.h"

struct reading {
    struct compile_log *log;
    struct intern *names;
    struct map compiles; /* frame and number: index of its compile */
    struct map files;    /* number of an interned file name: its text's id in `names` */
    struct map nodes;    /* compile and name of a node of its graph: index of its place */
    struct map kernels;  /* compile and name: index of the kernel */
    struct log_place *places;
    uint32_t place_count;
    size_t place_room;
    int64_t rank; /* of the file's name; -1 */
};

/* A key of a compile and a name. */
static inline int64_t reading_key(struct reading *reading, uint32_t compile, str name)
{
    return (int64_t)((uint64_t)compile << 32 | intern_id(reading->names, name));
}

/* Where the nodes of a graph come from: "# File: ..., code: ..." above them. */
void reading_graph(struct reading *reading, uint32_t compile, str body);

/* The kernels of a record inductor_output_code. */
void reading_code(struct reading *reading, uint32_t compile, str body);

/* The lines of kernels, of a record inductor_provenance_tracking_kernel_stack_traces. */
void reading_stacks(struct reading *reading, uint32_t compile, str body);

#endif
