/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the concrete syntax of the grammar, with a node for every comma, to the
 * tree of syntax.h. A walker over the concrete tree shows each node once on its
 * way down and once on its way up; this decides what becomes of it. It keeps its
 * own stack, on the heap, and knows nothing of the parser.
 */
#ifndef SYNTAX_LOWER_H
#define SYNTAX_LOWER_H

#include "build.h"
#include "prepare.h"

/* What is done with a concrete node. */
enum lower_how {
    HOW_SKIP, /* with all below it */
    HOW_TOKEN,
    HOW_FUTURE, /* the word __future__ */
    HOW_ERROR,
    HOW_THROUGH, /* leaves no node, but its children do */
    HOW_OPEN,    /* a node of `kind`, with children */
    HOW_LEAF,
    HOW_ELLIPSIS,
    HOW_STATEMENT, /* as HOW_OPEN; what the parser saves from text that does not parse */
    HOW_STATEMENT_LEAF,
    HOW_EXPRESSION_STATEMENT,
    HOW_ASSIGNMENT,
    HOW_AUGMENTED,
    HOW_TYPE,
    HOW_TYPE_PARAMETERS,
    HOW_BLOCK,
    HOW_ELIF,
    HOW_ELSE,
    HOW_FINALLY,
    HOW_CASE_PATTERN,
    HOW_IF_CLAUSE,
    HOW_DOTTED,
    HOW_IDENTIFIER,
    HOW_SPLAT,
    HOW_DOUBLE_SPLAT,
    HOW_SEPARATOR,
    HOW_TUPLE_PATTERN,
    HOW_EXPRESSION_LIST,
    HOW_AS_PATTERN,
    HOW_PARENTHESES,
    HOW_GENERATOR,
    HOW_STRING,
    HOW_INTEGER,
    LOWER_HOWS
};

/* A concrete node. */
struct concrete {
    enum lower_how how;
    enum syntax_kind kind;
    enum syntax_op op; /* of a token */
    bool colon;        /* the token : */
    bool missing;      /* not in the text; the parser put it there to go on */
    bool childless;    /* of errors only */
    uint32_t begin, end;
    struct span_of_text tuple; /* items with commas between, in a node where that makes a tuple; else empty */
};

struct lower_level {
    size_t depth; /* of open nodes, to which it returns when it is left; SIZE_MAX: leaves them open */
    bool rescue;  /* inside an error among statements: only statements are taken */
};

struct lower {
    struct build build;
    str text;
    struct lower_level *levels; /* one for each concrete node that was entered */
    size_t level_count, level_room;
    size_t depth;                      /* of open nodes, to which the one that is being entered will return */
    const struct taken_out *taken_out; /* those that were not met yet */
    size_t taken_out_count;
    size_t spoilt; /* the depth of the open node that turned out to be an error; SIZE_MAX */
};

enum lower_step {
    LOWER_INTO,   /* go on with its children, then lower_leave */
    LOWER_PAST,   /* go on with its next sibling */
    LOWER_SPOILT, /* leave the nodes above it, as long as lower_leave says true */
};

void lower_start(struct lower *lower, str text, const struct prepared *prepared);
enum lower_step lower_enter(struct lower *lower, const struct concrete *node);
bool lower_leave(struct lower *lower);
/* A piece that the parser gave up. */
void lower_lost(struct lower *lower, uint32_t begin, uint32_t end);
void lower_finish(struct lower *lower, struct arena *arena, struct syntax *tree);

#endif
