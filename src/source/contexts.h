/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The third round: what functions do to their callers and how often lines run, over the calls that evaluation found.
 * Nothing of the rounds before changes in it.
 */
#ifndef SOURCE_CONTEXTS_H
#define SOURCE_CONTEXTS_H

#include "cells.h"
#include "context.h"
#include "name.h"
#include "summary.h"

struct nodes {
    uint32_t *at;
    size_t count, room;
};

/* What is told of the lines of one file. */
struct placed {
    struct map loops;      /* node -> enum loop_kind, of those that are told */
    struct map elifs;      /* node -> enum otherwise of around.c, of those in which it says something */
    struct nodes training; /* calls that train, themselves or through functions of the run */
    struct nodes acting;   /* expressions that the next step of an environment needs */
};

struct contexts {
    struct arena arena;
    struct placed *of_file;
    bool *program_trains; /* per program: something in it calls backward or step */
    struct summary *summaries;
    struct site *callers;            /* grouped by target */
    uint32_t *first_caller;          /* function_count + 1 */
    bool *acts;                      /* per function: what it gives goes to the step of an environment */
    bool *evaluates;                 /* per function: it runs a model without training, whoever calls it */
    uint8_t *trains;                 /* per function: enum trains of loops.c */
    uint32_t *kept_from;             /* per function: from this node on it makes what it keeps for later calls; NONE */
    struct run_context *of_function; /* context.c */
};

/* All that the three rounds have found. */
struct project {
    struct files files;
    struct cells cells;
    struct contexts contexts;
};

/* ---- the steps of the round, in their order ---- */
void summary_build(struct project *project);
void context_build(struct project *project);
void contexts_free(struct project *project);

/* ---- asking ---- */
static inline const struct calls *calls_of(const struct project *project, uint32_t file)
{
    return &project->cells.of_file[file].calls;
}
const struct call *call_at(const struct project *project, struct site site); /* NULL */
static inline struct placed *placed_in(const struct project *project, const struct file *file)
{
    return &project->contexts.of_file[file->id];
}
static inline const struct value *node_value(const struct project *project, const struct file *file, uint32_t node)
{
    return cells_node(&project->cells, file->id, node);
}

#endif
