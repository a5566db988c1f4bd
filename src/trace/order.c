/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natural merge sort of row numbers. Real traces are sorted runs laid end to
 * end, so the runs are found once, and neighbours are joined until one is left.
 * Joining touches only the rows that overlap in time: of two runs that follow
 * each other except for a few rows those few are moved, which makes the cost a row
 * the same however often a trace repeats. Never quadratic on hostile input.
 */
#include "base/mem.h"
#include "private.h"

static bool before(const struct trace *t, uint32_t a, uint32_t b)
{
    if (t->start_ns[a] != t->start_ns[b])
        return t->start_ns[a] < t->start_ns[b];
    if (t->dur_ns[a] != t->dur_ns[b])
        return t->dur_ns[a] > t->dur_ns[b];
    return a < b;
}

struct sorting {
    const struct trace *trace;
    uint32_t *rows;
    size_t *runs; /* where each run begins; one past the end at last */
    size_t run_count, runs_room;
    uint32_t *aside; /* the rows of the left run that move */
    size_t aside_room;
};

static size_t run_end(const struct trace *t, const uint32_t *rows, size_t at, size_t count)
{
    for (at++; at < count && !before(t, rows[at], rows[at - 1]); at++)
        ;
    return at;
}

static void add_run(struct sorting *s, size_t begin)
{
    s->runs = mem_grow(s->runs, &s->runs_room, s->run_count + 2, sizeof *s->runs);
    s->runs[s->run_count++] = begin;
}

static void find_runs(struct sorting *s, size_t count)
{
    for (size_t at = 0; at < count; at = run_end(s->trace, s->rows, at, count))
        add_run(s, at);
    s->runs[s->run_count] = count;
}

/* The first of the sorted rows [at, end) that stands behind the row. */
static size_t first_behind(const struct sorting *s, size_t at, size_t end, uint32_t row)
{
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (before(s->trace, row, s->rows[middle]))
            end = middle;
        else
            at = middle + 1;
    }
    return at;
}

/* Joins the runs [a, b) and [b, end). */
static void join(struct sorting *s, size_t a, size_t b, size_t end)
{
    a = first_behind(s, a, b, s->rows[b]);
    if (a == b)
        return;
    end = first_behind(s, b, end, s->rows[b - 1]);
    const size_t count = b - a;
    s->aside = mem_grow(s->aside, &s->aside_room, count, sizeof *s->aside);
    memcpy(s->aside, s->rows + a, count * sizeof *s->aside);
    uint32_t *to = s->rows + a;
    for (size_t i = 0; i < count;)
        *to++ = b < end && before(s->trace, s->rows[b], s->aside[i]) ? s->rows[b++] : s->aside[i++];
}

/* Joins every other run with its neighbour; half as many are left. */
static void join_pairs(struct sorting *s)
{
    const size_t count = s->run_count;
    s->run_count = 0;
    for (size_t i = 0; i < count; i += 2) {
        if (i + 1 < count)
            join(s, s->runs[i], s->runs[i + 1], s->runs[i + 2]);
        s->runs[s->run_count++] = s->runs[i];
    }
    s->runs[s->run_count] = s->runs[count];
}

void trace_sort_rows(const struct trace *t, uint32_t *rows, size_t count)
{
    if (count < 2 || run_end(t, rows, 0, count) == count)
        return;
    struct sorting s = {.trace = t, .rows = rows};
    find_runs(&s, count);
    while (s.run_count > 1)
        join_pairs(&s);
    mem_free(s.runs);
    mem_free(s.aside);
}
