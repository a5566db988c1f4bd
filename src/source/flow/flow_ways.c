/* SPDX-License-Identifier: Apache-2.0 */
/* Where ways meet: behind branches, and at the heads and ends of loops. */
#include "flow_build.h"

#include <stdlib.h>

#include "base/mem.h"

/* ---- ways that part and meet ---- */

int build_by_slot(const void *a, const void *b)
{
    const struct write *x = a, *y = b;
    return x->slot != y->slot ? (x->slot < y->slot ? -1 : 1) : x->def < y->def ? -1 : x->def > y->def;
}

uint32_t build_meeting(struct builder *b, uint32_t slot, const struct write *from, size_t count)
{
    struct flow *flow = b->flow;
    flow->operands = mem_grow(flow->operands, &b->operand_room, flow->operand_count + count, sizeof *flow->operands);
    const uint32_t first = flow->operand_count;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || from[i].def != from[i - 1].def)
            flow->operands[flow->operand_count++] = from[i].def;
    return build_def_add(b, (struct def){.shown = {.kind = DEFINED_MEETING, .name = NONE, .value = NONE},
                                         .slot = slot,
                                         .previous = NONE,
                                         .first_operand = first,
                                         .operands = flow->operand_count - first});
}

/* True the first time that a slot is met since `stamp` was counted up. */
static bool stamp_slot(struct builder *b, uint32_t slot)
{
    b->stamps = mem_grow(b->stamps, &b->stamp_room, b->flow->slot_count + 1, sizeof *b->stamps);
    for (; b->stamped < b->stamp_room; b->stamped++)
        b->stamps[b->stamped] = 0;
    const bool first = b->stamps[slot] != b->stamp;
    b->stamps[slot] = b->stamp;
    return first;
}

/* The end of one way: what it changed goes to `ways`, once a slot, and `current` is as it was at the mark. */
void build_way_ends(struct builder *b, size_t mark, uint32_t *alive)
{
    if (!b->dead) {
        ++*alive;
        b->stamp++;
        for (size_t i = mark; i < b->log.count; i++)
            if (stamp_slot(b, b->log.at[i].slot))
                build_push(&b->ways, b->log.at[i].slot, b->current[b->log.at[i].slot]);
    }
    build_undo(b, mark);
    b->dead = false;
}

/* All ways since `first` meet. A way that did not write a slot brings what the slot was before. */
void build_ways_meet(struct builder *b, size_t first, uint32_t alive)
{
    struct writes *ways = &b->ways;
    const size_t written = ways->count;
    if (written > first)
        qsort(ways->at + first, written - first, sizeof *ways->at, build_by_slot);
    for (size_t i = first, next; i < written; i = next) {
        const uint32_t slot = ways->at[i].slot;
        for (next = i; next < written && ways->at[next].slot == slot;)
            next++;
        ways->count = written;
        for (size_t j = i; j < next; j++)
            build_push(ways, slot, ways->at[j].def);
        if (next - i < alive && b->current[slot] != NONE)
            build_push(ways, slot, b->current[slot]);
        qsort(ways->at + written, ways->count - written, sizeof *ways->at, build_by_slot);
        if (ways->at[written].def == ways->at[ways->count - 1].def)
            build_write(b, slot, ways->at[written].def);
        else
            build_write(b, slot, build_meeting(b, slot, ways->at + written, ways->count - written));
    }
    ways->count = first;
    b->dead = alive == 0;
}

static bool binds_here(const struct builder *b, uint32_t node)
{
    return b->binds[node] == BINDS || b->binds[node] == BINDS_CHANGE;
}

/* Slots that the loop binds or changes, each once, on top of `found`. */
static void slots_bound_in(struct builder *b, uint32_t loop, struct writes *found)
{
    const struct syntax *tree = b->tree;
    b->stamp++;
    for (uint32_t node = loop + 1, last = syntax_last(tree, loop); node < last;) {
        const enum syntax_kind kind = tree->kind[node];
        const bool own_scope = kind == SYN_FUNCTION || kind == SYN_CLASS;
        const uint32_t name = own_scope && tree->size[node] > 1 ? node + 1 : node;
        if (binds_here(b, name)) {
            const uint32_t slot = build_slot_of_name(b, name);
            if (stamp_slot(b, slot))
                build_push(found, slot, NONE);
        }
        node = own_scope || kind == SYN_LAMBDA ? syntax_last(tree, node) : node + 1;
    }
}

/* At the head of a loop each slot that the loop binds is a meeting whose operands are known when the loop is done. */
void build_loop_begin(struct builder *b, uint32_t node, struct loop_frame *frame, struct writes *heads)
{
    *frame = (struct loop_frame){.outer = b->loop};
    if (b->loops < 32) /* deeper than any program: taken as running once */
        slots_bound_in(b, node, heads);
    for (size_t i = 0; i < heads->count; i++) {
        const uint32_t slot = heads->at[i].slot;
        const uint32_t head = build_def_add(
            b, (struct def){
                   .shown = {.kind = DEFINED_MEETING, .name = NONE, .value = NONE}, .slot = slot, .previous = NONE});
        build_push(&frame->again, slot,
                   build_read_slot(b, slot, NONE)); /* never none: a head stands for more than what it leads to */
        heads->at[i].def = head;
        build_write(b, slot, head);
    }
    b->loop = frame;
    b->loops++;
}

void build_leave_by(struct builder *b, struct writes *list, const struct writes *heads)
{
    for (size_t i = 0; i < heads->count; i++)
        build_push(list, heads->at[i].slot, b->current[heads->at[i].slot]);
}

static int head_by_slot(const void *a, const void *b)
{
    return build_by_slot(a, b);
}

/* A head that only itself and one other definition come to is that definition. */
static void head_close(struct builder *b, uint32_t head, const struct write *from, size_t count)
{
    struct flow *flow = b->flow;
    const uint32_t first = flow->operand_count;
    flow->operands = mem_grow(flow->operands, &b->operand_room, flow->operand_count + count, sizeof *flow->operands);
    for (size_t i = 0; i < count; i++) {
        const uint32_t def = from[i].def;
        if (def != NONE && def != head &&
            (flow->operand_count == first || flow->operands[flow->operand_count - 1] != def))
            flow->operands[flow->operand_count++] = def;
    }
    struct def *def = &flow->defs[head];
    def->first_operand = first;
    def->operands = flow->operand_count - first;
    if (def->operands == 1 && flow_resolve(flow, flow->operands[first]) != head)
        def->same_as = flow->operands[first];
}

void build_loop_end(struct builder *b, struct loop_frame *frame, struct writes *heads)
{
    b->loop = frame->outer;
    b->loops--;
    if (!b->dead)
        build_leave_by(b, &frame->again, heads);
    if (frame->again.count)
        qsort(frame->again.at, frame->again.count, sizeof *frame->again.at, build_by_slot);
    if (heads->count)
        qsort(heads->at, heads->count, sizeof *heads->at, head_by_slot);
    for (size_t h = 0, i = 0; h < heads->count; h++) {
        size_t from = i;
        while (i < frame->again.count && frame->again.at[i].slot < heads->at[h].slot)
            from = ++i;
        while (i < frame->again.count && frame->again.at[i].slot == heads->at[h].slot)
            i++;
        head_close(b, heads->at[h].def, frame->again.at + from, i - from);
        build_write(b, heads->at[h].slot, heads->at[h].def); /* the loop ends at its head */
    }
    b->dead = false;
}

/* Behind the loop and its else block: ways that left by break join. */
void build_loop_left(struct builder *b, struct loop_frame *frame)
{
    if (frame->leaving.count)
        qsort(frame->leaving.at, frame->leaving.count, sizeof *frame->leaving.at, build_by_slot);
    for (size_t i = 0, next; i < frame->leaving.count; i = next) {
        const uint32_t slot = frame->leaving.at[i].slot;
        struct writes all = {0};
        for (next = i; next < frame->leaving.count && frame->leaving.at[next].slot == slot; next++)
            build_push(&all, slot, frame->leaving.at[next].def);
        build_push(&all, slot, b->current[slot]);
        qsort(all.at, all.count, sizeof *all.at, build_by_slot);
        if (all.at[0].def != all.at[all.count - 1].def)
            build_write(b, slot, build_meeting(b, slot, all.at, all.count));
        mem_free(all.at);
    }
    mem_free(frame->leaving.at);
    mem_free(frame->again.at);
}
