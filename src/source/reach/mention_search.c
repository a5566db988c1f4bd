/* SPDX-License-Identifier: Apache-2.0 */
#include "mention_search.h"

#include "base/mem.h"

static uint32_t here(const struct mention_search *search, const struct mention *mention)
{
    return search->backward ? mention->to : mention->from;
}

static uint32_t there(const struct mention_search *search, const struct mention *mention)
{
    return search->backward ? mention->from : mention->to;
}

void mention_search_new(struct mention_search *search, const struct mentions *mentions, bool backward)
{
    const size_t units = mentions->units;
    *search = (struct mention_search){.mentions = mentions, .backward = backward};
    search->first = mem_zeroed((units + 2) * sizeof *search->first);
    search->of = mem_alloc((mentions->count + 1) * sizeof *search->of);
    search->seen = mem_zeroed(units + 1);
    search->via = mem_alloc((units + 1) * sizeof *search->via);
    search->queue = mem_alloc((units + 1) * sizeof *search->queue);
    for (size_t i = 0; i < mentions->count; i++)
        search->first[here(search, &mentions->at[i]) + 2]++;
    for (size_t u = 2; u < units + 2; u++)
        search->first[u] += search->first[u - 1];
    for (size_t i = 0; i < mentions->count; i++)
        search->of[search->first[here(search, &mentions->at[i]) + 1]++] = (uint32_t)i;
}

void mention_search_free(struct mention_search *search)
{
    mem_free(search->first);
    mem_free(search->of);
    mem_free(search->seen);
    mem_free(search->via);
    mem_free(search->queue);
}

void mention_search_begin(struct mention_search *search, uint32_t unit, uint32_t via)
{
    if (search->seen[unit])
        return;
    search->seen[unit] = true;
    search->via[unit] = via;
    search->queue[search->count++] = unit;
}

void mention_search_on(struct mention_search *search, bool strict)
{
    for (uint32_t at = 0; at < search->count; at++)
        for (uint32_t i = search->first[search->queue[at]]; i < search->first[search->queue[at] + 1]; i++) {
            const struct mention *mention = &search->mentions->at[search->of[i]];
            if (mention->strict || !strict)
                mention_search_begin(search, there(search, mention), search->of[i]);
        }
}
