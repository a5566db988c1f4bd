/* SPDX-License-Identifier: Apache-2.0 */
/* Lists while they grow, and what becomes of a container that is put into another. */
#include "machine.h"

#include "base/mem.h"

uint32_t slot_new(struct machine *m, bool is_list)
{
    const struct slot empty = {
        .is_list = is_list, .of = VALUE_KINDS, .memo = MEMORY_NONE, .context = memory_context_empty()};
    if (m->unused_count) {
        const uint32_t slot = m->unused[--m->unused_count];
        m->slots[slot] = empty;
        return slot;
    }
    m->slots = mem_grow(m->slots, &m->slot_room, m->slot_count + 1, sizeof *m->slots);
    m->slots[m->slot_count] = empty;
    return (uint32_t)m->slot_count++;
}

static struct value list_value(struct machine *m, const struct slot *slot)
{
    switch (slot->of) {
    case VALUE_KINDS:
        return (struct value){0, VALUE_STACK};
    case VALUE_FRAME:
        return (struct value){memory_log_context(m->log, slot->context), VALUE_STACK};
    case VALUE_STACK: /* what happened to a block, newest first */
        return slot->is;
    case VALUE_EVENT:
        return (struct value){range_pack(slot->first, slot->count), VALUE_EVENTS};
    case VALUE_BLOCK:
        return (struct value){range_pack(slot->first, slot->count), VALUE_BLOCKS};
    default:
        return (struct value){0, VALUE_OTHER};
    }
}

struct value settle(struct machine *m, struct value value)
{
    if (value.kind != VALUE_OPEN)
        return value;
    struct slot *const slot = &m->slots[value.number];
    const struct value settled = slot->is_list ? list_value(m, slot) : slot->is;
    slot->used = true;
    if (slot->pinned)
        return settled;
    if (slot->memo != MEMORY_NONE)
        m->memo[slot->memo] = (uint64_t)settled.number << 4 | settled.kind;
    m->unused = mem_grow(m->unused, &m->unused_room, m->unused_count + 1, sizeof *m->unused);
    m->unused[m->unused_count++] = (uint32_t)value.number;
    return settled;
}

/* ---- items ---- */

/* The next of a list of rows, which stand in the log in the order of the list. */
static bool add_row(struct machine *m, struct slot *slot, int64_t row)
{
    if (!slot->count)
        slot->first = (uint32_t)row;
    if (row != (int64_t)slot->first + slot->count)
        return refuse(m, "an entry stands in two lists, or twice in one");
    slot->count++;
    return true;
}

static bool add_trace(struct machine *m, struct value item)
{
    const int64_t range = item.kind == VALUE_EVENTS ? item.number : 0;
    if (m->trace_count >= MOST_DEVICES)
        return refuse(m, "more than %d devices", MOST_DEVICES);
    m->traces = mem_grow(m->traces, &m->trace_room, m->trace_count + 1, sizeof *m->traces);
    m->traces[m->trace_count++] = (struct event_range){range_first(range), range_count(range)};
    return true;
}

/* A list without items among lists of events is one of them. */
static uint8_t kind_in_list(struct value item)
{
    return item.kind == VALUE_STACK && !item.number ? VALUE_EVENTS : item.kind;
}

static bool add_item(struct machine *m, struct slot *slot, struct value item)
{
    const uint8_t kind = kind_in_list(item);
    if (slot->of == VALUE_KINDS)
        slot->of = kind;
    if (slot->of != kind)
        return refuse(m, "a list of different things: no snapshot has one");
    switch (kind) {
    case VALUE_FRAME:
        memory_context_add(m->log, &slot->context, (uint32_t)item.number);
        return true;
    case VALUE_STACK:
        if (!slot->count++)
            slot->is = item;
        return true;
    case VALUE_EVENT:
    case VALUE_BLOCK:
        return add_row(m, slot, item.number);
    case VALUE_EVENTS:
        return add_trace(m, item);
    default:
        return true;
    }
}

bool list_add(struct machine *m, uint32_t slot, const struct value *items, size_t count)
{
    if (m->slots[slot].used)
        return refuse(m, "a list changes after it was put into another value");
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == VALUE_OPEN && items[i].number == slot)
            return refuse(m, "a list holds itself");
        if (!add_item(m, &m->slots[slot], settle(m, items[i])))
            return false;
    }
    return true;
}
