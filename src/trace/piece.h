/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace built in pieces, for a reader that reads several parts of a file at
 * once. Each of its threads fills a trace of its own and cuts off what it took
 * from a part; one thread joins these pieces, in the order of the file, to a
 * trace that is then the same as if it had taken all of it alone: same rows,
 * notes, lanes and ids of texts.
 *
 * That holds because ids count up in the order in which texts and lanes come
 * first. A piece brings those that came first in it, in their order, so a text
 * that no piece before had gets the id that it would have got.
 */
#ifndef TRACE_PIECE_H
#define TRACE_PIECE_H

#include "trace.h"

struct trace_piece;

/* Takes the rows, arrows and notes from a trace that is being built; it keeps its texts and lanes. */
struct trace_piece *trace_cut(struct trace *trace);

/* What the ids of one trace are in another. A zeroed struct knows none; freed with trace_renames_free. */
struct trace_renames {
    uint32_t *text, *lane;
    size_t texts, texts_room, lanes, lanes_room;
};

/*
 * Adds a piece to another trace that is being built. All pieces of the trace it was cut from are joined to the same
 * trace, in the order of their cuts, with the same renames, while that trace lives. Frees the piece.
 */
void trace_join(struct trace *to, struct trace_piece *piece, struct trace_renames *renames);

void trace_piece_free(struct trace_piece *piece); /* may be NULL */
void trace_renames_free(struct trace_renames *renames);

#endif
