/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to place pieces on devices. Greedy: the heaviest first, to the device with the least so far that can hold it. */
#include "shard_choose.h"

#include <math.h>
#include <stdlib.h>

static const char *const words[] = {
    [SHARD_NAIVE] = "naive",
    [SHARD_SIZE] = "size-greedy",
    [SHARD_LOOKUP] = "lookup-greedy",
    [SHARD_NORM_LOOKUP] = "norm-lookup",
    [SHARD_SIZE_LOOKUP] = "size-lookup",
    [SHARD_TIME] = "time-greedy",
    [SHARD_LOCAL] = "time-local",
};

str shard_method_word(enum shard_method method)
{
    return str_of(words[method]);
}

bool shard_method_of_word(str word, enum shard_method *method)
{
    for (int i = 0; i < SHARD_METHODS; i++)
        if (str_eq(str_of(words[i]), word)) {
            *method = (enum shard_method)i;
            return true;
        }
    return false;
}

/* ---- greedy ---- */

static double weight_of(const struct shard_piece *piece, enum shard_method method)
{
    switch (method) {
    case SHARD_SIZE:
        return piece->bytes;
    case SHARD_LOOKUP:
    case SHARD_NORM_LOOKUP:
    case SHARD_SIZE_LOOKUP:
        return piece->weight[method - SHARD_LOOKUP];
    default:
        return piece->us;
    }
}

/* A device with what it has so far. */
struct bin {
    double weight, bytes;
};

static bool fits(const struct sharding *sharding, const struct bin *bin, const struct shard_piece *piece)
{
    return bin->bytes + piece->bytes <= sharding->asked.memory_bytes * (1 + 1e-9);
}

/* The lightest device that can hold it; where none can, the one with the most room. */
static uint32_t lightest(const struct sharding *sharding, const struct bin *bins, const struct shard_piece *piece)
{
    uint32_t light = UINT32_MAX, empty = 0;
    for (uint32_t i = 0; i < sharding->asked.devices; i++) {
        if (bins[i].bytes < bins[empty].bytes)
            empty = i;
        if (fits(sharding, &bins[i], piece) && (light == UINT32_MAX || bins[i].weight < bins[light].weight))
            light = i;
    }
    return light == UINT32_MAX ? empty : light;
}

struct ranked {
    double weight;
    uint32_t piece;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->piece > y->piece) - (x->piece < y->piece);
}

static void place_greedy(const struct sharding *sharding, enum shard_method method, uint32_t *device)
{
    struct arena scratch = {0};
    struct ranked *ranked = arena_array(&scratch, sharding->piece_count, sizeof *ranked);
    struct bin *bins = arena_array(&scratch, sharding->asked.devices, sizeof *bins);
    for (uint32_t i = 0; i < sharding->piece_count; i++)
        ranked[i] = (struct ranked){weight_of(&sharding->pieces[i], method), i};
    qsort(ranked, sharding->piece_count, sizeof *ranked, heaviest_first);
    for (uint32_t i = 0; i < sharding->piece_count; i++) {
        const struct shard_piece *piece = &sharding->pieces[ranked[i].piece];
        const uint32_t at = lightest(sharding, bins, piece);
        bins[at].weight += ranked[i].weight;
        bins[at].bytes += piece->bytes;
        device[ranked[i].piece] = at;
    }
    arena_free(&scratch);
}

/* ---- local improvement ---- */

enum { MOST_LOOKS = 1 << 26 }; /* pairs of pieces looked at, so that many tables end too */

struct improving {
    const struct sharding *sharding;
    uint32_t *device;
    struct bin *bins;
    uint64_t looks;
};

static uint32_t slowest(const struct improving *w)
{
    uint32_t slow = 0;
    for (uint32_t i = 1; i < w->sharding->asked.devices; i++)
        if (w->bins[i].weight > w->bins[slow].weight)
            slow = i;
    return slow;
}

/* A move of a piece of the slowest device (other: PIECE_NONE), or a swap with a piece of another. */
enum { PIECE_NONE = UINT32_MAX };
struct step {
    uint32_t piece, other, to;
    double slower_us; /* of the two devices afterwards */
};

/* The slower of the two devices afterwards; infinite where memory does not do. */
static double slower_after(const struct improving *w, uint32_t piece, uint32_t other, uint32_t to)
{
    const struct shard_piece *pieces = w->sharding->pieces, *out = &pieces[piece];
    const struct bin *from = &w->bins[w->device[piece]], *into = &w->bins[to];
    const double back_us = other == PIECE_NONE ? 0 : pieces[other].us;
    const double back_bytes = other == PIECE_NONE ? 0 : pieces[other].bytes;
    const double room = w->sharding->asked.memory_bytes * (1 + 1e-9);
    if (into->bytes + out->bytes - back_bytes > room || from->bytes - out->bytes + back_bytes > room)
        return INFINITY;
    return fmax(from->weight - out->us + back_us, into->weight + out->us - back_us);
}

static void offer(struct improving *w, struct step *best, uint32_t piece, uint32_t other, uint32_t to)
{
    const double us = slower_after(w, piece, other, to);
    w->looks++;
    if (us < best->slower_us)
        *best = (struct step){piece, other, to, us};
}

/* All that a piece of the slowest device could do. */
static void offer_all(struct improving *w, struct step *best, uint32_t piece)
{
    const uint32_t slow = w->device[piece];
    for (uint32_t to = 0; to < w->sharding->asked.devices; to++)
        if (to != slow)
            offer(w, best, piece, PIECE_NONE, to);
    for (uint32_t other = 0; other < w->sharding->piece_count; other++)
        if (w->device[other] != slow && w->sharding->pieces[other].us < w->sharding->pieces[piece].us)
            offer(w, best, piece, other, w->device[other]);
}

static void put(struct improving *w, uint32_t piece, uint32_t to)
{
    const struct shard_piece *at = &w->sharding->pieces[piece];
    w->bins[w->device[piece]].weight -= at->us;
    w->bins[w->device[piece]].bytes -= at->bytes;
    w->bins[to].weight += at->us;
    w->bins[to].bytes += at->bytes;
    w->device[piece] = to;
}

/* One step that makes the slowest device faster, and leaves no other as slow; false where there is none. */
static bool improve_once(struct improving *w)
{
    const uint32_t slow = slowest(w);
    struct step best = {.slower_us = w->bins[slow].weight * (1 - 1e-9)};
    bool found = false;
    for (uint32_t i = 0; i < w->sharding->piece_count && w->looks < MOST_LOOKS; i++)
        if (w->device[i] == slow) {
            const double before = best.slower_us;
            offer_all(w, &best, i);
            found = found || best.slower_us < before;
        }
    if (!found)
        return false;
    put(w, best.piece, best.to);
    if (best.other != PIECE_NONE)
        put(w, best.other, slow);
    return true;
}

/* False: it ended before there was nothing more to gain. */
static bool improve(const struct sharding *sharding, uint32_t *device)
{
    struct arena scratch = {0};
    struct improving w = {sharding, device, arena_array(&scratch, sharding->asked.devices, sizeof(struct bin)), 0};
    for (uint32_t i = 0; i < sharding->piece_count; i++) {
        w.bins[device[i]].weight += sharding->pieces[i].us;
        w.bins[device[i]].bytes += sharding->pieces[i].bytes;
    }
    while (w.looks < MOST_LOOKS && improve_once(&w))
        continue;
    arena_free(&scratch);
    return w.looks < MOST_LOOKS;
}

uint32_t *shard_choose(const struct sharding *sharding, enum shard_method method, struct arena *arena, bool *whole)
{
    uint32_t *device = arena_array(arena, sharding->piece_count, sizeof *device);
    for (uint32_t i = 0; i < sharding->piece_count; i++)
        device[i] = i % sharding->asked.devices;
    if (method != SHARD_NAIVE)
        place_greedy(sharding, method, device);
    *whole = method != SHARD_LOCAL || improve(sharding, device);
    return device;
}
