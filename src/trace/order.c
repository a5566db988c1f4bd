/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natural merge sort of row numbers. Real traces are a few long sorted runs laid
 * end to end, so this is one or two passes there, needs 4 bytes a row beside the
 * rows, and never goes quadratic on hostile input.
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

static size_t run_end(const struct trace *t, const uint32_t *rows, size_t at, size_t count)
{
    for (at++; at < count && !before(t, rows[at], rows[at - 1]); at++)
        ;
    return at;
}

static void merge(const struct trace *t, const uint32_t *from, size_t a, size_t b, size_t end, uint32_t *to)
{
    const size_t middle = b;
    while (a < middle && b < end)
        *to++ = before(t, from[b], from[a]) ? from[b++] : from[a++];
    memcpy(to, from + a, (middle - a) * sizeof *to);
    memcpy(to + (middle - a), from + b, (end - b) * sizeof *to);
}

/* Merges neighbouring runs pairwise into `to`; true when one run was left. */
static bool pass(const struct trace *t, const uint32_t *from, uint32_t *to, size_t count)
{
    for (size_t a = 0; a < count;) {
        const size_t b = run_end(t, from, a, count);
        if (a == 0 && b == count)
            return true;
        const size_t end = b < count ? run_end(t, from, b, count) : b;
        merge(t, from, a, b, end, to + a);
        a = end;
    }
    return false;
}

void trace_sort_rows(const struct trace *t, uint32_t *rows, size_t count)
{
    if (count < 2 || run_end(t, rows, 0, count) == count)
        return;
    uint32_t *other = mem_alloc(count * sizeof *other);
    uint32_t *from = rows, *to = other;
    while (!pass(t, from, to, count)) {
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows)
        memcpy(rows, from, count * sizeof *rows);
    mem_free(other);
}
