/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over elements of a tensor: for, while and comprehensions, within a step. */
#ifndef RULES_LOOP_H
#define RULES_LOOP_H

#include "rules/ask/ask.h"

bool loop_is(enum syntax_kind kind); /* FOR, WHILE, and the four comprehensions */

/* Whether it runs over elements, not over batches or epochs. In code that nobody in the run calls: as far as known. */
bool loop_over_elements(const struct check *check, uint32_t loop);

/* What it goes over: the iterable of a for or of the first clause of a comprehension; SYNTAX_NONE of a while. */
uint32_t loop_iterable(const struct syntax *tree, uint32_t loop);

/* Calls that hand on what they are given, item by item: enumerate, tqdm, iter ... */
bool loop_hands_on(const struct check *check, uint32_t call);

/* What it really goes over: t of enumerate(t), reversed(list(t)), tqdm(t). Of zip(a, b) the zip itself. */
uint32_t loop_source(const struct check *check, uint32_t loop);

/* Whether its rounds are counted by data: len(x), x.size(0), x.shape[0], a tensor or a container; not by a setting. */
bool loop_counts_data(const struct check *check, uint32_t loop);

/* Whether the expression depends on the round: it reads a name that the loop binds. */
bool loop_varies(const struct check *check, uint32_t node, uint32_t loop);

/* Whether a network runs in its rounds, so that they are no mere element access (a recurrent cell, a beam). */
bool loop_runs_module(const struct check *check, uint32_t loop);

/* Whether a round needs a tensor of the round before, so that rounds cannot be done at once; sums need none. */
bool loop_is_recurrence(const struct check *check, uint32_t loop);

/* Whether a mask selects in its rounds: each has another size, so that rounds cannot be stacked. */
bool loop_is_ragged(const struct check *check, uint32_t loop);

/*
 * Walks the nodes of a loop without those of loops and functions inside it.
 * Begin with at = loop; SYNTAX_NONE at the end.
 */
uint32_t loop_next(const struct syntax *tree, uint32_t loop, uint32_t at);

/* Of an index its parts: of `i, :, k` three, of `i` itself. */
uint32_t index_first(const struct syntax *tree, uint32_t index);
uint32_t index_next(const struct syntax *tree, uint32_t index, uint32_t part);

/* A subscript of a tensor on the device by a number that changes with the loop: one element, or one row. */
bool loop_takes_element(const struct check *check, uint32_t subscript, uint32_t loop);

#endif
