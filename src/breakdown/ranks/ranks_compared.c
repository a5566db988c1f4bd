/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_compared.h"

static bool counts(const struct rank_collective *collective)
{
    return collective->step != STEP_BEFORE_ALL && collective->step != STEP_AFTER_ALL &&
           collective_is_blocking(collective->of.kind);
}

struct map ranks_steps_met(const struct ranks *ranks)
{
    struct map met = {0};
    for (uint32_t r = 0; r < ranks->count; r++)
        for (uint32_t i = 0; i < ranks->at[r]->collective_count; i++)
            if (counts(&ranks->at[r]->collectives[i]))
                map_put(&met, ranks->at[r]->collectives[i].step, 0);
    return met;
}

/* Of a step of one rank: bits of the kinds that it came to, whether it is left out, and bits of those that were matched. */
enum { LEFT_OUT = 1 << 15, MATCHED_FROM = 16 };

_Static_assert(1 << COLLECTIVE_KINDS <= LEFT_OUT, "a bit a kind");

struct own_steps {
    struct map kinds;
    uint32_t ever; /* kinds that were matched in any step */
    bool alike;    /* the rank numbers its steps as the others do, in all that was matched */
};

static void note(struct own_steps *own, const struct rank_collective *collective, const struct meeting *meeting)
{
    const uint32_t known = map_get(&own->kinds, collective->step), kind = 1U << collective->of.kind;
    const uint32_t matched = meeting ? kind : 0;
    own->ever |= matched;
    own->alike &= !meeting || meeting->sample->step == collective->step;
    map_put(&own->kinds, collective->step, (known == MAP_NONE ? 0 : known) | kind | matched << MATCHED_FROM);
}

static struct own_steps own_steps_of(const struct rank_numbers *rank, const struct attended *attended)
{
    struct own_steps own = {.alike = true};
    for (uint32_t i = 0; i < rank->collective_count; i++)
        if (counts(&rank->collectives[i]))
            note(&own, &rank->collectives[i], attended[i].meeting);
    return own;
}

static bool is_matched(uint32_t known)
{
    return known != MAP_NONE && known >> MATCHED_FROM;
}

/* It lacks all of a kind that is matched in other steps: what was late there may have shown in those. */
static bool is_partial(const struct own_steps *own, uint32_t known)
{
    const uint32_t came = known & ((1U << MATCHED_FROM) - 1);
    return is_matched(known) && came & ~(known >> MATCHED_FROM) & own->ever;
}

static bool any_whole(const struct own_steps *own)
{
    for (size_t i = 0; own->kinds.count && i <= own->kinds.mask; i++)
        if (is_matched(own->kinds.slots[i].value) && !is_partial(own, own->kinds.slots[i].value))
            return true;
    return false;
}

/* Its partial steps, in their order; what came of their collectives is forgotten. */
static void leave_out(const struct rank_numbers *rank, struct own_steps *own, struct attended *attended,
                      struct rank_account *account, struct arena *arena)
{
    account->partial = arena_array(arena, own->kinds.count, sizeof *account->partial);
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const int64_t step = rank->collectives[i].step;
        const uint32_t known = map_get(&own->kinds, step);
        if (!is_partial(own, known))
            continue;
        attended[i] = (struct attended){0};
        if (!(known & LEFT_OUT))
            account->partial[account->partial_count++] = step;
        map_put(&own->kinds, step, known | LEFT_OUT);
    }
}

/* Where numbers do not agree, steps of others are not those of the rank. */
static uint32_t compared(const struct own_steps *own, uint32_t steps, uint32_t partial, const struct map *met)
{
    uint32_t matched = 0, missed = 0;
    for (size_t i = 0; met->count && i <= met->mask; i++) {
        if (met->slots[i].value == MAP_NONE)
            continue;
        const uint32_t known = map_get(&own->kinds, met->slots[i].key);
        matched += is_matched(known);
        missed += known == MAP_NONE ? own->alike : !is_matched(known);
    }
    matched -= partial;
    missed += partial;
    if (!matched || matched >= steps)
        return steps;
    return missed < steps - matched ? steps - missed : matched;
}

void ranks_compared(const struct ranks *ranks, uint32_t r, struct attended *attended, const struct map *met,
                    struct arena *arena)
{
    struct rank_account *account = &ranks->accounts[r];
    struct own_steps own = own_steps_of(ranks->at[r], attended);
    if (any_whole(&own))
        leave_out(ranks->at[r], &own, attended, account, arena);
    account->compared = compared(&own, ranks->at[r]->steps, account->partial_count, met);
    map_free(&own.kinds);
}

bool rank_step_is_partial(const struct rank_account *account, int64_t step)
{
    for (uint32_t i = 0; i < account->partial_count; i++)
        if (account->partial[i] == step)
            return true;
    return false;
}
