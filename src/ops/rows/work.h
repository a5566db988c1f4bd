/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device row is: compute, communication, a copy, a memset. The recorded
 * category decides first: a `kernel` row is never memory, whatever its name.
 * Which kernels communicate is a table of name patterns (nccl, rccl, msccl,
 * cross_device_reduce, nvshmem, deep_ep, ...); names are judged once each.
 */
#ifndef OPS_WORK_H
#define OPS_WORK_H

#include "trace/trace.h"

enum work_class { WORK_COMPUTE, WORK_COMMUNICATION, WORK_COPY, WORK_MEMSET, WORK_CLASSES };

str work_class_word(enum work_class class); /* "compute", "communication", ... */

/* The kind of a compute or communication kernel, by rules over its name. */
enum kernel_class {
    KERNEL_GEMM,
    KERNEL_CONVOLUTION,
    KERNEL_ATTENTION,
    KERNEL_EMBEDDING,
    KERNEL_NORM,
    KERNEL_SOFTMAX,
    KERNEL_REDUCTION,
    KERNEL_ELEMENTWISE,
    KERNEL_INDEX,  /* gather, scatter, index, sort, top-k */
    KERNEL_LAYOUT, /* transpose, cat, pad, copy kernels */
    KERNEL_POOLING,
    KERNEL_RANDOM,
    KERNEL_OPTIMIZER, /* multi-tensor apply and fused optimizers */
    KERNEL_TRITON,    /* generated, of no known kind */
    KERNEL_COMMUNICATION,
    KERNEL_OTHER,
    KERNEL_CLASSES,
};

str kernel_class_word(enum kernel_class class);

enum copy_direction { COPY_H2D, COPY_D2H, COPY_D2D, COPY_P2P, COPY_H2H, COPY_UNKNOWN, COPY_DIRECTIONS };
enum host_memory { HOST_PINNED, HOST_PAGEABLE, HOST_UNKNOWN, HOST_MEMORIES }; /* HOST_UNKNOWN also for D2D and P2P */

str copy_direction_word(enum copy_direction direction); /* "H2D" */
str host_memory_word(enum host_memory memory);          /* "pinned" */

struct work_classes;

/* Judges every name of the trace once; lives in the arena. */
struct work_classes *work_classes_new(const struct trace *trace, struct arena *arena);

/* Of a device-work row (kernel, copy, memset). */
enum work_class work_class(const struct work_classes *classes, uint32_t row);
enum kernel_class work_kernel_class(const struct work_classes *classes, uint32_t row);     /* of a kernel row */
enum copy_direction work_copy_direction(const struct work_classes *classes, uint32_t row); /* of a copy row */
enum host_memory work_copy_memory(const struct work_classes *classes, uint32_t row);

/* A host row that is itself communication done on the host: gloo:all_reduce and its like, an operator that waits for one. */
bool work_host_communication(const struct work_classes *classes, uint32_t row);

/* An operator that waits, inside of itself, for what another thread does: aten::wait, _c10d_functional::wait_tensor. */
bool work_awaits(const struct work_classes *classes, uint32_t row);

#endif
