/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree under construction, from left to right. Nodes are opened and closed as
 * brackets are; a closed node has all the children that its layout asks for, for
 * places that nothing was put in get a SYN_ABSENT. The open nodes are a stack on
 * the heap, so depth costs no stack.
 */
#ifndef SYNTAX_BUILD_H
#define SYNTAX_BUILD_H

#include "syntax.h"

struct build_open {
    uint32_t node, children, last; /* last: its latest child; SYNTAX_NONE */
    uint32_t colons;               /* passed so far; of a slice or parameter */
    uint32_t tuple_at;             /* the child that begins a tuple without parentheses, which spans `tuple` */
    struct span_of_text tuple;     /* empty where there is none */
};

struct build {
    uint8_t *kind, *op;
    uint32_t *begin, *end, *parent, *size;
    uint32_t count;
    size_t room;
    struct build_open *open; /* outermost first */
    size_t open_count, open_room;
    struct syntax_parens *parens;
    size_t parens_count, parens_room;
    uint32_t stray; /* errors that left no node */
    uint32_t error_at;
};

static inline struct build_open *build_top(const struct build *build)
{
    return &build->open[build->open_count - 1];
}

static inline enum syntax_kind build_top_kind(const struct build *build)
{
    return build->kind[build_top(build)->node];
}

/* Begins with the node of a file of so many bytes. */
void build_start(struct build *build, uint32_t bytes);

/* Opens a node below the innermost open one. Where its end follows from its children, `end` holds only without any. */
uint32_t build_open(struct build *build, enum syntax_kind kind, uint32_t begin, uint32_t end);
/*
 * Opens a node around the innermost `around` open ones, which follow from one another as first children; these then begin
 * at `inner`.
 */
void build_open_around(struct build *build, size_t around, enum syntax_kind kind, uint32_t inner);
/* A node without children; those that its layout asks for are absent. */
uint32_t build_leaf(struct build *build, enum syntax_kind kind, uint32_t begin, uint32_t end);
/* Closes nodes until only `depth` are open. */
void build_close_to(struct build *build, size_t depth);
/* Absent children until the innermost open node has `places` of them. */
void build_fill(struct build *build, uint32_t places);

/* Makes the open node number `depth` a SYN_ERROR, forgetting what is in it and open below it. */
void build_spoil(struct build *build, size_t depth);
/* An error that leaves no node. */
void build_stray(struct build *build, uint32_t at);

/* Notes the parentheses around the node that comes next. */
void build_parens(struct build *build, uint32_t begin, uint32_t end);

/* Fills the columns of the tree, which then lie in the arena, and lets go of everything. */
void build_finish(struct build *build, struct arena *arena, struct syntax *tree);

/* Kinds with a block of their own; kinds whose children are any number of equals, so that an error can stand among them. */
bool build_is_compound(enum syntax_kind kind);
bool build_is_list(enum syntax_kind kind);

#endif
