/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rounds have found, each in a struct of its own: files.h, cells.h, then what functions do (here), and how often
 * lines run, which only the last round looks into.
 */
#ifndef SOURCE_ROUNDS_H
#define SOURCE_ROUNDS_H

#include "project.h"
#include "source/values/cells.h"
#include "summary.h"

struct contexts;

/* Of all functions of the run. */
struct summaries {
    struct arena arena;
    struct summary *of_function;
    struct site *callers;   /* grouped by target */
    uint32_t *first_caller; /* function_count + 1 */
};

struct project {
    struct files files;
    struct cells cells;
    struct summaries summaries;
    struct contexts *contexts;     /* contexts.h */
    struct attributes *attributes; /* attributes.h */
};

static inline const struct calls *calls_of(const struct project *project, uint32_t file)
{
    return &project->cells.of_file[file].calls;
}
const struct call *call_at(const struct project *project, struct site site); /* NULL */
static inline const struct value *node_value(const struct project *project, const struct file *file, uint32_t node)
{
    return cells_node(&project->cells, file->id, node);
}

#endif
