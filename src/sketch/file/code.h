/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and texts as few bytes, written and read by the same lines, so that the two cannot disagree:
 *
 *     static void code_point(struct code *code, struct point *point)
 *     {
 *         code_int(code, &point->at_ns, last_ns, 0, LATEST_NS);
 *         code_text(code, &point->name);
 *     }
 *
 * writes a point that is filled, or fills one from bytes. An integer is written as its difference from what is expected,
 * zigzag (0, -1, 1, -2 ...), as a varint of seven bits a byte; a text stands behind its length.
 *
 * Bytes may be anything: a value outside its bounds, a count of more things than there are bytes left, or an end that
 * comes too early make the code damaged, and all that is read from then on is the least value and the empty text. So
 * who reads asks once, at the end (code_whole).
 */
#ifndef SKETCH_CODE_H
#define SKETCH_CODE_H

#include "base/arena.h"
#include "base/buf.h"

struct code {
    struct buf *out;      /* writes; NULL: reads */
    const char *at, *end; /* what is left to read */
    struct arena *arena;  /* for what is read; texts point into the bytes */
    bool damaged;
};

struct code code_writer(struct buf *out);
struct code code_reader(str bytes, struct arena *arena);

/* `expected` makes it short, and may be any number that both sides know. */
void code_int(struct code *code, int64_t *value, int64_t expected, int64_t least, int64_t most);

/* Of values below 128 a byte each, or two. */
void code_small(struct code *code, uint32_t *value, uint32_t limit); /* below the limit */
void code_bool(struct code *code, bool *value);

void code_real(struct code *code, double *value); /* a finite one, exact */
void code_bits(struct code *code, uint64_t *value);
void code_text(struct code *code, str *text);

/* Of things that take a byte each at least. */
void code_count(struct code *code, uint32_t *count);

/* Whether all was read and nothing was wrong. */
bool code_whole(const struct code *code);

static inline bool code_reads(const struct code *code)
{
    return !code->out;
}

#endif
