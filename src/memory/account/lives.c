/* SPDX-License-Identifier: Apache-2.0 */
#include "lives.h"

#include "base/mem.h"
#include "base/sum.h"

struct pairing {
    struct memory_lives *lives;
    struct map open; /* by address: the life that is there */
};

static uint32_t add(struct memory_lives *lives, struct memory_life life)
{
    lives->at = mem_grow(lives->at, &lives->room, lives->count + 1, sizeof *lives->at);
    lives->at[lives->count] = life;
    return (uint32_t)lives->count++;
}

static void allocate(struct pairing *pairing, const struct memory_event *event, int64_t row)
{
    struct memory_lives *lives = pairing->lives;
    const uint32_t old = map_get(&pairing->open, event->address);
    if (old != MAP_NONE && lives->at[old].died == LIFE_AFTER) {
        lives->at[old].died = row;
        lives->doubled++;
    }
    const struct memory_life life = {row, LIFE_AFTER, event->address, event->bytes, event->context, 0, 0, 0};
    map_put(&pairing->open, event->address, add(lives, life));
}

static void release(struct pairing *pairing, const struct memory_event *event, int64_t row)
{
    struct memory_lives *lives = pairing->lives;
    const uint32_t life = map_get(&pairing->open, event->address);
    if (life != MAP_NONE && lives->at[life].died == LIFE_AFTER) {
        lives->at[life].died = row;
        return;
    }
    add(lives, (struct memory_life){LIFE_BEFORE, row, event->address, event->bytes, 0, 0, 0, 0});
    lives->unmatched++;
}

/* Blocks in use at the end of which the history does not tell the begin. */
static void add_blocks(struct pairing *pairing)
{
    const struct memory_log *log = pairing->lives->log;
    const size_t end = log->segment_begin[pairing->lives->device + 1];
    for (size_t i = log->segment_begin[pairing->lives->device]; i < end; i++) {
        const struct memory_segment *segment = &log->segments[i];
        for (uint32_t k = 0; k < segment->blocks; k++) {
            const struct memory_block *block = &log->blocks[segment->first_block + k];
            const uint32_t known = map_get(&pairing->open, block->address);
            if (block->state != MEMORY_ACTIVE || (known != MAP_NONE && pairing->lives->at[known].died == LIFE_AFTER))
                continue;
            add(pairing->lives, (struct memory_life){LIFE_BEFORE, LIFE_AFTER, block->address, block->requested,
                                                     block->context, 0, 0, 0});
        }
    }
}

/* What a recorder counted before its first event, beyond the pieces that are freed later. */
static void add_rest(struct memory_lives *lives)
{
    if (!lives->log->held_begin)
        return;
    int64_t rest = lives->log->held_begin[lives->device];
    for (size_t i = 0; i < lives->count; i++)
        if (lives->at[i].born == LIFE_BEFORE)
            rest = sum_add(rest, -lives->at[i].bytes);
    if (rest > 0)
        add(lives, (struct memory_life){LIFE_BEFORE, LIFE_AFTER, -1, rest, 0, 0, 0, 0});
}

struct memory_lives memory_lives_of(const struct memory_log *log, uint16_t device)
{
    struct memory_lives lives = {.log = log, .device = device};
    struct pairing pairing = {.lives = &lives};
    for (size_t i = memory_first_row(log, device); i < memory_end_row(log, device); i++) {
        const struct memory_event *event = &log->events[i];
        if (event->action == MEMORY_ALLOC)
            allocate(&pairing, event, (int64_t)i);
        else if (event->action == MEMORY_FREE)
            release(&pairing, event, (int64_t)i);
    }
    if (log->has_segments)
        add_blocks(&pairing);
    else
        add_rest(&lives);
    map_free(&pairing.open);
    return lives;
}

void memory_lives_free(struct memory_lives *lives)
{
    mem_free(lives->at);
    *lives = (struct memory_lives){0};
}
