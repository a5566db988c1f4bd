/* SPDX-License-Identifier: Apache-2.0 */
#include "coarse_times.h"

#include "base/map.h"
#include "base/order.h"
#include "base/sort.h"

enum { PASSES = 16 };

static uint32_t bits_in(int64_t value)
{
    return value > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)value) : 0;
}

/* ---- how far ---- */

/* Of collectives of one group, kind and size, but for a factor of two. */
static int64_t likeness(const struct collective *of)
{
    const uint64_t key = (uint64_t)of->group << 24 | (uint64_t)of->kind << 16 | (uint64_t)of->element_bytes << 8 |
                         (uint64_t)bits_in(of->in_elements) << 1 | of->on_host;
    return (int64_t)key;
}

/* By place in the map: the shortest of its like. */
static int64_t *fastest_of(const struct rank_numbers *numbers, struct map *places, struct arena *arena)
{
    int64_t *fastest = arena_array(arena, numbers->collective_count, sizeof *fastest);
    for (uint32_t i = 0, count = 0; i < numbers->collective_count; i++) {
        const struct collective *of = &numbers->collectives[i].of;
        uint32_t place = map_get(places, likeness(of));
        if (of->dur_ns < 0)
            continue;
        if (place == MAP_NONE) {
            place = count++;
            map_put(places, likeness(of), place);
            fastest[place] = of->dur_ns;
        }
        fastest[place] = smaller_of(fastest[place], of->dur_ns);
    }
    return fastest;
}

static void choose_bits(const struct rank_numbers *numbers, const struct coarse_level *level, uint8_t *bits)
{
    struct arena scratch = {0};
    struct map places = {0};
    const int64_t *fastest = fastest_of(numbers, &places, &scratch);
    for (uint32_t i = 0; i < numbers->collective_count && level->digits; i++) {
        const struct collective *of = &numbers->collectives[i].of;
        const uint32_t beyond = of->dur_ns < 0 ? 0 : bits_in(of->dur_ns - fastest[map_get(&places, likeness(of))]);
        const uint32_t wanted = beyond > level->digits ? beyond - level->digits : 0;
        bits[i] = (uint8_t)(wanted < level->entry_bits ? wanted : level->entry_bits);
    }
    map_free(&places);
    arena_free(&scratch);
}

/* ---- to what ---- */

static uint32_t list_edges(const struct rank_numbers *numbers, struct keyed *edges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < numbers->collective_count; i++) {
        const struct collective *of = &numbers->collectives[i].of;
        edges[count++] = (struct keyed){of->call_ns, i};
        edges[count++] = (struct keyed){of->start_ns, i};
        if (of->dur_ns >= 0)
            edges[count++] = (struct keyed){of->start_ns + of->dur_ns, i};
    }
    sort_keyed(edges, count);
    return count;
}

/* Of two that would come in the wrong order, or be told apart where they are one, the coarser becomes as fine as the other. */
static bool refine(const struct keyed *edges, uint32_t count, uint8_t *bits)
{
    bool refined = false;
    for (uint32_t k = 1; k < count; k++) {
        uint8_t *const a = &bits[edges[k - 1].row], *const b = &bits[edges[k].row];
        const int64_t before = coarse_rounded(edges[k - 1].key, *a), now = coarse_rounded(edges[k].key, *b);
        if (before <= now && (before == now || edges[k - 1].key != edges[k].key))
            continue;
        *a = *b = *a < *b ? *a : *b;
        refined = true;
    }
    return refined;
}

struct coarse_times coarse_times_of(const struct rank_numbers *numbers, const struct coarse_level *level,
                                    struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t room = 3 * numbers->collective_count;
    struct coarse_times out = {arena_array(arena, room, sizeof(int64_t)), arena_array(arena, room, sizeof(int64_t)), 0,
                               arena_array(arena, numbers->collective_count, 1), level->spent_bits};
    struct keyed *edges = arena_array(&scratch, room, sizeof *edges);
    choose_bits(numbers, level, out.bits);
    out.count = list_edges(numbers, edges);
    uint32_t passes = 0;
    while (refine(edges, out.count, out.bits) && ++passes < PASSES)
        ;
    if (passes == PASSES) /* nothing is rounded */
        memset(out.bits, 0, numbers->collective_count);
    for (uint32_t k = 0; k < out.count; k++) {
        out.true_ns[k] = edges[k].key;
        out.told_ns[k] = coarse_rounded(edges[k].key, out.bits[edges[k].row]);
    }
    arena_free(&scratch);
    return out;
}

int64_t coarse_time(const struct coarse_times *times, int64_t time_ns)
{
    uint32_t low = 0, high = times->count; /* the first at the time or behind it */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (times->true_ns[middle] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < times->count && times->true_ns[low] == time_ns)
        return times->told_ns[low];
    const int64_t told = coarse_rounded(time_ns, times->spent_bits);
    const int64_t least = low ? times->told_ns[low - 1] : told, most = low < times->count ? times->told_ns[low] : told;
    return smaller_of(larger_of(told, least), most);
}
