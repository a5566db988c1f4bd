/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdlib.h>

#include "base/sum.h"

/* ---- what lives at an event ---- */

static bool *living_at(const struct dry_lives *lives, uint32_t event, struct arena *arena)
{
    bool *const lives_now = arena_array(arena, lives->count, sizeof *lives_now);
    for (uint32_t i = 0; i <= event && i < lives->event_count; i++)
        if (lives->events[i].what == LIFE_MADE || lives->events[i].what == LIFE_DIED)
            lives_now[lives->events[i].of] = lives->events[i].what == LIFE_MADE;
    return lives_now;
}

static int64_t step_at(const struct dry_lives *lives, uint32_t event)
{
    int64_t step = 1;
    for (uint32_t i = 0; i < event; i++)
        step += lives->events[i].what == LIFE_STEP_ENDED;
    return step;
}

/* ---- by line ---- */

static int by_place(const void *a, const void *b)
{
    const struct dry_held *const x = a, *const y = b;
    const int order = str_cmp(x->place, y->place);
    return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_bytes(const void *a, const void *b)
{
    const struct dry_held *const x = a, *const y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : by_place(a, b);
}

static uint32_t merge(struct dry_held *held, uint32_t count)
{
    uint32_t merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (merged && !by_place(&held[merged - 1], &held[i])) {
            sum_to(&held[merged - 1].bytes, held[i].bytes);
            held[merged - 1].storages++;
        } else {
            held[merged++] = held[i];
        }
    }
    return merged;
}

static void take_held(const struct dry_lives *lives, const bool *living, struct arena *arena, struct dry_memory *memory)
{
    struct dry_held *const held = arena_array(arena, lives->count, sizeof *held);
    uint32_t count = 0;
    for (uint32_t i = 0; i < lives->count; i++) {
        const struct dry_storage *const storage = &lives->storages[i];
        const int64_t bytes = allocator_rounded(storage->bytes);
        if (!living[i] || !bytes)
            continue;
        sum_to(&memory->by_kind[storage->kind], bytes);
        held[count++] = (struct dry_held){storage->place, storage->kind, bytes, 1};
    }
    qsort(held, count, sizeof *held, by_place);
    memory->held_count = merge(held, count);
    qsort(held, memory->held_count, sizeof *held, by_bytes);
    memory->held = held;
}

struct dry_memory dry_memory_of(const struct dry_lives *lives, struct arena *arena)
{
    const struct allocator_peak peak = allocator_replay(lives, ALLOCATOR_NO_LIMIT);
    struct dry_memory memory = {
        .peak_bytes = peak.held, .reserved_bytes = peak.reserved, .place = S(""), .storages = lives->count};
    struct arena scratch = {0};
    if (peak.held_at != LIVES_NONE) {
        memory.place = lives->storages[lives->events[peak.held_at].of].place;
        memory.step = step_at(lives, peak.held_at);
        take_held(lives, living_at(lives, peak.held_at, &scratch), arena, &memory);
    }
    arena_free(&scratch);
    return memory;
}
