/* SPDX-License-Identifier: Apache-2.0 */
#include "chain.h"

struct check chain_check(const struct chain *chain, uint32_t file)
{
    return (struct check){chain->check->project, file, project_tree(chain->check->project, file), chain->check->arena};
}

str chain_text(const struct chain *chain, struct site site)
{
    const struct check there = chain_check(chain, site.file);
    const str text = ask_text(&there, site.node);
    return str_printf(there.arena, "`%.*s`", (int)text.len, text.at);
}

bool chain_add(struct chain *chain, struct site site, str what)
{
    if (chain->count == CHAIN_STEPS)
        chain->count--;
    chain->places[chain->count++] = (struct proof_place){site, what};
    return true;
}

void chain_end(struct chain *chain, struct site site, str what)
{
    chain->origin = chain_add(chain, site, what);
}

void chain_leave(struct chain *chain, const char *open)
{
    chain->origin = false;
    chain->open = open;
}

void chain_give(const struct chain *chain, struct proof_link *link)
{
    const uint32_t count = chain->count < CHAIN_PLACES ? chain->count : CHAIN_PLACES;
    struct proof_place *places = arena_array(chain->check->arena, count, sizeof *places);
    for (uint32_t i = 0; i < count; i++) /* of too many the nearest and the last are shown */
        places[i] = chain->places[i ? count - 1 - i : chain->count - 1];
    link->places = places;
    link->count = count;
}
