/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a trace are shared out among the findings that show the same events. */
#include "private.h"

void join_count_claims(struct join *join)
{
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct sighting *sighting = &join->sightings[i];
        for (size_t k = 0; k < sighting->move_count; k++)
            join->claims[sighting->moves[k]]++;
        for (size_t k = 0; k < sighting->host_count; k++) {
            const uint32_t before = map_get(&join->host_claims, sighting->host[k]);
            map_put(&join->host_claims, sighting->host[k], before == MAP_NONE ? 1 : before + 1);
        }
    }
}

double join_share_of_move(const struct join *join, uint32_t move)
{
    return join->claims[move] ? 1.0 / join->claims[move] : 1;
}

double join_share_of_host(const struct join *join, uint32_t row)
{
    const uint32_t claims = map_get(&join->host_claims, row);
    return claims == MAP_NONE || !claims ? 1 : 1.0 / claims;
}

int64_t join_blocked_of(const struct join *join, const struct sighting *sighting)
{
    double ns = 0;
    for (size_t i = 0; i < sighting->move_count; i++)
        ns += (double)join->evidence.movement.at[sighting->moves[i]].blocked_ns *
              join_share_of_move(join, sighting->moves[i]);
    return (int64_t)(ns / join->evidence.steps);
}

/* Of all that the finding shows the part that is its own: a saving is shared out by it. */
static double own_part(const struct join *join, const struct sighting *sighting)
{
    const size_t all = sighting->move_count + sighting->host_count;
    double own = 0;
    for (size_t i = 0; i < sighting->move_count; i++)
        own += join_share_of_move(join, sighting->moves[i]);
    for (size_t i = 0; i < sighting->host_count; i++)
        own += join_share_of_host(join, sighting->host[i]);
    return all ? own / (double)all : 1;
}

int64_t join_saving_of(const struct join *join, const struct sighting *sighting)
{
    const int64_t whole = saving_of(&join->evidence, sighting);
    return whole > 0 ? (int64_t)((double)whole * own_part(join, sighting)) : whole;
}
