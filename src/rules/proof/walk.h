/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a value backward to where it comes from: one step a file of the walk_*.c, which try each way that the source leaves
 * open until one comes to an end that is named. What they try in vain leaves no place in the chain.
 */
#ifndef RULES_WALK_H
#define RULES_WALK_H

#include "chain.h"

enum { WALK_STEPS = 600, WALK_ROOM = 1024, WALK_CALLS = 16 };

/* Of what an expression gives: all, item i, or what lies under a name; `each`: that of each thing in it. */
struct part {
    uint32_t item; /* SYNTAX_NONE */
    str field;
    bool each;
};
static const struct part part_whole = {.item = SYNTAX_NONE};
static inline struct part part_item(uint32_t item)
{
    return (struct part){.item = item};
}
static inline struct part part_field(str field)
{
    return (struct part){.item = SYNTAX_NONE, .field = field};
}
static inline bool part_is_whole(struct part part)
{
    return part.item == SYNTAX_NONE && !part.field.len;
}

/* A function that the walk has gone into, and by which call: what it was given is given there. */
struct entered {
    uint32_t function;
    struct site call;
};

struct passed {
    struct site site;
    struct part part;
};

struct walk {
    struct chain *chain;
    struct passed *seen; /* room for WALK_STEPS, not zeroed: it turns back nowhere */
    uint32_t seen_count;
    uint16_t place[WALK_ROOM]; /* of those by hash, counted from 1; 0: none */
    struct entered inside[WALK_CALLS];
    uint32_t depth;
    bool cut; /* some way was not gone to its end: that none was found is no answer */
};

static const struct site walk_nowhere = {SYNTAX_NONE, SYNTAX_NONE};

/* ---- the walk (chain_device.c): each says whether an end was found ---- */
bool walk_from(struct walk *walk, struct site site, struct part part);
/* The same, from a value that may lie there, with a place of the chain before it. */
bool walk_by(struct walk *walk, struct site place, str what, struct site next, struct part part);
/* The same, from elsewhere in the program: no longer from the calls that were gone into. */
bool walk_apart(struct walk *walk, struct site place, str what, struct site next, struct part part);
bool walk_end(struct walk *walk, struct site place, str what);
/* From any expression right below that may lie there. */
bool walk_children(struct walk *walk, struct site site);

/* Notes that this way is gone no further; false. */
static inline bool walk_cut(struct walk *walk)
{
    walk->cut = true;
    return false;
}

/* Marks what is passed; not where it was passed before, or the walk has gone far enough. */
bool walk_pass(struct walk *walk, struct site site, struct part part);

bool walk_may_lie(struct walk *walk, struct site site, struct part part); /* on the device, as values say */

/* ---- steps ---- */
bool walk_name(struct walk *walk, struct site use, struct part part);
bool walk_attribute(struct walk *walk, struct site use, struct part part);
bool walk_call(struct walk *walk, struct site call, struct part part);
/* What a function of the run gives, called there; site none: not called. */
bool walk_result(struct walk *walk, uint32_t function, struct site call, struct part part);
/* An attribute of objects of the class, from what binds it. */
bool walk_member(struct walk *walk, uint32_t class_id, str name, struct part part);
/* Networks of the class lie on the device; SYNTAX_NONE: of which nobody knows the class. `use`: in whose run. */
bool walk_network(struct walk *walk, uint32_t class_id, struct site use);
/* The same, by the class alone and by what it is a part of. */
bool walk_network_itself(struct walk *walk, uint32_t class_id, struct site use);

/* A loss, or what one is computed from: it lies where networks of the run lie. */
bool walk_trained(struct walk *walk, struct site use);

/* ---- shared ---- */
/* Whether a call is told to go to the device, in words or by a setting, not to where another tensor lies. */
bool walk_names_device(const struct walk *walk, struct site call);
const struct syntax *walk_tree(const struct walk *walk, struct site site);
str walk_quoted(const struct walk *walk, struct site site, const char *format); /* "%.*s": the text of the node */
uint32_t walk_class_around(const struct walk *walk, struct site site);          /* SYNTAX_NONE */

#endif
