/* SPDX-License-Identifier: Apache-2.0 */
/* What the stretches of a strip and their pieces share while they become a section of a sketch, or come of one. */
#ifndef SKETCH_STRIP_CODE_H
#define SKETCH_STRIP_CODE_H

#include "base/intern.h"
#include "breakdown/strip/strip.h"
#include "sketch/file/sketch.h"

/* No time of a strip is further from 0. */
#define STRIP_MOST_NS ((int64_t)1 << 60)

enum { KIND_COLUMNS = 24 /* the later kinds share the last */ };

/* Columns of noise. */
enum {
    COLUMN_START,
    COLUMN_END,
    COLUMN_ODD,
    COLUMN_PIECE,
    COLUMN_EXPECTED = COLUMN_PIECE + KIND_COLUMNS,
    COLUMNS = COLUMN_EXPECTED + KIND_COLUMNS,
};

/* Stretches that are made of pieces of the same kinds, in the same order. */
struct strip_list {
    uint32_t rest; /* the piece that is not told */
    bool expects;  /* the others are, from what the rank did between the collectives */
};

struct strip_code {
    struct code *code;
    struct strip *strip;
    const struct rank_numbers *numbers;
    uint32_t next;            /* the collective behind the last that was before something */
    struct intern *lists;     /* kinds of the pieces of a stretch, in their order: each list once */
    int64_t unit_ns;          /* of times that follow from no collective */
    uint32_t known_lists;     /* before any stretch: the empty one */
    uint32_t *list;           /* by stretch: the number of its list */
    struct strip_list *about; /* by list */
    int64_t *start_ns;        /* by stretch */
    uint32_t *leads_to;       /* by stretch: the collective whose way ends with it; all of them: the end; more: none */
};

/* Of its pieces, as texts of uint32_t. */
str strip_code_kinds(const struct strip_code *s, uint32_t stretch);
uint32_t strip_code_kind_at(str list, uint32_t i);
uint32_t strip_code_piece_count(const struct strip_code *s, uint32_t stretch);

/* The pieces of all stretches, whose times, lists and ways are known. */
void strip_code_pieces(struct strip_code *s);

#endif
