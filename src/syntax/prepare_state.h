/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of prepare.h share: the state of the pass. */
#ifndef SYNTAX_PREPARE_STATE_H
#define SYNTAX_PREPARE_STATE_H

#include "prepare.h"

enum {
    MOST_TOKENS = 30000, /* in one bracket or statement */
    MOST_DEPTH = 12000,  /* of brackets; deeper ones are only counted */
    MOST_LEVELS = 200,   /* of indentation; Python allows 100 */
    PIECE_BYTES = 128 << 10,
};

/* How a string ends, and what stands in it. */
struct quoting {
    char quote; /* 0: none */
    bool triple, raw, formatted;
};

enum open_kind { OPEN_LINE, OPEN_BRACKET, OPEN_HOLE };

/* A bracket that is open; outermost the statement itself. A hole is that of a formatted string: {x:>{width}}. */
struct prepare_open {
    uint32_t begin, tokens;
    enum open_kind kind;
    bool pairs;   /* a colon stands in it */
    bool in_spec; /* of a hole: it stands behind the colon of another */
    bool spec;    /* of a hole: its colon was passed */
    struct quoting string;
};

struct prepare {
    char *text; /* changed in its place */
    uint32_t len, at;
    struct prepare_open *open;
    size_t open_count, open_room;
    uint32_t beyond; /* brackets open below MOST_DEPTH */
    uint32_t columns[MOST_LEVELS];
    uint32_t levels;
    bool unclosed;  /* the text ends in a string of several lines */
    bool decorated; /* the statement before is a decorator, which what follows belongs to */
    struct span_of_text *comments;
    struct taken_out *taken_out;
    uint32_t *pieces;
    size_t comment_count, comment_room, taken_out_count, taken_out_room, piece_count, piece_room;
};

static inline struct prepare_open *prepare_top(const struct prepare *p)
{
    return &p->open[p->open_count - 1];
}

void prepare_push(struct prepare *p, struct prepare_open open);
/* Closes the innermost bracket, whose content ends at `end`. */
void prepare_pop(struct prepare *p, uint32_t end);

/* From behind its opening quotes to behind its end, or into a hole of it. */
void prepare_string(struct prepare *p, struct quoting string);
/* Closes the hole at `at`, and goes on with what it stands in. */
void prepare_close_hole(struct prepare *p);
/* Behind the colon of the innermost hole. */
void prepare_spec(struct prepare *p);

#endif
