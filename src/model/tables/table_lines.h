/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels as lines of a table that names forms, as table.h reads them back: a column for every size that one of the kernels
 * has, and for types, formats and libraries where one is out of the ordinary.
 */
#ifndef MODEL_TABLE_LINES_H
#define MODEL_TABLE_LINES_H

#include "base/arena.h"
#include "base/buf.h"
#include "ops/operators/kernel.h"

struct table_lines {
    const struct kernel *const *kernels;
    uint32_t count;
    uint64_t sizes[FORMS]; /* bits: sizes of that form whose name no form before has */
    bool key_dtype, format, library, queued;
};

struct table_lines table_lines_of(const struct kernel *const *kernels, uint32_t count);

/* "op,device,form,dtype,backward,b,m,n,k,latency_us" */
str table_lines_header(const struct table_lines *lines, struct arena *arena);

/* The kernel as one, measured in so many microseconds; 0: left to be filled in. */
str table_line(const struct table_lines *lines, const struct kernel *kernel, str device, double us,
               struct arena *arena);

#endif
