/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <stdlib.h>

struct named {
    str name;
    uint32_t at;
};

static int by_name(const void *a, const void *b)
{
    const struct named *const x = a, *const y = b;
    const int order = str_cmp(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct named *sorted(struct pair_names names, struct arena *arena)
{
    struct named *const list = arena_array(arena, names.count, sizeof *list);
    for (uint32_t i = 0; i < names.count; i++)
        list[i] = (struct named){names.at[i], i};
    qsort(list, names.count, sizeof *list, by_name);
    return list;
}

/* One past the last that has the name of the one at `begin`. */
static uint32_t end_of(const struct named *list, uint32_t count, uint32_t begin)
{
    uint32_t end = begin + 1;
    while (end < count && str_eq(list[end].name, list[begin].name))
        end++;
    return end;
}

uint32_t *pairs_by_name(struct pair_names of, struct pair_names in, struct arena *arena)
{
    struct arena scratch = {0};
    uint32_t *const pairs = arena_array(arena, of.count, sizeof *pairs);
    const struct named *const left = sorted(of, &scratch), *const right = sorted(in, &scratch);
    uint32_t other = 0;
    for (uint32_t begin = 0, end; begin < of.count; begin = end) {
        end = end_of(left, of.count, begin);
        while (other < in.count && str_cmp(right[other].name, left[begin].name) < 0)
            other++;
        const bool has = other < in.count && str_eq(right[other].name, left[begin].name);
        const bool as_many = has && end_of(right, in.count, other) - other == end - begin;
        for (uint32_t i = begin; i < end; i++)
            pairs[left[i].at] = as_many ? right[other + i - begin].at : PAIR_NONE;
    }
    arena_free(&scratch);
    return pairs;
}
