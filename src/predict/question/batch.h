/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch of a program: which size it is, which dimensions have it, and the
 * program with another.
 *
 * The size is told by what flows through: of the first tensor with two or more
 * dimensions of every operator of the forward pass that neither looks up tables
 * nor only changes a layout, the first dimension is counted. Tensors of three
 * dimensions and more tell before matrices, whose rows may be tokens; the size that most
 * of them have is the batch (of several the one that comes first), if three quarters of all
 * operators have a multiple of it. Where sequences are put together, or most operators have something else, there is
 * none that could be told, and `doubt` says why.
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

enum batch_doubt {
    BATCH_TOLD,
    BATCH_UNSEEN,  /* no operator has shapes */
    BATCH_PACKED,  /* rows are tokens of sequences put together: their number is nobody's size */
    BATCH_BEHIND,  /* steps of a sequence may come first, and the batch second */
    BATCH_SEVERAL, /* too many operators have another size in front */
};

struct batch {
    int64_t size;        /* 0: none that could be told */
    uint32_t had, asked; /* operators of which the first dimension was it, and all that were asked */
    enum batch_doubt doubt;
    int64_t seen;  /* where there is a doubt: the size that leads most operators (`had`), */
    int64_t other; /* and the one that may be it as well: of BATCH_BEHIND behind it, of BATCH_SEVERAL in front */
    uint32_t other_had;
};

struct batch batch_of(const struct program *program);

/* The program with sizes of `from` made those of `to`; shares all else with the original. In the arena. */
struct program batch_scaled(const struct program *program, int64_t from, int64_t to, struct arena *arena);

#endif
