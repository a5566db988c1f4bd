/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the tokens of a layer of experts fall on the experts of one GPU: alike, or by a power law, of which the most loaded
 * GPU is meant. Tokens an expert stand as so many shares of the experts, from the one with fewest to that with most.
 */
#ifndef MODEL_EXPERTS_LOAD_H
#define MODEL_EXPERTS_LOAD_H

#include "ops/operators/kernel.h"

enum { EXPERT_SHARES = 16 };

struct expert_load {
    double tokens, topk, experts, ranks; /* of the group: tokens, experts each meets, experts, GPUs */
    double held;                         /* experts of this GPU */
    double pairs;                        /* of a token and an expert of this GPU */
    double hit;                          /* experts of this GPU that any token comes to */
    double each[EXPERT_SHARES];          /* tokens an expert, for each share of those held */
};

struct expert_load expert_load_of(const struct kernel *kernel);

/* Tiles of so many rows that all experts together need, where each token makes `rows_each` rows. */
double expert_row_tiles(const struct expert_load *load, double rows_each, double tile);

#endif
