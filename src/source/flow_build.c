/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions and the uses they reach, function by function, in one walk each:
 * static single assignment on the tree. `current` holds for each slot the
 * definition that is valid here. Branches write to it too, and a log lets their
 * writes be taken back; what they left is collected, and where ways meet with
 * different definitions a MEETING stands for them. Cost is the number of writes
 * times the depth at which they stand.
 */
#include "source/private.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

/* Nesting deeper than Python takes (100) is not looked into; what it binds is unknown. */
enum { DEEPEST = 400 };

enum binding { BINDS_NOT, BINDS, BINDS_CHANGE };

struct write {
    uint32_t slot, def;
};

struct writes {
    struct write *at;
    size_t count, room;
};

/* Around break and continue: where in `leaving` and `again` this loop's ways begin. */
struct loop_frame {
    struct loop_frame *outer;
    struct writes leaving, again;
    const struct writes *heads; /* slots that the loop binds, and what they are at its head */
};

struct builder {
    struct file *file;
    const struct syntax *tree;
    struct flow *flow;
    struct intern *texts;
    uint32_t *text_of;    /* per node: of names */
    uint8_t *binds;       /* per node: enum binding */
    uint32_t *current;    /* per slot */
    uint32_t *outside_of; /* per slot: what it is before the function binds it; NONE: not read yet */
    size_t slot_room, def_room, operand_room, current_room, outside_room;
    struct writes log;  /* slot and what it was before */
    struct writes ways; /* ends of branches that have not met yet */
    struct loop_frame *loop;
    uint32_t *stamps; /* per slot: the last round in which it was met */
    size_t stamp_room, stamped;
    uint32_t stamp;
    uint32_t function, statement;
    uint32_t depth, loops;
    bool dead; /* this way has returned, raised or left the loop */
};

static void push(struct writes *list, uint32_t slot, uint32_t def)
{
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct write){slot, def};
}

/* ---- slots ---- */

static int64_t slot_key(uint32_t function, uint32_t text)
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
    map_put(&flow->slot_by_name, slot_key(function, text), slot);
    return slot;
}

static uint32_t slot_bound(struct builder *b, uint32_t function, uint32_t text)
{
    const uint32_t slot = map_get(&b->flow->slot_by_name, slot_key(function, text));
    return slot == MAP_NONE ? slot_add(b, function, text) : slot;
}

/* Python looks outward through functions, not through the bodies of classes. */
static uint32_t slot_outside(struct builder *b, uint32_t function, uint32_t text)
{
    const struct file *file = b->file;
    for (uint32_t f = file->functions[function].outer; f != NONE; f = file->functions[f].outer) {
        if (b->tree->kind[file->functions[f].node] == SYN_CLASS)
            continue;
        const uint32_t slot = map_get(&b->flow->slot_by_name, slot_key(f, text));
        if (slot == MAP_NONE || b->flow->slots[slot].outside)
            continue;
        b->flow->slots[slot].shared = true;
        return b->flow->slots[slot].outer != NONE ? b->flow->slots[slot].outer : slot;
    }
    return NONE;
}

/* ---- definitions ---- */

static uint32_t def_add(struct builder *b, struct def def)
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

static void write(struct builder *b, uint32_t slot, uint32_t def)
{
    push(&b->log, slot, b->current[slot]);
    b->current[slot] = def;
}

static uint32_t slot_of_name(struct builder *b, uint32_t name)
{
    const uint32_t text = b->text_of[name];
    uint32_t slot = map_get(&b->flow->slot_by_name, slot_key(b->function, text));
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
    const uint32_t def = def_add(
        b,
        (struct def){.shown = {.kind = DEFINED_OUTSIDE, .name = name, .value = NONE}, .slot = slot, .previous = NONE});
    b->outside_of[slot] = def;
    return def;
}

static uint32_t read_slot(struct builder *b, uint32_t slot, uint32_t name)
{
    if (b->current[slot] != NONE)
        return b->current[slot];
    return b->outside_of[slot] != NONE ? b->outside_of[slot] : from_outside(b, slot, name);
}

static uint32_t bind(struct builder *b, uint32_t name, enum definition_kind kind, uint32_t value, bool unpacked)
{
    const uint32_t slot = slot_of_name(b, name);
    const bool goes_on = kind == DEFINED_AUGMENT || kind == DEFINED_CHANGE;
    const uint32_t previous = goes_on ? read_slot(b, slot, name) : NONE;
    const uint32_t def =
        def_add(b, (struct def){.shown = {.kind = kind, .name = name, .value = value, .unpacked = unpacked},
                                .slot = slot,
                                .previous = previous});
    write(b, slot, def);
    if (kind != DEFINED_CHANGE)
        b->flow->def_of[name] = def;
    return def;
}

static bool among(str text, const char *const *list)
{
    for (; *list; list++)
        if (str_eq(text, str_of(*list)))
            return true;
    return false;
}

/* ---- expressions ---- */

static void expression(struct builder *b, uint32_t node);

static void use(struct builder *b, uint32_t name)
{
    b->flow->def_of[name] = read_slot(b, slot_of_name(b, name), name);
}

static void bind_target(struct builder *b, uint32_t target, enum definition_kind kind, uint32_t value)
{
    const struct syntax *tree = b->tree;
    const bool unpacked = tree->kind[target] != SYN_NAME;
    for (uint32_t node = target, last = syntax_last(tree, target); node < last;) {
        switch (tree->kind[node]) {
        case SYN_NAME:
            bind(b, node, kind, value, unpacked);
            node++;
            break;
        case SYN_TUPLE:
        case SYN_LIST:
        case SYN_STARRED:
            node++;
            break;
        default:
            expression(b, node);
            node = syntax_last(tree, node);
        }
    }
}

static void undo(struct builder *b, size_t mark)
{
    while (b->log.count > mark) {
        const struct write last = b->log.at[--b->log.count];
        b->current[last.slot] = last.def;
    }
}

/* Its targets live inside it; the element, which stands first, is evaluated last. */
static void comprehension(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    if (++b->depth > DEEPEST) {
        b->depth--;
        return;
    }
    const size_t mark = b->log.count;
    const uint32_t element = syntax_first(tree, node);
    for (uint32_t part = element == NONE ? NONE : syntax_next(tree, element); part != NONE;
         part = syntax_next(tree, part)) {
        if (tree->kind[part] == SYN_COMP_FOR) {
            const uint32_t target = syntax_child(tree, part, 0), iterable = syntax_child(tree, part, 1);
            expression(b, iterable);
            bind_target(b, target, DEFINED_FOR, iterable);
        } else {
            expression(b, part);
        }
    }
    if (element != NONE)
        expression(b, element);
    undo(b, mark);
    b->depth--;
}

static void parameters(struct builder *b, uint32_t list);

static void lambda(struct builder *b, uint32_t node)
{
    if (++b->depth <= DEEPEST) {
        const size_t mark = b->log.count;
        const uint32_t list = syntax_child(b->tree, node, 0), body = syntax_child(b->tree, node, 1);
        if (list != NONE)
            parameters(b, list);
        if (body != NONE)
            expression(b, body);
        undo(b, mark);
    }
    b->depth--;
}

static bool is_read(const struct syntax *tree, uint32_t name)
{
    const uint32_t parent = tree->parent[name];
    if (tree->kind[parent] == SYN_ATTRIBUTE)
        return name == parent + 1;
    if (tree->kind[parent] == SYN_KEYWORD || tree->kind[parent] == SYN_NAMED)
        return name != parent + 1;
    return true;
}

static void expression(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t last = syntax_last(tree, node);
    uint32_t named[8], named_count = 0;
    while (node < last) {
        switch (tree->kind[node]) {
        case SYN_NAME:
            if (is_read(tree, node))
                use(b, node);
            node++;
            break;
        case SYN_LIST_COMP:
        case SYN_SET_COMP:
        case SYN_DICT_COMP:
        case SYN_GENERATOR:
            comprehension(b, node);
            node = syntax_last(tree, node);
            break;
        case SYN_LAMBDA:
            lambda(b, node);
            node = syntax_last(tree, node);
            break;
        case SYN_NAMED:
            if (named_count < 8)
                named[named_count++] = node;
            node++;
            break;
        default:
            node++;
        }
    }
    while (named_count--)
        bind(b, syntax_child(tree, named[named_count], 0), DEFINED_ASSIGN, syntax_child(tree, named[named_count], 1),
             false);
}

/* ---- ways that part and meet ---- */

static int by_slot(const void *a, const void *b)
{
    const struct write *x = a, *y = b;
    return x->slot != y->slot ? (x->slot < y->slot ? -1 : 1) : x->def < y->def ? -1 : x->def > y->def;
}

static uint32_t meeting(struct builder *b, uint32_t slot, const struct write *from, size_t count)
{
    struct flow *flow = b->flow;
    flow->operands = mem_grow(flow->operands, &b->operand_room, flow->operand_count + count, sizeof *flow->operands);
    const uint32_t first = flow->operand_count;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || from[i].def != from[i - 1].def)
            flow->operands[flow->operand_count++] = from[i].def;
    return def_add(b, (struct def){.shown = {.kind = DEFINED_MEETING, .name = NONE, .value = NONE},
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
static void way_ends(struct builder *b, size_t mark, uint32_t *alive)
{
    if (!b->dead) {
        ++*alive;
        b->stamp++;
        for (size_t i = mark; i < b->log.count; i++)
            if (stamp_slot(b, b->log.at[i].slot))
                push(&b->ways, b->log.at[i].slot, b->current[b->log.at[i].slot]);
    }
    undo(b, mark);
    b->dead = false;
}

/* All ways since `first` meet. A way that did not write a slot brings what the slot was before. */
static void ways_meet(struct builder *b, size_t first, uint32_t alive)
{
    struct writes *ways = &b->ways;
    const size_t written = ways->count;
    if (written > first)
        qsort(ways->at + first, written - first, sizeof *ways->at, by_slot);
    for (size_t i = first, next; i < written; i = next) {
        const uint32_t slot = ways->at[i].slot;
        for (next = i; next < written && ways->at[next].slot == slot;)
            next++;
        ways->count = written;
        for (size_t j = i; j < next; j++)
            push(ways, slot, ways->at[j].def);
        if (next - i < alive && b->current[slot] != NONE)
            push(ways, slot, b->current[slot]);
        qsort(ways->at + written, ways->count - written, sizeof *ways->at, by_slot);
        if (ways->at[written].def == ways->at[ways->count - 1].def)
            write(b, slot, ways->at[written].def);
        else
            write(b, slot, meeting(b, slot, ways->at + written, ways->count - written));
    }
    ways->count = first;
    b->dead = alive == 0;
}

/* ---- statements ---- */

static void block(struct builder *b, uint32_t node);
static void statement(struct builder *b, uint32_t node);

/* Several blocks of which one runs; `otherwise`: perhaps none. */
static void branch(struct builder *b, uint32_t node)
{
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 0;
    const struct syntax *tree = b->tree;
    while (true) { /* along elif, which may be a long chain */
        expression(b, syntax_child(tree, node, 0));
        block(b, syntax_child(tree, node, 1));
        way_ends(b, mark, &alive);
        const uint32_t otherwise = syntax_child(tree, node, 2);
        if (!syntax_is(tree, otherwise, SYN_IF)) {
            if (syntax_is(tree, otherwise, SYN_BLOCK))
                block(b, otherwise);
            way_ends(b, mark, &alive);
            break;
        }
        node = otherwise;
    }
    ways_meet(b, first, alive);
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
            const uint32_t slot = slot_of_name(b, name);
            if (stamp_slot(b, slot))
                push(found, slot, NONE);
        }
        node = own_scope || kind == SYN_LAMBDA ? syntax_last(tree, node) : node + 1;
    }
}

/* At the head of a loop each slot that the loop binds is a meeting whose operands are known when the loop is done. */
static void loop_begin(struct builder *b, uint32_t node, struct loop_frame *frame, struct writes *heads)
{
    *frame = (struct loop_frame){.outer = b->loop};
    if (b->loops < 32) /* deeper than any program: taken as running once */
        slots_bound_in(b, node, heads);
    for (size_t i = 0; i < heads->count; i++) {
        const uint32_t slot = heads->at[i].slot;
        const uint32_t head = def_add(b, (struct def){.shown = {.kind = DEFINED_MEETING, .name = NONE, .value = NONE},
                                                      .slot = slot,
                                                      .previous = NONE});
        push(&frame->again, slot,
             read_slot(b, slot, NONE)); /* never none: a head stands for more than what it leads to */
        heads->at[i].def = head;
        write(b, slot, head);
    }
    b->loop = frame;
    b->loops++;
}

static void leave_by(struct builder *b, struct writes *list, const struct writes *heads)
{
    for (size_t i = 0; i < heads->count; i++)
        push(list, heads->at[i].slot, b->current[heads->at[i].slot]);
}

static int head_by_slot(const void *a, const void *b)
{
    return by_slot(a, b);
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

static void loop_end(struct builder *b, struct loop_frame *frame, struct writes *heads)
{
    b->loop = frame->outer;
    b->loops--;
    if (!b->dead)
        leave_by(b, &frame->again, heads);
    if (frame->again.count)
        qsort(frame->again.at, frame->again.count, sizeof *frame->again.at, by_slot);
    if (heads->count)
        qsort(heads->at, heads->count, sizeof *heads->at, head_by_slot);
    for (size_t h = 0, i = 0; h < heads->count; h++) {
        size_t from = i;
        while (i < frame->again.count && frame->again.at[i].slot < heads->at[h].slot)
            from = ++i;
        while (i < frame->again.count && frame->again.at[i].slot == heads->at[h].slot)
            i++;
        head_close(b, heads->at[h].def, frame->again.at + from, i - from);
        write(b, heads->at[h].slot, heads->at[h].def); /* the loop ends at its head */
    }
    b->dead = false;
}

/* Behind the loop and its else block: ways that left by break join. */
static void loop_left(struct builder *b, struct loop_frame *frame)
{
    if (frame->leaving.count)
        qsort(frame->leaving.at, frame->leaving.count, sizeof *frame->leaving.at, by_slot);
    for (size_t i = 0, next; i < frame->leaving.count; i = next) {
        const uint32_t slot = frame->leaving.at[i].slot;
        struct writes all = {0};
        for (next = i; next < frame->leaving.count && frame->leaving.at[next].slot == slot; next++)
            push(&all, slot, frame->leaving.at[next].def);
        push(&all, slot, b->current[slot]);
        qsort(all.at, all.count, sizeof *all.at, by_slot);
        if (all.at[0].def != all.at[all.count - 1].def)
            write(b, slot, meeting(b, slot, all.at, all.count));
        mem_free(all.at);
    }
    mem_free(frame->leaving.at);
    mem_free(frame->again.at);
}

static void loop(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const bool is_for = tree->kind[node] == SYN_FOR;
    struct loop_frame frame;
    struct writes heads = {0};
    if (is_for)
        expression(b, syntax_child(tree, node, 1));
    loop_begin(b, node, &frame, &heads);
    frame.heads = &heads;
    if (is_for)
        bind_target(b, syntax_child(tree, node, 0), DEFINED_FOR, syntax_child(tree, node, 1));
    else
        expression(b, syntax_child(tree, node, 0));
    block(b, syntax_child(tree, node, is_for ? 2 : 1));
    loop_end(b, &frame, &heads);
    const uint32_t otherwise = syntax_child(tree, node, is_for ? 3 : 2);
    if (syntax_is(tree, otherwise, SYN_BLOCK))
        block(b, otherwise);
    loop_left(b, &frame);
    mem_free(heads.at);
}

static void jump(struct builder *b, bool again)
{
    if (b->loop && b->loop->heads && !b->dead)
        leave_by(b, again ? &b->loop->again : &b->loop->leaving, b->loop->heads);
    b->dead = true;
}

/* A handler may begin after any write of the block: what a slot was before each, and is at the end, meets. */
static void handler_entry(struct builder *b, const struct writes *touched)
{
    for (size_t i = 0, next; i < touched->count; i = next) {
        const uint32_t slot = touched->at[i].slot;
        for (next = i; next < touched->count && touched->at[next].slot == slot;)
            next++;
        if (touched->at[i].def != touched->at[next - 1].def)
            write(b, slot, meeting(b, slot, touched->at + i, next - i));
        else
            write(b, slot, touched->at[i].def);
    }
}

static void touched_since(struct builder *b, size_t mark, struct writes *touched)
{
    for (size_t i = mark; i < b->log.count; i++) {
        if (b->log.at[i].def != NONE)
            push(touched, b->log.at[i].slot, b->log.at[i].def);
        if (b->current[b->log.at[i].slot] != NONE)
            push(touched, b->log.at[i].slot, b->current[b->log.at[i].slot]);
    }
    if (touched->count)
        qsort(touched->at, touched->count, sizeof *touched->at, by_slot);
}

static void handler(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    b->statement = node;
    expression(b, syntax_child(tree, node, 0));
    const uint32_t name = syntax_child(tree, node, 1);
    if (syntax_is(tree, name, SYN_NAME))
        bind(b, name, DEFINED_EXCEPT, NONE, false);
    block(b, syntax_last_child(tree, node));
}

static void attempt(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 0, part = syntax_first(tree, node), otherwise = NONE, finally = NONE;
    for (uint32_t p = part; p != NONE; p = syntax_next(tree, p)) {
        otherwise = tree->kind[p] == SYN_ELSE ? p : otherwise;
        finally = tree->kind[p] == SYN_FINALLY ? p : finally;
    }
    block(b, part);
    struct writes touched = {0};
    touched_since(b, mark, &touched);
    if (otherwise != NONE)
        block(b, syntax_first(tree, otherwise));
    way_ends(b, mark, &alive);
    for (part = syntax_next(tree, part); part != NONE; part = syntax_next(tree, part)) {
        if (tree->kind[part] != SYN_EXCEPT)
            continue;
        handler_entry(b, &touched);
        handler(b, part);
        way_ends(b, mark, &alive);
    }
    mem_free(touched.at);
    ways_meet(b, first, alive);
    if (finally != NONE) {
        const bool dead = b->dead;
        block(b, syntax_first(tree, finally));
        b->dead |= dead;
    }
}

static void with(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t item = syntax_first(tree, node); item != NONE; item = syntax_next(tree, item)) {
        if (tree->kind[item] != SYN_WITH_ITEM) {
            block(b, item);
            continue;
        }
        const uint32_t value = syntax_child(tree, item, 0), target = syntax_child(tree, item, 1);
        expression(b, value);
        if (target != NONE && tree->kind[target] != SYN_ABSENT)
            bind_target(b, target, DEFINED_WITH, value);
    }
}

static void choose(struct builder *b, uint32_t node) /* match */
{
    const struct syntax *tree = b->tree;
    const size_t first = b->ways.count, mark = b->log.count;
    uint32_t alive = 1; /* no case fits */
    const uint32_t subject = syntax_first(tree, node);
    expression(b, subject);
    for (uint32_t c = syntax_next(tree, subject); c != NONE; c = syntax_next(tree, c)) {
        if (tree->kind[c] != SYN_CASE)
            continue;
        expression(b, syntax_child(tree, c, 1));
        block(b, syntax_last_child(tree, c));
        way_ends(b, mark, &alive);
    }
    ways_meet(b, first, alive);
}

/* The name whose object a target `x[i] = ..`, `x.data[i] = ..` changes; NONE. */
static uint32_t changed_name(const struct syntax *tree, uint32_t target)
{
    if (!syntax_is(tree, target, SYN_SUBSCRIPT))
        return NONE;
    while (tree->kind[target] == SYN_SUBSCRIPT || tree->kind[target] == SYN_ATTRIBUTE)
        target++;
    return tree->kind[target] == SYN_NAME ? target : NONE;
}

static void assign(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t value = syntax_last_child(tree, node);
    expression(b, value);
    for (uint32_t target = syntax_first(tree, node); target != value; target = syntax_next(tree, target)) {
        bind_target(b, target, DEFINED_ASSIGN, value);
        const uint32_t changed = changed_name(tree, target);
        if (changed != NONE)
            bind(b, changed, DEFINED_CHANGE, value, false);
    }
}

static void augment(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t target = syntax_child(tree, node, 0), value = syntax_child(tree, node, 1);
    expression(b, value);
    if (tree->kind[target] == SYN_NAME) {
        bind(b, target, DEFINED_AUGMENT, value, false);
        return;
    }
    expression(b, target);
    const uint32_t changed = changed_name(tree, target);
    if (changed != NONE)
        bind(b, changed, DEFINED_CHANGE, value, false);
}

/* Methods that change their object, as a statement of their own: `x.append(v)`, `x.add_(y)`, `model.to(device)`. */
static const char *const changing[] = {"append", "extend", "insert", "add",  "update",  "remove",     "pop",
                                       "clear",  "sort",   "cuda",   "to",   "reverse", "appendleft", "setdefault",
                                       "half",   "float",  "double", "fill", "cpu",     "discard",    NULL};

static bool is_changing(str method)
{
    return among(method, changing) ||
           (method.len > 1 && method.at[method.len - 1] == '_' && !str_ends(method, S("__")));
}

static uint32_t changed_by_call(const struct syntax *tree, uint32_t call)
{
    const uint32_t callee = syntax_is(tree, call, SYN_CALL) ? syntax_first(tree, call) : NONE;
    if (!syntax_is(tree, callee, SYN_ATTRIBUTE) || !is_changing(syntax_tail(tree, callee)))
        return NONE;
    const uint32_t object = syntax_first(tree, callee);
    return tree->kind[object] == SYN_NAME ? object : changed_name(tree, object);
}

static void imports(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t alias = syntax_first(tree, node); alias != NONE; alias = syntax_next(tree, alias)) {
        if (tree->kind[alias] != SYN_ALIAS)
            continue;
        uint32_t name = syntax_child(tree, alias, 1);
        if (!syntax_is(tree, name, SYN_NAME))
            for (name = syntax_first(tree, alias); name != NONE && tree->kind[name] == SYN_ATTRIBUTE;)
                name++; /* `import a.b` binds a */
        if (syntax_is(tree, name, SYN_NAME))
            bind(b, name, DEFINED_IMPORT, alias, false);
    }
}

static void define(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    const uint32_t list = syntax_child(tree, node, 1);
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        const uint32_t outside = tree->kind[p] == SYN_PARAMETER ? syntax_child(tree, p, 2) : p;
        if (outside != NONE && tree->kind[outside] != SYN_ABSENT)
            expression(b, outside);
    }
    const uint32_t name = syntax_first(tree, node);
    if (syntax_is(tree, name, SYN_NAME))
        bind(b, name, DEFINED_FUNCTION, node, false);
}

static void decorated(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t part = syntax_first(tree, node); part != NONE; part = syntax_next(tree, part)) {
        if (tree->kind[part] == SYN_FUNCTION || tree->kind[part] == SYN_CLASS)
            define(b, part);
        else
            expression(b, part);
    }
}

static void simple(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    expression(b, node);
    switch (tree->kind[node]) {
    case SYN_RETURN:
    case SYN_RAISE:
        b->dead = true;
        break;
    case SYN_EXPR: {
        const uint32_t changed = changed_by_call(tree, syntax_first(tree, node));
        if (changed != NONE)
            bind(b, changed, DEFINED_CHANGE, syntax_first(tree, node), false);
        break;
    }
    case SYN_DELETE:
        for (uint32_t part = syntax_first(tree, node); part != NONE; part = syntax_next(tree, part))
            if (tree->kind[part] == SYN_NAME)
                bind(b, part, DEFINED_DELETE, NONE, false);
        break;
    default:
        break;
    }
}

static void compound(struct builder *b, uint32_t node)
{
    switch (b->tree->kind[node]) {
    case SYN_IF:
        branch(b, node);
        break;
    case SYN_FOR:
    case SYN_WHILE:
        loop(b, node);
        break;
    case SYN_TRY:
        attempt(b, node);
        break;
    case SYN_WITH:
        with(b, node);
        break;
    case SYN_MATCH:
        choose(b, node);
        break;
    case SYN_BLOCK:
        block(b, node);
        break;
    default:
        break;
    }
}

static void statement(struct builder *b, uint32_t node)
{
    b->statement = node;
    switch (b->tree->kind[node]) {
    case SYN_ASSIGN:
        assign(b, node);
        break;
    case SYN_AUG_ASSIGN:
        augment(b, node);
        break;
    case SYN_ANN_ASSIGN: {
        const uint32_t value = syntax_child(b->tree, node, 2);
        if (value != NONE && b->tree->kind[value] != SYN_ABSENT) {
            expression(b, value);
            bind_target(b, syntax_child(b->tree, node, 0), DEFINED_ASSIGN, value);
        }
        break;
    }
    case SYN_IMPORT:
    case SYN_FROM_IMPORT:
        imports(b, node);
        break;
    case SYN_FUNCTION:
    case SYN_CLASS:
        define(b, node);
        break;
    case SYN_DECORATED:
        decorated(b, node);
        break;
    case SYN_BREAK:
    case SYN_CONTINUE:
        jump(b, b->tree->kind[node] == SYN_CONTINUE);
        break;
    case SYN_GLOBAL:
    case SYN_NONLOCAL:
    case SYN_PASS:
    case SYN_OTHER:
    case SYN_ERROR:
    case SYN_ABSENT:
        break;
    case SYN_IF:
    case SYN_FOR:
    case SYN_WHILE:
    case SYN_TRY:
    case SYN_WITH:
    case SYN_MATCH:
    case SYN_BLOCK:
        compound(b, node);
        break;
    default:
        simple(b, node);
    }
}

/* What stands behind a return is looked at too, as if it could be reached: it has definitions then. */
static void block(struct builder *b, uint32_t node)
{
    const struct syntax *tree = b->tree;
    if (node == NONE || ++b->depth > DEEPEST) {
        b->depth -= node != NONE;
        return;
    }
    for (uint32_t s = syntax_first(tree, node); s != NONE; s = syntax_next(tree, s))
        statement(b, s);
    b->depth--;
}

/* ---- functions ---- */

static void parameters(struct builder *b, uint32_t list)
{
    const struct syntax *tree = b->tree;
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        const uint32_t name = syntax_first(tree, p);
        if (tree->kind[p] != SYN_PARAMETER || !syntax_is(tree, name, SYN_NAME))
            continue;
        const uint32_t value = syntax_child(tree, p, 2);
        bind(b, name, DEFINED_PARAMETER, syntax_is(tree, value, SYN_ABSENT) ? NONE : value, false);
    }
}

static bool goes_back(const struct flow *flow, uint32_t first)
{
    for (uint32_t d = first; d < flow->def_count; d++)
        for (uint32_t i = 0; i < flow->defs[d].operands; i++)
            if (flow->operands[flow->defs[d].first_operand + i] > d)
                return true;
    return false;
}

static void function(struct builder *b, uint32_t f)
{
    struct file *file = b->file;
    const uint32_t node = file->functions[f].node;
    const enum syntax_kind kind = b->tree->kind[node];
    file->function_first_def[f] = b->flow->def_count;
    file->first_parameter_def[f] = b->flow->def_count;
    if (kind != SYN_LAMBDA) {
        b->function = f;
        b->statement = node;
        b->dead = false;
        b->depth = 0;
        const uint32_t list = scope_parameters(b->tree, node);
        if (list != NONE)
            parameters(b, list);
        block(b, kind == SYN_MODULE ? node : syntax_last_child(b->tree, node));
        undo(b, 0);
    }
    file->function_last_def[f] = b->flow->def_count;
    file->function_loops[f] = goes_back(b->flow, file->function_first_def[f]);
}

/* ---- which names are bound where, before anything is built ---- */

static void mark_target(struct builder *b, uint32_t function, uint32_t target)
{
    const struct syntax *tree = b->tree;
    if (target == NONE)
        return;
    for (uint32_t node = target, last = syntax_last(tree, target); node < last;) {
        const enum syntax_kind kind = tree->kind[node];
        if (kind == SYN_NAME) {
            b->binds[node] = BINDS;
            slot_bound(b, function, b->text_of[node]);
        }
        node = kind == SYN_TUPLE || kind == SYN_LIST || kind == SYN_STARRED ? node + 1 : syntax_last(tree, node);
    }
}

static void mark_changed(struct builder *b, uint32_t name)
{
    if (name != NONE)
        b->binds[name] = BINDS_CHANGE;
}

/* global and nonlocal: the slot of this function is that of the outer one. */
static void mark_outer(struct builder *b, uint32_t function, uint32_t node)
{
    const struct syntax *tree = b->tree;
    for (uint32_t name = syntax_first(tree, node); name != NONE; name = syntax_next(tree, name)) {
        if (tree->kind[name] != SYN_NAME)
            continue;
        const uint32_t slot = slot_bound(b, function, b->text_of[name]);
        uint32_t outer = 0;
        if (tree->kind[node] == SYN_NONLOCAL)
            for (outer = b->file->functions[function].outer;
                 outer != NONE && outer &&
                 map_get(&b->flow->slot_by_name, slot_key(outer, b->text_of[name])) == MAP_NONE;)
                outer = b->file->functions[outer].outer;
        if (function == 0 || outer == NONE)
            continue;
        const uint32_t target = slot_bound(b, outer, b->text_of[name]);
        b->flow->slots[slot].outer = target;
        b->flow->slots[target].shared = true;
    }
}

static void mark_statement(struct builder *b, uint32_t function, uint32_t node)
{
    const struct syntax *tree = b->tree;
    switch (tree->kind[node]) {
    case SYN_ASSIGN:
        for (uint32_t t = syntax_first(tree, node), last = syntax_last_child(tree, node); t != last;
             t = syntax_next(tree, t)) {
            mark_target(b, function, t);
            mark_changed(b, changed_name(tree, t));
        }
        break;
    case SYN_AUG_ASSIGN:
    case SYN_ANN_ASSIGN:
        mark_target(b, function, syntax_first(tree, node));
        mark_changed(b, changed_name(tree, syntax_first(tree, node)));
        break;
    case SYN_FOR:
    case SYN_NAMED:
    case SYN_FUNCTION:
    case SYN_CLASS:
        mark_target(b, function, syntax_first(tree, node));
        break;
    case SYN_DELETE:
        for (uint32_t t = syntax_first(tree, node); t != NONE; t = syntax_next(tree, t))
            mark_target(b, function, t);
        break;
    case SYN_WITH_ITEM:
    case SYN_EXCEPT:
        mark_target(b, function, syntax_child(tree, node, 1));
        break;
    case SYN_EXPR:
        mark_changed(b, changed_by_call(tree, syntax_first(tree, node)));
        break;
    case SYN_GLOBAL:
    case SYN_NONLOCAL:
        mark_outer(b, function, node);
        break;
    case SYN_ALIAS: {
        uint32_t name = syntax_child(tree, node, 1);
        if (!syntax_is(tree, name, SYN_NAME))
            for (name = syntax_first(tree, node); name != NONE && tree->kind[name] == SYN_ATTRIBUTE;)
                name++;
        mark_target(b, function, name);
        break;
    }
    default:
        break;
    }
}

static void mark_all(struct builder *b)
{
    const struct syntax *tree = b->tree;
    const struct file *file = b->file;
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_NAME)
            b->text_of[node] = intern_id(b->texts, syntax_text(tree, node));
    uint32_t next = 0, function = 0;
    for (uint32_t node = 0; node < tree->count; node++) {
        while (function && node >= syntax_last(tree, file->functions[function].node))
            function = file->functions[function].outer;
        const bool opens = next < file->function_count && file->functions[next].node == node;
        mark_statement(b, function, node);
        if (opens)
            function = next++;
    }
}

void flow_build(struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    struct builder b = {.file = file, .tree = tree, .flow = &file->flow, .texts = intern_new()};
    b.text_of = mem_zeroed(tree->count * sizeof *b.text_of);
    b.binds = mem_zeroed(tree->count);
    file->flow.def_of = mem_alloc(tree->count * sizeof *file->flow.def_of);
    memset(file->flow.def_of, 0xff, tree->count * sizeof *file->flow.def_of);
    file->function_first_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    file->function_last_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    file->function_loops = arena_array(&file->arena, file->function_count, sizeof(bool));
    file->first_parameter_def = arena_array(&file->arena, file->function_count, sizeof(uint32_t));
    mark_all(&b);
    for (uint32_t f = 0; f < file->function_count; f++)
        function(&b, f);
    for (uint32_t s = 0; s < file->flow.slot_count; s++)
        file->flow.slots[s].text = str_copy(&file->arena, file->flow.slots[s].text);
    flow_index(file);
    intern_free(b.texts);
    map_free(&file->flow.slot_by_name);
    mem_free(b.text_of);
    mem_free(b.binds);
    mem_free(b.current);
    mem_free(b.outside_of);
    mem_free(b.log.at);
    mem_free(b.ways.at);
    mem_free(b.stamps);
}
