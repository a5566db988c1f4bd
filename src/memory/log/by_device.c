/* SPDX-License-Identifier: Apache-2.0 */
/* Events and segments by their devices, so that what is asked of one device is not asked of the rows of all. */
#include <string.h>

#include "base/mem.h"
#include "log.h"

/* Rows of a size that hold their device at an offset. */
struct rows {
    char *at;
    size_t count, size, offset;
};

static uint16_t device_of(const struct rows *rows, size_t row)
{
    uint16_t device;
    memcpy(&device, rows->at + row * rows->size + rows->offset, sizeof device);
    return device;
}

/* Where the rows of each device begin; true: they stand there already. */
static bool count_rows(const struct rows *rows, uint32_t devices, size_t *begin)
{
    bool in_order = true;
    for (size_t i = 0; i < rows->count; i++) {
        begin[device_of(rows, i) + 1]++;
        in_order &= !i || device_of(rows, i - 1) <= device_of(rows, i);
    }
    for (uint32_t i = 0; i < devices; i++)
        begin[i + 1] += begin[i];
    return in_order;
}

static void move_rows(const struct rows *rows, uint32_t devices, const size_t *begin)
{
    char *from = mem_alloc(rows->count * rows->size);
    size_t *next = mem_alloc(devices * sizeof *next);
    memcpy(from, rows->at, rows->count * rows->size);
    memcpy(next, begin, devices * sizeof *next);
    for (size_t i = 0; i < rows->count; i++) {
        const char *row = from + i * rows->size;
        uint16_t device;
        memcpy(&device, row + rows->offset, sizeof device);
        memcpy(rows->at + next[device]++ * rows->size, row, rows->size);
    }
    mem_free(next);
    mem_free(from);
}

static size_t *by_device(const struct rows *rows, uint32_t devices, struct arena *arena)
{
    size_t *begin = arena_array(arena, (size_t)devices + 1, sizeof *begin);
    if (!count_rows(rows, devices, begin))
        move_rows(rows, devices, begin);
    return begin;
}

void memory_log_by_device(struct memory_log *log)
{
    const struct rows events = {(char *)log->events, log->event_count, sizeof *log->events,
                                offsetof(struct memory_event, device)},
                      segments = {(char *)log->segments, log->segment_count, sizeof *log->segments,
                                  offsetof(struct memory_segment, device)};
    log->event_begin = by_device(&events, log->devices, log->arena);
    log->segment_begin = by_device(&segments, log->devices, log->arena);
}
