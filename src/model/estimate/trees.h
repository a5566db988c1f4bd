/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boosted regression trees: a sum of small trees that ask `feature < threshold?`.
 * What a family's analytic form leaves over is learned by them.
 *
 * As text a tree is one line, its nodes from the root on, each before what is
 * below it, the side where the answer is yes first:
 *
 *     tree 3<0.4375 -0.02 0<7.5 0.011 0.034
 *
 * asks of feature 3; on no, of feature 0. Thresholds and leaves are rounded
 * before the next tree is fitted, so what is read back evaluates to the same.
 */
#ifndef MODEL_TREES_H
#define MODEL_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct trees;
struct writer;

/* Nodes of a tree, inner ones and leaves. */
enum { TREE_NODES = 255 };

struct trees *trees_new(uint32_t feature_count, struct arena *arena);

/* What follows the word `tree`. False, with *problem in words, where it is none: nothing is added then. */
bool trees_add_line(struct trees *trees, str nodes, struct arena *arena, const char **problem);

/*
 * The same, of a text that outlives the trees, whose lines follow each other and are known to be whole: read together when
 * the trees are first asked for, on whatever thread, and kept while the program runs (model/estimate/late.h). Nothing else is added.
 */
void trees_add_late(struct trees *trees, str nodes, struct arena *arena);

/* A line `tree ...` for each. */
void trees_write(const struct trees *trees, struct writer *out);

uint32_t trees_count(const struct trees *trees);

/* The sum of the leaves that the features reach; finite. A feature that is no number answers no. */
double trees_eval(const struct trees *trees, const double *features);

struct trees_problem {
    const double *features; /* rows x feature_count, finite */
    const double *target;   /* of each row */
    const double *weight;   /* of each row, above 0; NULL: all 1 */
    uint32_t rows, feature_count;
};

struct trees_options {
    uint32_t trees;      /* at most so many; fewer where nothing is left to learn */
    uint32_t leaves;     /* of a tree, at most (TREE_NODES + 1) / 2 */
    uint32_t least_rows; /* of a leaf */
    double rate;         /* share of a leaf's mean that is taken: 0.05 to 0.3 */
    double knee; /* residuals far above it count by their size, not its square, as in least_squares.h; 0: all squared */
};

/* Deterministic: the same problem gives the same bits, on any number of threads. */
struct trees *trees_fit(const struct trees_problem *problem, const struct trees_options *options, struct arena *arena);

#endif
