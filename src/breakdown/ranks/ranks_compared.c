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

/* What is known of a step of one rank. */
enum { CAME, MATCHED };

/* Returns whether the rank numbers its steps as the others do, in all that was matched. */
static bool note_own(const struct rank_numbers *rank, const struct attended *attended, struct map *own)
{
    bool alike = true;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const struct rank_collective *collective = &rank->collectives[i];
        if (!counts(collective))
            continue;
        if (attended[i].meeting)
            map_put(own, collective->step, MATCHED);
        else if (map_get(own, collective->step) == MAP_NONE)
            map_put(own, collective->step, CAME);
        alike &= !attended[i].meeting || attended[i].meeting->sample->step == collective->step;
    }
    return alike;
}

/* Where numbers do not agree, steps of others are not those of the rank. */
uint32_t ranks_compared(const struct ranks *ranks, uint32_t r, const struct attended *attended, const struct map *met)
{
    struct map own = {0};
    const uint32_t steps = ranks->at[r]->steps;
    const bool alike = note_own(ranks->at[r], attended, &own);
    uint32_t matched = 0, missed = 0;
    for (size_t i = 0; met->count && i <= met->mask; i++) {
        if (met->slots[i].value == MAP_NONE)
            continue;
        const uint32_t known = map_get(&own, met->slots[i].key);
        matched += known == MATCHED;
        missed += known == CAME || (known == MAP_NONE && alike);
    }
    map_free(&own);
    if (!matched || matched >= steps)
        return steps;
    return missed < steps - matched ? steps - missed : matched;
}
