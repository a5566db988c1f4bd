/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of functions, and the definitions that they hold at a point of the walk. */
#include "flow_build.h"

#include "base/intern.h"
#include "base/mem.h"

void build_push(struct writes *list, uint32_t slot, uint32_t def)
{
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct write){slot, def};
}

/* ---- slots ---- */

int64_t build_slot_key(uint32_t function, uint32_t text)
{
    return (int64_t)function << 32 | text;
}

static uint32_t slot_add(struct builder *b, uint32_t function, uint32_t text)
{
    struct flow *flow = b->flow;
    const uint32_t slot = flow->slot_count++;
    flow->slots = mem_grow(flow->slots, &b->slot_room, flow->slot_count, sizeof *flow->slots);
    flow->slots[slot] = (struct slot){.function = function, .text = intern_text(b->texts, text), .outer = NONE};
    b->current = mem_grow(b->current, &b->current_room, flow->slot_count, sizeof *b->current);
    b->current[slot] = NONE;
    b->outside_of = mem_grow(b->outside_of, &b->outside_room, flow->slot_count, sizeof *b->outside_of);
    b->outside_of[slot] = NONE;
    map_put(&flow->slot_by_name, build_slot_key(function, text), slot);
    return slot;
}

uint32_t build_slot_bound(struct builder *b, uint32_t function, uint32_t text)
{
    const uint32_t slot = map_get(&b->flow->slot_by_name, build_slot_key(function, text));
    return slot == MAP_NONE ? slot_add(b, function, text) : slot;
}

/* Python looks outward through functions, not through the bodies of classes. */
static uint32_t slot_outside(struct builder *b, uint32_t function, uint32_t text)
{
    const struct file *file = b->file;
    for (uint32_t f = file->functions[function].outer; f != NONE; f = file->functions[f].outer) {
        if (b->tree->kind[file->functions[f].node] == SYN_CLASS)
            continue;
        const uint32_t slot = map_get(&b->flow->slot_by_name, build_slot_key(f, text));
        if (slot == MAP_NONE || b->flow->slots[slot].outside)
            continue;
        b->flow->slots[slot].shared = true;
        return b->flow->slots[slot].outer != NONE ? b->flow->slots[slot].outer : slot;
    }
    return NONE;
}

/* ---- definitions ---- */

uint32_t build_def_add(struct builder *b, struct def def)
{
    struct flow *flow = b->flow;
    flow->defs = mem_grow(flow->defs, &b->def_room, flow->def_count + 1, sizeof *flow->defs);
    def.shown.statement = b->statement;
    def.shown.function = b->function;
    def.same_as = NONE;
    flow->defs[flow->def_count] = def;
    return flow->def_count++;
}

uint32_t flow_resolve(const struct flow *flow, uint32_t def)
{
    while (def != NONE && flow->defs[def].same_as != NONE)
        def = flow->defs[def].same_as;
    return def;
}

void build_write(struct builder *b, uint32_t slot, uint32_t def)
{
    build_push(&b->log, slot, b->current[slot]);
    b->current[slot] = def;
}

uint32_t build_slot_of_name(struct builder *b, uint32_t name)
{
    const uint32_t text = b->text_of[name];
    uint32_t slot = map_get(&b->flow->slot_by_name, build_slot_key(b->function, text));
    if (slot != MAP_NONE)
        return slot;
    const uint32_t outer = slot_outside(b, b->function, text);
    slot = slot_add(b, b->function, text);
    b->flow->slots[slot].outside = true;
    b->flow->slots[slot].outer = outer;
    return slot;
}

/* What a slot is before this function has bound it. */
static uint32_t from_outside(struct builder *b, uint32_t slot, uint32_t name)
{
    const uint32_t def = build_def_add(
        b,
        (struct def){.shown = {.kind = DEFINED_OUTSIDE, .name = name, .value = NONE}, .slot = slot, .previous = NONE});
    b->outside_of[slot] = def;
    return def;
}

uint32_t build_read_slot(struct builder *b, uint32_t slot, uint32_t name)
{
    if (b->current[slot] != NONE)
        return b->current[slot];
    return b->outside_of[slot] != NONE ? b->outside_of[slot] : from_outside(b, slot, name);
}

uint32_t build_bind(struct builder *b, uint32_t name, enum definition_kind kind, uint32_t value, bool unpacked)
{
    const uint32_t slot = build_slot_of_name(b, name);
    const bool goes_on = kind == DEFINED_AUGMENT || kind == DEFINED_CHANGE;
    const uint32_t previous = goes_on ? build_read_slot(b, slot, name) : NONE;
    const uint32_t def =
        build_def_add(b, (struct def){.shown = {.kind = kind, .name = name, .value = value, .unpacked = unpacked},
                                      .slot = slot,
                                      .previous = previous});
    build_write(b, slot, def);
    if (kind != DEFINED_CHANGE)
        b->flow->def_of[name] = def;
    return def;
}

void build_undo(struct builder *b, size_t mark)
{
    while (b->log.count > mark) {
        const struct write last = b->log.at[--b->log.count];
        b->current[last.slot] = last.def;
    }
}
