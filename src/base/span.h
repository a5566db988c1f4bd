/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of time as sorted, disjoint, half-open spans [start, end): the algebra in
 * which every breakdown is written. All lengths are exact integers, so
 *
 *     length(a) == length(a - b) + length(a & b)
 *
 * holds to the nanosecond. `spans_tidy` makes any list of spans into a set; the
 * other functions expect sets and give sets.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    int64_t start_ns, end_ns;
};

/* A growing list of spans. A zeroed struct is empty. Owned by its holder: spans_free. */
struct spans {
    struct span *at;
    size_t count, room;
};

void spans_add(struct spans *list, int64_t start_ns, int64_t end_ns); /* empty and backward spans are left out */
void spans_tidy(struct spans *list);                                  /* sorts; joins spans that touch or overlap */
void spans_clear(struct spans *list);                                 /* empty, keeping its room */
void spans_free(struct spans *list);

int64_t spans_length(const struct spans *set);
int64_t spans_length_within(const struct spans *set, int64_t start_ns, int64_t end_ns);

/* out is cleared first and must not be one of the operands. */
void spans_union(const struct spans *a, const struct spans *b, struct spans *out);
void spans_minus(const struct spans *a, const struct spans *b, struct spans *out);
void spans_and(const struct spans *a, const struct spans *b, struct spans *out);

/* Index of the first span that ends after the time; count if there is none. */
size_t spans_find(const struct spans *set, int64_t time_ns);

#endif
