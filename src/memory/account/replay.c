/* SPDX-License-Identifier: Apache-2.0 */
/* At another time than the end, by addresses: segments at the end without what came later, and with what went later. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/sum.h"
#include "layout.h"

enum { SMALL_SEGMENT = 2 << 20 }; /* of PyTorch's allocator: what it takes for small requests */

/* Where ranges begin and end. */
struct point {
    int64_t address;
    int32_t reserved, usable, held; /* ranges more from here on */
};

struct points {
    struct point *at;
    size_t count, room;
};

static void add_range(struct points *points, int64_t address, int64_t bytes, struct point of)
{
    int64_t end;
    if (address < 0 || bytes <= 0 || __builtin_add_overflow(address, bytes, &end))
        return;
    points->at = mem_grow(points->at, &points->room, points->count + 2, sizeof *points->at);
    points->at[points->count++] = (struct point){address, of.reserved, of.usable, of.held};
    points->at[points->count++] = (struct point){end, -of.reserved, -of.usable, -of.held};
}

static int by_address(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* ---- segments, from the last event back ---- */

/* One that is there, and whether the request may use it. */
struct place {
    int64_t address, end;
    bool usable;
};

struct replay {
    const struct memory_log *log;
    struct memory_request request;
    struct points points;
    struct place *places; /* of the segments at the end, by address */
    size_t count;
    struct map usable; /* by address, of segments that went before the end: 1, or 0 */
    bool grows;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void begin_at_the_end(struct replay *replay, uint16_t device, struct arena *arena)
{
    const struct memory_log *log = replay->log;
    const size_t first = log->segment_begin[device], end = log->segment_begin[device + 1];
    replay->places = arena_array(arena, end - first, sizeof *replay->places);
    for (size_t i = first; i < end; i++) {
        const struct memory_segment *segment = &log->segments[i];
        const bool usable = memory_request_may_use(replay->request, segment->small, segment->private, segment->stream);
        add_range(&replay->points, segment->address, segment->bytes, (struct point){0, 1, usable, 0});
        replay->grows |= segment->grows;
        replay->places[replay->count++] =
            (struct place){segment->address, sum_add(segment->address, segment->bytes), usable};
    }
    if (replay->count)
        qsort(replay->places, replay->count, sizeof *replay->places, by_place);
}

/* The segment at the end that the address lies in; NULL. */
static const struct place *place_of(const struct replay *replay, int64_t address)
{
    size_t low = 0, high = replay->count;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (replay->places[mid].address <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low && address < replay->places[low - 1].end ? &replay->places[low - 1] : NULL;
}

/* What went later was of a pool that only its size and stream tell; what of it came later is the same again. */
static bool usable_of(struct replay *replay, const struct memory_event *event, bool went)
{
    const bool grows = event->action == MEMORY_MAP || event->action == MEMORY_UNMAP;
    const uint32_t known = map_get(&replay->usable, event->address);
    const struct place *place = place_of(replay, event->address);
    const bool alone = memory_request_may_use(replay->request, event->bytes <= SMALL_SEGMENT, false, event->stream);
    if (!grows && went) {
        map_put(&replay->usable, event->address, alone);
        return alone;
    }
    if (!grows && known != MAP_NONE)
        return known;
    return place ? place->usable : alone;
}

static void go_back(struct replay *replay, uint16_t device, int64_t row)
{
    const size_t first = (size_t)larger_of(row, (int64_t)memory_first_row(replay->log, device));
    for (size_t i = memory_end_row(replay->log, device); i-- > first;) {
        const struct memory_event *event = &replay->log->events[i];
        const bool came = event->action == MEMORY_SEGMENT || event->action == MEMORY_MAP;
        const bool went = event->action == MEMORY_UNSEGMENT || event->action == MEMORY_UNMAP;
        if (!came && !went)
            continue;
        const int sign = came ? -1 : 1;
        add_range(&replay->points, event->address, event->bytes,
                  (struct point){0, sign, sign * usable_of(replay, event, went), 0});
        replay->grows |= event->action == MEMORY_MAP;
    }
}

/* ---- from the lowest address to the highest ---- */

/* The allocator gives multiples of 512 bytes. */
static int64_t rounded(int64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

/* A stretch of memory that is one segment, or several side by side of one that grows. */
struct stretch {
    int64_t free, gap;
    bool used, usable; /* usable: the gap is */
};

static void end_gap(struct stretch *stretch, struct memory_layout *out)
{
    if (stretch->gap && stretch->usable) {
        out->pieces++;
        out->largest = larger_of(out->largest, stretch->gap);
        sum_to(&out->usable, stretch->gap);
    }
    stretch->gap = 0;
}

static void end_stretch(struct stretch *stretch, struct memory_layout *out)
{
    end_gap(stretch, out);
    if (stretch->used)
        sum_to(&out->stuck, stretch->free);
    *stretch = (struct stretch){0};
}

static void pass_over(struct stretch *stretch, struct memory_layout *out, int64_t bytes, bool held, bool usable)
{
    sum_to(&out->reserved, bytes);
    if (held || stretch->usable != usable)
        end_gap(stretch, out);
    stretch->usable = usable;
    if (held) {
        sum_to(&out->held, bytes);
        stretch->used = true;
        return;
    }
    sum_to(&out->free, bytes);
    sum_to(&stretch->free, bytes);
    sum_to(&stretch->gap, bytes);
}

static void sweep(const struct points *points, bool grows, struct memory_layout *out)
{
    struct stretch stretch = {0};
    int64_t reserved = 0, usable = 0, held = 0;
    for (size_t i = 0; i < points->count;) {
        const int64_t address = points->at[i].address;
        bool edge = false;
        for (; i < points->count && points->at[i].address == address; i++) {
            reserved += points->at[i].reserved;
            usable += points->at[i].usable;
            held += points->at[i].held;
            edge |= points->at[i].reserved != 0;
        }
        if (edge && (!grows || reserved <= 0))
            end_stretch(&stretch, out);
        if (reserved > 0 && i < points->count)
            pass_over(&stretch, out, points->at[i].address - address, held > 0, usable > 0);
    }
    end_stretch(&stretch, out);
}

struct memory_layout memory_layout_at(const struct memory_lives *lives, int64_t row, struct memory_request request)
{
    struct memory_layout out = {.known = lives->log->has_segments, .rounding = -1};
    struct replay replay = {.log = lives->log, .request = request};
    struct arena scratch = {0};
    if (!out.known)
        return out;
    begin_at_the_end(&replay, lives->device, &scratch);
    go_back(&replay, lives->device, row);
    for (size_t i = 0; i < lives->count; i++)
        if (lives->at[i].born < row && row <= lives->at[i].died)
            add_range(&replay.points, lives->at[i].address, rounded(lives->at[i].bytes), (struct point){.held = 1});
    if (replay.points.count)
        qsort(replay.points.at, replay.points.count, sizeof *replay.points.at, by_address);
    sweep(&replay.points, replay.grows, &out);
    map_free(&replay.usable);
    mem_free(replay.points.at);
    arena_free(&scratch);
    return out;
}
