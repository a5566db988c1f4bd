/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose an entry of the history is: of the device whose list it stands in. Where the file breaks off in the list of lists,
 * that one is still open, and its items stand on the stack, each of them as far as it came.
 */
#include "machine.h"

static void take_range(struct machine *m, uint32_t first, uint32_t count, uint32_t device)
{
    for (uint32_t i = 0; i < count; i++)
        m->log->events[first + i].device = (uint16_t)device;
}

/* ---- a file that breaks off ---- */

/* The place on the stack of the list of lists; m->depth: it is not open. */
static size_t open_traces(const struct machine *m)
{
    for (size_t i = m->depth; i > 1; i--) {
        const struct value *value = &m->stack[i - 1];
        if (value->kind == VALUE_OPEN && m->slots[value->number].is_list && shape_is_traces(m->stack[i - 2]))
            return i - 1;
    }
    return m->depth;
}

/* Items of an open list stand behind a mark, up to the next, which is of the last item; or one stands there alone. */
static size_t items_end(const struct machine *m, size_t list)
{
    bool marked = false;
    for (size_t i = 0; i < m->mark_count; i++) {
        if (marked && m->marks[i] > list + 1)
            return m->marks[i];
        marked |= m->marks[i] == list + 1;
    }
    return marked || list + 2 > m->depth ? m->depth : list + 2;
}

/* True: it is the list of a device, with these entries so far. */
static bool history_of(const struct machine *m, struct value item, uint32_t *first, uint32_t *count)
{
    *first = *count = 0;
    if (item.kind == VALUE_EVENTS) {
        *first = range_first(item.number);
        *count = range_count(item.number);
        return true;
    }
    if (item.kind != VALUE_OPEN || !m->slots[item.number].is_list)
        return item.kind == VALUE_STACK && !item.number;
    const struct slot *slot = &m->slots[item.number];
    if (slot->of == VALUE_EVENT) {
        *first = slot->first;
        *count = slot->count;
    }
    return slot->of == VALUE_EVENT || slot->of == VALUE_KINDS;
}

/* The lists on the stack; entries that are in none are of the last of them. So many devices then. */
static uint32_t take_open(struct machine *m, size_t list, uint32_t devices)
{
    const size_t end = items_end(m, list);
    const uint32_t whole = devices;
    uint32_t first, count, behind = 0;
    for (uint32_t i = 0; i < devices; i++)
        behind = m->traces[i].count ? m->traces[i].first + m->traces[i].count : behind;
    for (size_t i = list + 1; i < end && devices < MOST_DEVICES && history_of(m, m->stack[i], &first, &count); i++) {
        take_range(m, first, count, devices++);
        behind = count ? first + count : behind;
    }
    if (devices > whole)
        take_range(m, behind, (uint32_t)m->log->event_count - behind, devices - 1);
    return devices;
}

/* ---- all of it ---- */

uint32_t devices_take(struct machine *m)
{
    struct memory_log *log = m->log;
    uint32_t devices = (uint32_t)m->trace_count, breaks = MEMORY_NONE;
    for (uint32_t i = 0; i < devices; i++)
        take_range(m, m->traces[i].first, m->traces[i].count, i);
    const size_t list = log->cut ? open_traces(m) : m->depth;
    if (list < m->depth) {
        devices = take_open(m, list, devices);
        breaks = devices > m->trace_count ? devices - 1 : MEMORY_NONE;
    }
    if (!devices && log->event_count)
        devices = 1;
    for (size_t i = 0; i < log->segment_count; i++)
        if (log->segments[i].device >= devices)
            devices = log->segments[i].device + 1u;
    log->devices = devices;
    log->device_id = arena_array(log->arena, devices ? devices : 1, sizeof *log->device_id);
    for (uint32_t i = 0; i < devices; i++)
        log->device_id[i] = i;
    return breaks;
}
