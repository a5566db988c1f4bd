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
#include "noise.h"
#include "texts.h"

enum { CODE_SET_MOST = 128 };

struct code {
    struct buf *out;      /* writes; NULL: reads */
    const char *at, *end; /* what is left to read */
    struct arena *arena;  /* for what is read; texts point into the bytes */
    struct noise *noise;  /* numbers by code_noise; NULL: none were begun */
    struct texts *texts;  /* for texts that are kept; NULL: the arena */
    bool loose;           /* numbers by code_noise are as any others: it is read at once, and not kept */
    bool brief;           /* kept texts are numbers of `texts`, and enums those of this program: it stays in memory */
    bool damaged;
};

struct code code_writer(struct buf *out);
struct code code_reader(str bytes, struct arena *arena);

/* The same for what is read again by this process: a seventh of the bytes, as names are most of them. */
struct code code_brief_writer(struct buf *out, struct texts *texts);
struct code code_brief_reader(str bytes, struct texts *texts, struct arena *arena);

struct code_bounds {
    int64_t least, most;
};

/* `expected` makes it short, and may be any number that both sides know. */
void code_int(struct code *code, int64_t *value, int64_t expected, int64_t least, int64_t most);

/*
 * The same where digits are mostly noise (noise.h): a fraction of a byte mostly. Columns are below the number that
 * code_begin_noise is told, first of all. Who writes ends with code_end, which puts noise before what was written else.
 * Where the code is loose they are as any others.
 */
void code_begin_noise(struct code *code, uint32_t columns, struct arena *scratch);
void code_noise(struct code *code, uint32_t column, int64_t *value, int64_t expected, struct code_bounds within);
void code_within(struct code *code, int64_t *value, int64_t got, struct code_bounds within); /* reads: damage outside */
str code_end(struct code *code, struct arena *arena);

/* Of values below 128 a byte each, or two. */
void code_small(struct code *code, uint32_t *value, uint32_t limit); /* below the limit */
void code_bool(struct code *code, bool *value);

void code_real(struct code *code, double *value); /* a finite one, exact */
void code_bits(struct code *code, uint64_t *value);
void code_text(struct code *code, str *text);
void code_kept(struct code *code, str *text); /* the same, copied: the bytes may go */

/* A sum of times, 0 or more; a number of 32 bits. */
void code_ns(struct code *code, int64_t *value, int64_t expected);
void code_u32(struct code *code, uint32_t *value, uint32_t expected);

/*
 * One of an enum's values by its id, since numbers of an enum change where a value is added. `ids` gives the id of each
 * below the limit. An id that is not known here is damage.
 */
struct code_enum {
    const char *(*ids)(int value);
    int limit;
};
void code_word(struct code *code, const struct code_enum *of, int *value);

/* Those values of an enum that something is said of: once, before columns of them. */
struct code_set {
    int at[CODE_SET_MOST];
    uint32_t count;
};
void code_set(struct code *code, const struct code_enum *of, const bool *used, struct code_set *set);

/* Rows of times, one for each value of an enum, that add up to a sum of the row. */
struct code_rows {
    void *first;    /* row */
    size_t size;    /* of a row */
    size_t ns, sum; /* where in it the times begin, and where their sum is */
    uint32_t count;
};
void code_rows(struct code *code, const struct code_enum *of, const struct code_rows *rows);

/* Of things that take a byte each at least. */
void code_count(struct code *code, uint32_t *count);

/* Whether all was read and nothing was wrong. */
bool code_whole(const struct code *code);

static inline bool code_reads(const struct code *code)
{
    return !code->out;
}

#endif
