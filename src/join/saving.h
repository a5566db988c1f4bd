/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fixing findings would spare a step, by replaying the dependency graph of
 * the trace without what their rules say the fix takes away. A set is evaluated
 * as one: its saving is rarely the sum of those of its members.
 */
#ifndef JOIN_SAVING_H
#define JOIN_SAVING_H

#include "fit.h"

/* What a trace has to say for a finding. */
struct sighting {
    enum spares spares;
    uint32_t *moves; /* indices into the table of moves */
    size_t move_count, move_room;
    uint32_t *host; /* rows of the host: whose time the fix takes away, or the rounds of a loop that it spares */
    size_t host_count, host_room;
    uint32_t shared; /* how many findings of the function the trace cannot tell from this one; 0: none */
};

static inline bool sighting_is_empty(const struct sighting *sighting)
{
    return !sighting->move_count && !sighting->host_count;
}

void sighting_add_move(struct sighting *sighting, uint32_t move);
void sighting_add_host(struct sighting *sighting, uint32_t row);
void sighting_free(struct sighting *sighting);

/* Puts what the fix takes away into the relief, and says what a step saves by all that was put there; it is empty then. */
void saving_take(const struct evidence *evidence, const struct sighting *sighting);
int64_t saving_replay(const struct evidence *evidence);

/* Of one finding alone, and of all together; a step, at least 0. -1: told by no replay. */
int64_t saving_of(const struct evidence *evidence, const struct sighting *sighting);
int64_t saving_together(const struct evidence *evidence, const struct sighting *sightings, uint32_t count);

#endif
