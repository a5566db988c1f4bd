/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What grows step by step: pieces that a line made in a step and that are still there at the end of the last one. The
 * first step makes what stays for good, and what the last one made may go in the next, so neither is looked at.
 */
#include "account.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sum.h"

enum { LEAST_STEPS = 5, LEAST_LEFT = 3 };

struct left {
    uint32_t group, step;
    uint32_t context;
    int64_t bytes;
};

static int by_group(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->step > y->step) - (x->step < y->step);
}

static int most_bytes_first(const void *a, const void *b)
{
    const struct memory_leak *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->context > y->context) - (x->context < y->context);
}

static struct left *left_behind(const struct memory_lives *lives, const struct memory_steps *steps,
                                const uint32_t *group_of, size_t *count)
{
    struct left *left = NULL;
    size_t room = 0;
    const int64_t last = steps->at[steps->count - 1].end - 1;
    *count = 0;
    for (size_t i = 0; i < lives->count; i++) {
        const struct memory_life *life = &lives->at[i];
        const uint32_t step = life->born == LIFE_BEFORE ? MEMORY_NONE : memory_step_at(steps, life->born);
        if (step == MEMORY_NONE || step == 0 || step + 1 == steps->count || !life_at(life, last))
            continue;
        left = mem_grow(left, &room, *count + 1, sizeof *left);
        left[(*count)++] = (struct left){group_of[life->context], step, life->context, life->bytes};
    }
    return left;
}

static void tell(const struct left *left, size_t count, int64_t of, struct memory_account *out, struct arena *arena)
{
    struct memory_leak leak = {.context = left->context, .of = of};
    for (size_t i = 0; i < count; i++) {
        leak.steps += !i || left[i].step != left[i - 1].step;
        leak.pieces++;
        sum_to(&leak.bytes, left[i].bytes);
    }
    if (leak.steps < LEAST_LEFT || 2 * leak.steps < of)
        return;
    leak.certain = 10 * leak.steps >= 9 * of;
    out->leaks = arena_one_more(arena, out->leaks, out->leak_count, sizeof *out->leaks);
    out->leaks[out->leak_count++] = leak;
}

void account_leaks(const struct memory_lives *lives, const uint32_t *group_of, struct memory_account *out,
                   struct arena *arena)
{
    const struct memory_steps *steps = &out->steps;
    if (steps->count < LEAST_STEPS)
        return;
    size_t count;
    struct left *left = left_behind(lives, steps, group_of, &count);
    if (count)
        qsort(left, count, sizeof *left, by_group);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && left[next].group == left[i].group; next++)
            ;
        tell(left + i, next - i, steps->count - 2, out, arena);
    }
    if (out->leak_count)
        qsort(out->leaks, out->leak_count, sizeof *out->leaks, most_bytes_first);
    mem_free(left);
}
