/* SPDX-License-Identifier: Apache-2.0 */
/* The walk through a function that keeps what the device has to do. Used by drain.c alone. */
#ifndef RULES_DRAIN_WALK_H
#define RULES_DRAIN_WALK_H

#include "drain.h"

#include "base/map.h"

enum { DRAIN_FEW = 12 }; /* small kernels: together they take what a wait takes */

struct drain_state {
    enum {
        DRAIN_GONE,   /* the text is not left there: behind return */
        DRAIN_QUEUED, /* anything may be queued */
        DRAIN_SINCE,  /* nothing but `little` small kernels since the wait, or since the head of function or loop */
    } kind;
    struct site wait; /* site_none: since the head */
    uint32_t head;    /* of which function or loop it is the head; SYNTAX_NONE behind a wait */
    uint32_t here;
    uint32_t little;
    uint32_t order; /* of a node that is watched: which of them it is */
    bool far;       /* DRAIN_QUEUED as what was called last is too far to look at: it may end in a wait */

    /* Of a walk that keeps the order of waits: those behind which, on some way to here, next to nothing was launched. */
    uint64_t open;
    uint32_t since; /* small kernels behind them */
};

/*
 * The waits that a walk comes to, and which of them the host comes to next. Functions that are called are gone through where
 * they are called.
 */
enum { DRAIN_MOST_WAITS = 64 }; /* bits of a word */
struct drain_entry { /* a call of which the name does not say what it calls, and the function that is looked at there */
    struct site call;
    uint32_t function;
};
enum { DRAIN_MOST_ENTRIES = 16 };

struct drain_order {
    struct site at[DRAIN_MOST_WAITS];
    uint64_t next[DRAIN_MOST_WAITS]; /* those that it comes to with next to nothing launched between */
    uint64_t launches;               /* those behind which it launches first, on some usual way */
    uint32_t count;
    bool full;               /* there were more */
    bool deep;               /* calls or loops in one another were not gone through to their end */
    bool again;              /* it goes through what it has gone through: only what was open then is followed */
    uint32_t left;           /* nodes that may still be looked at */
    const struct map *waits; /* nodes of the file below that wait by what rules found */
    uint32_t file;
    drain_asks *asks; /* the rules, of nodes of other files */
    struct drain_entry entries[DRAIN_MOST_ENTRIES];
    uint32_t entry_count;
};

/* What is remembered of functions that were gone through: of the callers of a file's lines and of what they call. */
struct drain_memo {
    struct map of_function; /* to its row below */
    struct drain_state *ends;
    size_t count, room;
};

struct drain_walk {
    struct check check; /* of the file that is gone through */
    struct drain_memo *memo;
    const struct map *watched; /* nodes; to the index in `states` */
    struct drain_state *states;
    const struct map *waits;   /* nodes that wait by what rules found; NULL */
    struct drain_state at_end; /* of its returns */
    struct drain_state *left;  /* of the break of the loop around; NULL */
    struct drain_state *next;  /* of its continue */
    uint32_t seen;             /* nodes that were watched */
    uint32_t calls;            /* of functions that are gone into, one in the other */
    uint32_t depth;            /* of blocks */
    uint32_t nested;           /* comprehensions */
    struct drain_order *order; /* to be filled; NULL */
    uint32_t function;         /* that is gone through, where it is called from another walk: */
    const struct drain_walk *outer;
};

static inline struct drain_state drain_since_head(uint32_t head)
{
    return (struct drain_state){.kind = DRAIN_SINCE, .wait = site_none, .head = head, .here = SYNTAX_NONE};
}

struct drain_state drain_merge(struct drain_state a, struct drain_state b);
/* Goes through the code of a function, or of a module; gives the state behind it. */
struct drain_state drain_through(struct drain_walk *walk, uint32_t function_node, struct drain_state state);
/* The same, of the body of a loop, once. `before`: what a walk that keeps the order comes with. */
struct drain_state drain_round(struct drain_walk *walk, uint32_t loop, struct drain_state before);
/* An expression, in the order in which it is evaluated (drain_expression.c). */
void drain_evaluate(struct drain_walk *walk, uint32_t node, struct drain_state *state);
/* Something that takes the device a while (drain_order.c: and what a walk that keeps the order keeps of it). */
void drain_launch(struct drain_walk *walk, struct drain_state *state);
void drain_launch_little(struct drain_walk *walk, struct drain_state *state);
void drain_wait_at(struct drain_walk *walk, struct drain_state *state, uint32_t node);

#endif
