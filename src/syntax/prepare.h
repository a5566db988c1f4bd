/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text made ready for the parser, in one pass over its bytes and of the same
 * length, so that every place in it is a place of the file:
 *
 * - every line ends in LF or CRLF; what joins lines ('\' and the end of a line) is blank, and so are comments, which are
 *   listed instead
 * - a statement is indented by one blank a level, behind form feeds, which set the column back; however its file mixes
 *   tabs and blanks
 * - what is larger than the parser can bear is taken out, and told as too_large of the tree: a bracket or a statement with more than 30,000 tokens holds `...` instead (the parser's counts of children have 16 bits, and it
 *   does not check them)
 * - a string of several lines that never ends is taken out with its statement: as Python reads it, it is the rest
 * - names that the grammar can mistake for words of its own are others
 * - it is cut before statements on the outermost level into pieces of some size, so that memory is that for a piece
 *
 * Brackets that are still open where a line begins with def, class or import are given up: there a new piece begins.
 */
#ifndef SYNTAX_PREPARE_H
#define SYNTAX_PREPARE_H

#include "syntax.h"

/* Bytes that were taken out, [begin, end). */
struct taken_out {
    uint32_t begin, end;
    bool pairs;  /* of braces: they hold a dict */
    bool broken; /* brackets that never close */
};

struct prepared {
    str text;
    struct span_of_text *comments;
    struct taken_out *taken_out;
    uint32_t *pieces; /* where each begins; the first at 0 */
    uint32_t comment_count, taken_out_count, piece_count;
};

/* Everything lies in the arena; the text itself may be the one that was given. */
void prepare(struct arena *arena, str text, struct prepared *prepared);

#endif
