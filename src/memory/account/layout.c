/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/sum.h"

/* ---- at the end, by blocks ---- */

static void add_segment(const struct memory_log *log, const struct memory_segment *segment, struct memory_layout *out)
{
    int64_t free = 0;
    bool used = false;
    sum_to(&out->reserved, segment->bytes);
    for (uint32_t k = 0; k < segment->blocks; k++) {
        const struct memory_block *block = &log->blocks[segment->first_block + k];
        if (block->state == MEMORY_INACTIVE) {
            sum_to(&free, block->bytes);
            out->largest = larger_of(out->largest, block->bytes);
            out->pieces++;
            continue;
        }
        used = true;
        sum_to(&out->held, block->bytes);
        if (block->state == MEMORY_ACTIVE)
            sum_to(&out->rounding, sum_add(block->bytes, -block->requested));
    }
    sum_to(&out->free, free);
    if (used)
        sum_to(&out->stuck, free);
}

struct memory_layout memory_layout_end(const struct memory_log *log, uint16_t device)
{
    struct memory_layout out = {.known = log->has_segments};
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].device == device)
            add_segment(log, &log->segments[i], &out);
    return out;
}

/* ---- at another time, by addresses ---- */

/* Where ranges begin and end. */
struct point {
    int64_t address;
    int32_t reserved, held; /* ranges more from here on */
};

struct points {
    struct point *at;
    size_t count, room;
};

static void add_range(struct points *points, int64_t address, int64_t bytes, int reserved, int held)
{
    int64_t end;
    if (address < 0 || bytes <= 0 || __builtin_add_overflow(address, bytes, &end))
        return;
    points->at = mem_grow(points->at, &points->room, points->count + 2, sizeof *points->at);
    points->at[points->count++] = (struct point){address, reserved, held};
    points->at[points->count++] = (struct point){end, -reserved, -held};
}

static int by_address(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Segments at the end, without what came later, and with what went later. True: some of them grow. */
static bool add_reserved(struct points *points, const struct memory_log *log, uint16_t device, int64_t row)
{
    bool grows = false;
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].device == device) {
            add_range(points, log->segments[i].address, log->segments[i].bytes, 1, 0);
            grows |= log->segments[i].grows;
        }
    for (size_t i = row < 0 ? 0 : (size_t)row; i < log->event_count; i++) {
        const struct memory_event *event = &log->events[i];
        if (event->device != device)
            continue;
        if (event->action == MEMORY_SEGMENT || event->action == MEMORY_MAP)
            add_range(points, event->address, event->bytes, -1, 0);
        else if (event->action == MEMORY_UNSEGMENT || event->action == MEMORY_UNMAP)
            add_range(points, event->address, event->bytes, 1, 0);
        grows |= event->action == MEMORY_MAP;
    }
    return grows;
}

/* The allocator gives multiples of 512 bytes. */
static int64_t rounded(int64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

/* A stretch of memory that is one segment, or several side by side of one that grows. */
struct stretch {
    int64_t free, gap;
    bool used;
};

static void end_gap(struct stretch *stretch, struct memory_layout *out)
{
    if (!stretch->gap)
        return;
    out->pieces++;
    out->largest = larger_of(out->largest, stretch->gap);
    stretch->gap = 0;
}

static void end_stretch(struct stretch *stretch, struct memory_layout *out)
{
    end_gap(stretch, out);
    if (stretch->used)
        sum_to(&out->stuck, stretch->free);
    *stretch = (struct stretch){0};
}

static void pass_over(struct stretch *stretch, struct memory_layout *out, int64_t bytes, bool held)
{
    sum_to(&out->reserved, bytes);
    if (held) {
        end_gap(stretch, out);
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
    int64_t reserved = 0, held = 0;
    for (size_t i = 0; i < points->count;) {
        const int64_t address = points->at[i].address;
        bool edge = false;
        for (; i < points->count && points->at[i].address == address; i++) {
            reserved += points->at[i].reserved;
            held += points->at[i].held;
            edge |= points->at[i].reserved != 0;
        }
        if (edge && (!grows || reserved <= 0))
            end_stretch(&stretch, out);
        if (reserved > 0 && i < points->count)
            pass_over(&stretch, out, points->at[i].address - address, held > 0);
    }
    end_stretch(&stretch, out);
}

struct memory_layout memory_layout_at(const struct memory_lives *lives, int64_t row)
{
    struct memory_layout out = {.known = lives->log->has_segments, .rounding = -1};
    struct points points = {0};
    if (!out.known)
        return out;
    const bool grows = add_reserved(&points, lives->log, lives->device, row);
    for (size_t i = 0; i < lives->count; i++)
        if (lives->at[i].born < row && row <= lives->at[i].died)
            add_range(&points, lives->at[i].address, rounded(lives->at[i].bytes), 0, 1);
    if (points.count)
        qsort(points.at, points.count, sizeof *points.at, by_address);
    sweep(&points, grows, &out);
    mem_free(points.at);
    return out;
}
