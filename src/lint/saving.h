/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fixing findings would spare a step, by replaying the dependency graph of
 * the trace without what their rules say the fix takes away. A set is evaluated
 * as one: its saving is rarely the sum of those of its members.
 */
#ifndef LINT_SAVING_H
#define LINT_SAVING_H

#include "join_fit.h"

/* What a trace has to say for a finding. */
struct proof {
    enum spares spares;
    uint32_t *moves; /* indices into the table of moves */
    size_t move_count, move_room;
    uint32_t *host; /* rows of the host: whose time the fix takes away, or the rounds of a loop that it spares */
    size_t host_count, host_room;
    uint32_t shared; /* how many findings of the function the trace cannot tell from this one; 0: none */
};

static inline bool proof_is_empty(const struct proof *proof)
{
    return !proof->move_count && !proof->host_count;
}

void proof_add_move(struct proof *proof, uint32_t move);
void proof_add_host(struct proof *proof, uint32_t row);
void proof_free(struct proof *proof);

/* Of one finding alone, and of all together; a step, at least 0. -1: told by no replay. */
int64_t saving_of(const struct evidence *evidence, const struct proof *proof);
int64_t saving_together(const struct evidence *evidence, const struct proof *proofs, uint32_t count);

#endif
