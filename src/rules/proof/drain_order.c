/* SPDX-License-Identifier: Apache-2.0 */
/* What waits and launches make of the state, and of the order of waits. */
#include "drain_walk.h"

/* ---- the order of waits ---- */

static void close_open(struct drain_order *order, struct drain_state *state)
{
    order->launches |= state->open;
    state->open = 0;
}

/* The bit of a wait; 0 where there are too many. */
static uint64_t bit_of(struct drain_order *order, struct site at)
{
    for (uint32_t i = 0; i < order->count; i++)
        if (order->at[i].file == at.file && order->at[i].node == at.node)
            return UINT64_C(1) << i;
    if (order->count == DRAIN_MOST_WAITS) {
        order->full = true;
        return 0;
    }
    order->at[order->count] = at;
    return UINT64_C(1) << order->count++;
}

static void come_to(struct drain_order *order, struct drain_state *state, struct site at)
{
    const uint64_t bit = bit_of(order, at);
    if (!bit) { /* of what is behind the last that is kept nothing is known */
        close_open(order, state);
        return;
    }
    for (uint64_t left = state->open; left; left &= left - 1)
        order->next[__builtin_ctzll(left)] |= bit;
    state->open = order->again ? 0 : bit;
}

/* ---- the state ---- */

void drain_launch(struct drain_walk *walk, struct drain_state *state)
{
    if (walk->order)
        close_open(walk->order, state);
    *state = (struct drain_state){.kind = DRAIN_QUEUED};
}

void drain_launch_little(struct drain_walk *walk, struct drain_state *state)
{
    if (walk->order && ++state->since > DRAIN_FEW)
        close_open(walk->order, state);
    if (++state->little > DRAIN_FEW)
        state->kind = DRAIN_QUEUED;
}

void drain_wait_at(struct drain_walk *walk, struct drain_state *state, uint32_t node)
{
    const struct site at = check_site(&walk->check, node);
    struct drain_state behind = {.kind = DRAIN_SINCE, .wait = at, .head = SYNTAX_NONE, .here = node};
    if (walk->order) {
        come_to(walk->order, state, at);
        behind.open = state->open;
    }
    *state = behind;
}
