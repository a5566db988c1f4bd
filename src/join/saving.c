/* SPDX-License-Identifier: Apache-2.0 */
#include "saving.h"

#include "base/mem.h"

static void push(uint32_t **list, size_t *count, size_t *room, uint32_t value)
{
    *list = mem_grow(*list, room, *count + 1, sizeof value);
    (*list)[(*count)++] = value;
}

void sighting_add_move(struct sighting *sighting, uint32_t move)
{
    push(&sighting->moves, &sighting->move_count, &sighting->move_room, move);
}

void sighting_add_host(struct sighting *sighting, uint32_t row)
{
    push(&sighting->host, &sighting->host_count, &sighting->host_room, row);
}

void sighting_free(struct sighting *sighting)
{
    mem_free(sighting->moves);
    mem_free(sighting->host);
}

/* ---- what a fix takes away ---- */

static void take_row(const struct evidence *evidence, uint32_t row)
{
    const struct trace *trace = evidence->trace;
    relief_host(evidence->relief, trace->lane[row], trace->start_ns[row], trace_end_ns(trace, row));
}

static void take_whole(const struct evidence *evidence, const struct move *move)
{
    if (move->call != ROW_NONE)
        relief_remove(evidence->relief, moving_row(evidence->trace, move->call));
    if (move->sync != ROW_NONE && move->sync != move->call)
        relief_remove(evidence->relief, move->sync);
}

/* The call below the user's function that builds the tensor: torch.tensor(list) converts the list in it. */
static void take_build(const struct evidence *evidence, const struct move *move)
{
    const struct place place = place_of(evidence->stacks, move_row(move));
    if (place.callee_row != ROW_NONE && !place.backward)
        take_row(evidence, place.callee_row);
}

/* Pinned memory, which lets the copy run beside the rest, also makes it faster where the trace shows how much. */
static void take_wait(const struct evidence *evidence, const struct move *move)
{
    relief_unblock(evidence->relief, move);
    if (move_is_copy(move) && move->direction == COPY_H2D && move->memory == HOST_PAGEABLE && evidence->pinned_gain > 1)
        relief_device(evidence->relief, move->copy, (int64_t)((double)move->device_ns / evidence->pinned_gain));
}

static void take_move(const struct evidence *evidence, enum spares spares, const struct move *move)
{
    switch (spares) {
    case SPARES_ALL:
    case SPARES_ROUNDS:
        take_whole(evidence, move);
        break;
    case SPARES_BUILD:
        take_build(evidence, move);
        take_wait(evidence, move);
        break;
    case SPARES_HALF:
        if (move_is_copy(move))
            relief_device(evidence->relief, move->copy, move->device_ns / 2);
        break;
    case SPARES_WAIT:
        take_wait(evidence, move);
        break;
    case SPARES_HOST:
    case SPARES_UNKNOWN:
        break;
    }
}

void saving_take(const struct evidence *evidence, const struct sighting *sighting)
{
    for (size_t i = 0; i < sighting->move_count; i++)
        take_move(evidence, sighting->spares, &evidence->movement.at[sighting->moves[i]]);
    for (size_t i = 0; i < sighting->host_count; i++) {
        if (sighting->spares == SPARES_ROUNDS)
            relief_remove(evidence->relief, sighting->host[i]);
        else
            take_row(evidence, sighting->host[i]);
    }
}

int64_t saving_replay(const struct evidence *evidence)
{
    const int64_t saving = relief_saving_ns(evidence->relief);
    relief_clear(evidence->relief);
    return saving > 0 ? saving : 0;
}

int64_t saving_of(const struct evidence *evidence, const struct sighting *sighting)
{
    if (sighting->spares == SPARES_UNKNOWN || sighting_is_empty(sighting))
        return -1;
    saving_take(evidence, sighting);
    return saving_replay(evidence);
}

int64_t saving_together(const struct evidence *evidence, const struct sighting *sightings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (sightings[i].spares != SPARES_UNKNOWN)
            saving_take(evidence, &sightings[i]);
    return saving_replay(evidence);
}
