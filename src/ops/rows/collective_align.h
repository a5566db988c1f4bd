/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two lists of collectives of one class, each in the order of the calls: which of
 * the one is which of the other, given how far their clocks differ.
 *
 * A pair is possible where both were inside at once: nobody can leave before all
 * have come. The order of the calls is kept, and of all ways to do so the one with
 * most pairs is taken, then that with the ends least apart. Between two pairs with
 * equally many left on both sides these are paired in order, if they overlap at all.
 */
#ifndef OPS_COLLECTIVE_ALIGN_H
#define OPS_COLLECTIVE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

enum { ALIGN_NONE = UINT32_MAX };

/* Ends of one collective on two ranks differ by less, without further proof. */
#define COLLECTIVE_ENDS_NS ((int64_t)200 * 1000)

struct collective_span {
    int64_t start_ns, end_ns;
    int64_t step;  /* below 0: of none */
    bool blocking; /* with a work that was recorded; else only that the ends are not far apart is asked */
};

struct collective_spans {
    const struct collective_span *at;
    uint32_t count;
};

struct alignment {
    uint32_t pairs, same_step; /* same_step: of those, not known to be of two steps */
    int64_t apart_ns;          /* sum of the differences of their ends */
    uint64_t pairing;          /* equal where the same are paired: a sum over the pairs */
};

/* What a pair adds to `pairing`. */
static inline uint64_t align_mark(uint32_t own, uint32_t other)
{
    const uint64_t both = ((uint64_t)own << 32 | other) + 0x9e3779b97f4a7c15u;
    const uint64_t mixed = (both ^ both >> 30) * 0xbf58476d1ce4e5b9u;
    return mixed ^ mixed >> 27;
}

/* mate[i]: the one of `others` that the i-th of `own` is, or ALIGN_NONE. offset_ns: the clock of `own` less the other. */
struct alignment collectives_align(struct collective_spans own, struct collective_spans others, int64_t offset_ns,
                                   uint32_t *mate);

#endif
