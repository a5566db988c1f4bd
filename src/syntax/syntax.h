/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Python file as a tree of expressions and statements.
 *
 * Nodes are numbered in the order of the text, a parent before its children:
 * the subtree of a node is the run of nodes [node, node + size[node]), its first
 * child is node + 1, and the next sibling of a node is node + size[node]. Node 0
 * is the file, and its own parent, so that whoever climbs stays in the tree.
 * Nothing in it points; a subtree is a range.
 *
 * Children have fixed places. Where Python allows one to be left out a node of
 * kind SYN_ABSENT, empty and at the place where it could stand, keeps the place:
 * the test of an `if` is always child 0. `a, b...` below: then any number.
 *
 * Parentheses around an expression leave no node, nor do comments: begin and end
 * are those of the expression itself (syntax_outer gives it with its
 * parentheses). The parentheses of a tuple or generator are its own; one without
 * any spans its items, and the comma that ends it.
 *
 * What does not parse is a SYN_ERROR node without children, which may stand in the
 * place of any node but the file; what stands around it is as good as any other.
 */
#ifndef SYNTAX_SYNTAX_H
#define SYNTAX_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum { SYNTAX_NONE = UINT32_MAX };

enum syntax_kind {
    SYN_ABSENT,
    SYN_ERROR,
    SYN_MODULE, /* statements... */
    SYN_BLOCK,  /* statements... */

    /* statements */
    SYN_FUNCTION,    /* name, parameters, SYN_ABSENT or annotation, block */
    SYN_CLASS,       /* name, arguments, block */
    SYN_DECORATED,   /* decorators (expressions)..., function or class */
    SYN_IF,          /* test, block, else: block, SYN_IF (elif) or absent */
    SYN_FOR,         /* target, iterable, block, else block or absent */
    SYN_WHILE,       /* test, block, else block or absent */
    SYN_WITH,        /* with items..., block */
    SYN_TRY,         /* block, SYN_EXCEPT..., SYN_ELSE or absent, SYN_FINALLY or absent */
    SYN_EXCEPT,      /* type or absent, name or absent, block */
    SYN_ELSE,        /* block; of a try only */
    SYN_FINALLY,     /* block */
    SYN_MATCH,       /* subject, cases... */
    SYN_CASE,        /* pattern (opaque), guard or absent, block */
    SYN_RETURN,      /* value or absent */
    SYN_RAISE,       /* expressions... */
    SYN_DELETE,      /* expressions... */
    SYN_ASSERT,      /* test, message or absent */
    SYN_ASSIGN,      /* targets..., value (the last): a = b = v is one statement */
    SYN_AUG_ASSIGN,  /* target, value; syntax_op */
    SYN_ANN_ASSIGN,  /* target, annotation, value or absent */
    SYN_IMPORT,      /* SYN_ALIAS... */
    SYN_FROM_IMPORT, /* module (SYN_NAME or dotted SYN_ATTRIBUTE, or opaque for a relative one), SYN_ALIAS...; none: * */
    SYN_GLOBAL,      /* names... */
    SYN_NONLOCAL,    /* names... */
    SYN_EXPR,        /* expression */
    SYN_PASS,
    SYN_BREAK,
    SYN_CONTINUE,
    SYN_OTHER, /* print and exec of Python 2, type aliases: opaque */

    /* parts of statements */
    SYN_PARAMETERS, /* SYN_PARAMETER... */
    SYN_PARAMETER,  /* name or absent (bare * and /), annotation or absent, default or absent; stars by syntax_stars */
    SYN_WITH_ITEM,  /* expression, target or absent */
    SYN_ALIAS,      /* dotted name, name it is bound to or absent */

    /* expressions */
    SYN_NAME,
    SYN_ATTRIBUTE,     /* object, name */
    SYN_CALL,          /* callee, arguments */
    SYN_ARGUMENTS,     /* expressions, SYN_KEYWORD, SYN_STARRED, SYN_DOUBLE_STARRED... */
    SYN_KEYWORD,       /* name, value */
    SYN_SUBSCRIPT,     /* object, index: an expression, SYN_SLICE, or SYN_TUPLE of these where a comma is */
    SYN_SLICE,         /* lower, upper, step; each may be absent */
    SYN_BINARY,        /* left, right; syntax_op */
    SYN_UNARY,         /* operand; syntax_op */
    SYN_NOT,           /* operand */
    SYN_BOOL,          /* left, right; syntax_op: OP_AND, OP_OR */
    SYN_COMPARE,       /* operands, two or more; syntax_op is the first operator */
    SYN_CONDITIONAL,   /* value, test, otherwise */
    SYN_LAMBDA,        /* parameters, body */
    SYN_NAMED,         /* name, value: := */
    SYN_LIST,          /* items... */
    SYN_TUPLE,         /* items... */
    SYN_SET,           /* items... */
    SYN_DICT,          /* SYN_PAIR or SYN_DOUBLE_STARRED... */
    SYN_PAIR,          /* key, value */
    SYN_LIST_COMP,     /* element, then SYN_COMP_FOR and SYN_COMP_IF... */
    SYN_SET_COMP,      /* as before */
    SYN_DICT_COMP,     /* SYN_PAIR, then as before */
    SYN_GENERATOR,     /* as SYN_LIST_COMP */
    SYN_COMP_FOR,      /* target, iterable */
    SYN_COMP_IF,       /* test */
    SYN_STRING,        /* several in a row are one node; SYN_INTERPOLATION... where it is an f-string */
    SYN_INTERPOLATION, /* expression; what stands behind it (format) is opaque */
    SYN_INTEGER,
    SYN_FLOAT, /* complex numbers too */
    SYN_TRUE,
    SYN_FALSE,
    SYN_NONE,
    SYN_ELLIPSIS,
    SYN_STARRED,        /* expression */
    SYN_DOUBLE_STARRED, /* expression */
    SYN_AWAIT,          /* expression */
    SYN_YIELD,          /* expression or absent */
    SYNTAX_KINDS
};

enum syntax_op {
    OP_NONE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_MATMUL,
    OP_DIV,
    OP_FLOORDIV,
    OP_MOD,
    OP_POW,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_INVERT, /* SYN_UNARY has OP_ADD, OP_SUB, OP_INVERT */
    OP_AND,
    OP_OR,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_IN,
    OP_NOT_IN,
    OP_IS,
    OP_IS_NOT,
    OP_FROM,  /* of SYN_YIELD: yield from */
    OP_ASYNC, /* of SYN_FUNCTION, SYN_FOR, SYN_WITH, SYN_COMP_FOR */
};

struct span_of_text {
    uint32_t begin, end;
};

/* Parentheses around an expression, which leave no node. */
struct syntax_parens {
    uint32_t node, begin, end;
};

struct syntax_index;

struct syntax {
    str path, text;                /* any bytes; the tree says what parsed */
    uint32_t count;                /* of nodes; at least 1 */
    const uint8_t *kind;           /* enum syntax_kind */
    const uint8_t *op;             /* enum syntax_op; of SYN_PARAMETER the number of stars */
    const uint32_t *begin, *end;   /* bytes of text */
    const uint32_t *parent, *size; /* size counts the node itself */
    const uint32_t *line_at;       /* byte at which each line begins; LF, CRLF and CR end lines */
    uint32_t line_count;
    uint32_t
        error_count; /* of SYN_ERROR nodes, of tokens that are missing, and of bits between the parts of a statement */
    uint32_t error_at;                   /* byte of the first */
    const struct syntax_parens *parens;  /* by node, outer ones first */
    const struct span_of_text *comments; /* in the order of the text */
    const struct span_of_text
        *too_large; /* what has too many tokens to be looked into: statements, insides of brackets */
    uint32_t parens_count, comment_count, too_large_count;
    const struct syntax_index *index;
};

/* A place as people count: from 1, columns in bytes. */
struct place_in_text {
    uint32_t line, column;
};

/*
 * Parses. Text and path must live as long as the tree, which lies in the arena. Never fails on what the text holds: a
 * file that is no Python is a module with errors. Texts longer than UINT32_MAX - 1 bytes are refused (NULL).
 */
const struct syntax *syntax_parse(struct arena *arena, str path, str text);

static inline str syntax_text(const struct syntax *tree, uint32_t node)
{
    return (str){tree->text.at + tree->begin[node], tree->end[node] - tree->begin[node]};
}

static inline uint32_t syntax_last(const struct syntax *tree, uint32_t node) /* behind its subtree */
{
    return node + tree->size[node];
}

static inline uint32_t syntax_first(const struct syntax *tree, uint32_t node) /* its first child; SYNTAX_NONE */
{
    return tree->size[node] > 1 ? node + 1 : SYNTAX_NONE;
}

static inline uint32_t syntax_next(const struct syntax *tree, uint32_t node) /* the next sibling; SYNTAX_NONE */
{
    const uint32_t next = syntax_last(tree, node);
    return node && next < syntax_last(tree, tree->parent[node]) ? next : SYNTAX_NONE;
}

/* Whether a name is that of an attribute or of a keyword argument, so no name of its own. */
static inline bool syntax_is_member_name(const struct syntax *tree, uint32_t node)
{
    const uint32_t parent = tree->parent[node];
    return (tree->kind[parent] == SYN_ATTRIBUTE && node != parent + 1) ||
           (tree->kind[parent] == SYN_KEYWORD && node == parent + 1);
}

/* Child i; SYNTAX_NONE where there are not so many. SYN_ABSENT children count. */
uint32_t syntax_child(const struct syntax *tree, uint32_t node, uint32_t i);
uint32_t syntax_child_count(const struct syntax *tree, uint32_t node);
uint32_t syntax_last_child(const struct syntax *tree, uint32_t node);

static inline bool syntax_is(const struct syntax *tree, uint32_t node, enum syntax_kind kind)
{
    return node != SYNTAX_NONE && tree->kind[node] == kind;
}

const char *syntax_kind_name(enum syntax_kind kind); /* "call", for messages and tests */
bool syntax_is_statement(enum syntax_kind kind);
bool syntax_inside(const struct syntax *tree, uint32_t node, uint32_t ancestor); /* or the same */

/* The innermost statement around the node, itself if it is one; node 0 outside of all. */
uint32_t syntax_statement(const struct syntax *tree, uint32_t node);
/* The innermost function (or lambda) around it, not itself; SYNTAX_NONE at module level. */
uint32_t syntax_function(const struct syntax *tree, uint32_t node);
/* The `if` that the chain of an `elif` begins with, however long the chain; of any other node itself. */
uint32_t syntax_if_head(const struct syntax *tree, uint32_t node);
/* The first `elif` at or behind a node; SYNTAX_NONE. Those of a chain come in its order. */
uint32_t syntax_elif_from(const struct syntax *tree, uint32_t from);

/* The first SYN_NAME of that text in [from, to), names of attributes and keywords too; SYNTAX_NONE. */
uint32_t syntax_name_from(const struct syntax *tree, str text, uint32_t from, uint32_t to);
/* Calls of `....method` or `method` whose name stands in [*from, to), one by one: *from goes on behind it. */
uint32_t syntax_call_from(const struct syntax *tree, str method, uint32_t *from, uint32_t to);

/* The last name of a NAME or ATTRIBUTE: of `a.b.c` "c". "" for anything else. */
str syntax_tail(const struct syntax *tree, uint32_t node);
/* Whether it is a CALL of `....method` or `method`. */
bool syntax_calls(const struct syntax *tree, uint32_t node, str method);
/* Argument i by position, or by name; SYNTAX_NONE where it is not given (or hidden behind * and **). */
uint32_t syntax_argument(const struct syntax *tree, uint32_t call, uint32_t i, const char *name);
bool syntax_arguments_hidden(const struct syntax *tree, uint32_t call); /* it has * or ** */

/* Two expressions that read the same except for blanks, comments and parentheses. */
bool syntax_same(const struct syntax *a, uint32_t x, const struct syntax *b, uint32_t y);

struct place_in_text syntax_place(const struct syntax *tree, uint32_t byte);
str syntax_line(const struct syntax *tree, uint32_t line); /* from 1, without its end */
/* The expression with the parentheses around it, as bytes. */
void syntax_outer(const struct syntax *tree, uint32_t node, uint32_t *begin, uint32_t *end);
/* Blanks that begin the line of a statement. */
str syntax_indent(const struct syntax *tree, uint32_t statement);
/* The comment that ends the line, from '#' on; "" where there is none. Strings with # are no comments. */
str syntax_comment(const struct syntax *tree, uint32_t line);

#endif
