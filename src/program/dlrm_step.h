/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a step of a recommendation model; a file each: dlrm.c has the forward pass. */
#ifndef PROGRAM_DLRM_STEP_H
#define PROGRAM_DLRM_STEP_H

#include "dlrm.h"
#include "build.h"

enum { DLRM_OPERATORS = 2 * DLRM_LAYERS + 8 };

/* A layer: its sizes, and the calls of the forward pass that made nodes of the backward graph. */
struct dlrm_layer {
    int64_t in, out;
    uint32_t transpose, product, activation; /* aten::t, aten::addmm, aten::relu or aten::sigmoid */
    bool sigmoid, first;                     /* first: of the bottom MLP, whose input needs no gradient */
};

struct dlrm_step {
    const struct dlrm *dlrm;
    struct program_build build;
    struct dlrm_layer bottom[DLRM_LAYERS], top[DLRM_LAYERS];
    int64_t vectors; /* that interact: tables and the bottom MLP */
    int64_t pairs;   /* of vectors */
    int64_t inputs;  /* of the top MLP */
    uint32_t lookup, stack, flip, interaction, slice, index, join,
        loss; /* calls of the forward pass; of bags the first */
};

/* "[[#, #]]" with a number in the place of each #, in the arena of the program. */
str dlrm_dims(struct dlrm_step *s, const char *form, const int64_t *numbers);

/*
 * Opens a call with sizes; dlrm_call closes it at once. `types` has a letter an
 * argument: f, i, l (int64), F and L for lists of them, . for what is no tensor.
 */
uint32_t dlrm_open(struct dlrm_step *s, const char *name, str dims, const char *types);
uint32_t dlrm_call(struct dlrm_step *s, const char *name, str dims, const char *types);
void dlrm_close(struct dlrm_step *s);

void dlrm_backward(struct dlrm_step *s);
void dlrm_optimizer(struct dlrm_step *s);
void dlrm_zero_grad(struct dlrm_step *s);

#endif
