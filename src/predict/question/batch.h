/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch of a program: which size it is, which dimensions have it, and the
 * program with another.
 *
 * The size is told by what flows through: of the first tensor with two or more
 * dimensions of every operator of the forward pass that neither looks up tables
 * nor only changes a layout, the first dimension is counted; the size that most
 * of them have is the batch (of several the one that comes first).
 *
 * A dimension belongs to it where it is a multiple of it (batch times sequence;
 * of a list, as of offsets, also one more) and, in this order: in a product of matrices it is one of rows of the left
 * operand, or, where the product has the shape of a parameter, the one that is
 * summed over; else it is the first of a tensor that is no parameter (one with the
 * shape of a parameter counts as one only where parameters stand), or, where the
 * first is no multiple, the second. Parameters are told by where they stand:
 * weights of forward products, convolutions, lookups and norms, and whatever the
 * optimizer touches. Numbers among the arguments (sizes of views) stay.
 */
#ifndef PREDICT_BATCH_H
#define PREDICT_BATCH_H

#include "program/program.h"

struct batch {
    int64_t size;        /* 0: none was found */
    uint32_t had, asked; /* operators of which the first dimension was it, and all that were asked */
};

struct batch batch_of(const struct program *program);

/* The program with sizes of `from` made those of `to`; shares all else with the original. In the arena. */
struct program batch_scaled(const struct program *program, int64_t from, int64_t to, struct arena *arena);

#endif
