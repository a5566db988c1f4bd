/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the device still has to do when a line runs. A wait empties it; from then on it is empty until something is
 * launched, and another wait costs nothing. A function is gone through once, from its first line to its last, with
 * the branches of an if beside each other:
 *
 *     loss.item()                          a wait
 *     history.append(len(history))         the host's own work
 *     if step % 100 == 0: show(model(x))   rare: passed over
 *     hits.sum().item()                    a small kernel since the wait: free
 *     net(x).item()                        not free: a network was launched
 *
 * Calls of functions of the run are gone into, and at the head of a function the state is that of its calls. Where the
 * text leaves a doubt something is queued.
 */
#ifndef RULES_DRAIN_H
#define RULES_DRAIN_H

#include "rules/ask/ask.h"

/* What the rules say of a wait at the node of any file, by what they see there themselves. */
enum drain_says { RULES_SILENT, RULES_NOTE, RULES_WARN };
typedef enum drain_says drain_asks(const struct check *check, uint32_t node);

struct drain {
    bool is;          /* the device is empty, or has a few small kernels to do */
    struct site wait; /* the wait that emptied it */
    uint32_t order;   /* of the match itself in its function, as it is evaluated */
    uint32_t here; /* the same wait, or the call that makes it, in the function around; SYNTAX_NONE: before its call */
};

struct drains;

/* For the matches of a file, in the order of the text. It lives in the arena of the check, but for drains_free. */
struct drains *drains_new(const struct check *check, const struct match *matches, uint32_t count);
void drains_free(struct drains *drains);

/* When match i of them begins to wait. */
struct drain drain_before(struct drains *drains, uint32_t i);
/* The same; at the head of a loop, where its rounds end: what the round before has left. */
struct drain drain_before_round(struct drains *drains, uint32_t i);
/* Whether nothing at all was launched before it since the head of its function or loop, or since a wait. */
bool drain_nothing_since(struct drains *drains, uint32_t i);
/* When a round of the loop ends, whatever was queued when it began. */
struct drain drain_behind_round(const struct check *check, struct site loop);

/* ---- drain_wait.c ---- */

/* Whether the host waits there for all that the device was given, each time that it runs. */
bool drain_waits(const struct check *check, uint32_t node);
/* Whether what is launched there takes the device no longer than the wait itself: a sum, a comparison, a number. */
bool drain_is_little(const struct check *check, uint32_t node);
/* Whether evaluating the statement is sure to evaluate the node: not behind `and`, nor in a branch of `a if b else c`. */
bool drain_is_certain(const struct syntax *tree, uint32_t node);

#endif
