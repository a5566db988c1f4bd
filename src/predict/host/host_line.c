/* SPDX-License-Identifier: Apache-2.0 */
#include "host_line.h"

enum { LOOK_BACK = 16 }; /* entries of other threads, of which the last that had ended is looked for */

struct building {
    const struct program *program;
    struct arena *arena, *scratch;
    uint32_t *top_of;         /* by program op: the operator at the top around it, or itself; OP_NONE */
    uint32_t *entry_of;       /* by program op at the top: its entry */
    struct host_item *listed; /* all items in order of time */
    uint32_t item_count;
    struct host_op *ops;
    uint32_t count;
    uint32_t *last; /* by thread: its last entry so far; OP_NONE */
};

/* ---- times ---- */

int64_t host_item_start_ns(const struct host_line *line, const struct host_item *item)
{
    const struct program *program = line->program;
    return item->waits ? program->syncs[item->index].start_ns : program->launches[item->index].call_start_ns;
}

int64_t host_item_end_ns(const struct host_line *line, const struct host_item *item)
{
    const struct program *program = line->program;
    const int64_t start = host_item_start_ns(line, item);
    const int64_t dur = item->waits ? program->syncs[item->index].dur_ns : program->launches[item->index].call_dur_ns;
    return start < 0 || dur < 0 ? -1 : start + dur;
}

int64_t host_op_start_ns(const struct host_line *line, const struct host_op *op)
{
    return op->op == OP_NONE ? host_item_start_ns(line, &line->items[op->first_item])
                             : line->program->ops[op->op].start_ns;
}

int64_t host_op_end_ns(const struct host_line *line, const struct host_op *op)
{
    if (op->op == OP_NONE)
        return host_item_end_ns(line, &line->items[op->first_item]);
    const struct program_op *call = &line->program->ops[op->op];
    return call->start_ns < 0 || call->dur_ns < 0 ? -1 : call->start_ns + call->dur_ns;
}

int64_t host_op_free_ns(const struct host_line *line, const struct host_op *op)
{
    if (host_op_start_ns(line, op) < 0)
        return -1;
    const int64_t own = op->before == OP_NONE ? 0 : host_op_end_ns(line, &line->ops[op->before]);
    const int64_t other = op->follows == OP_NONE ? 0 : host_op_end_ns(line, &line->ops[op->follows]);
    return own > other ? own : other;
}

/* ---- what lies in what ---- */

static void find_tops(struct building *b)
{
    const struct program *program = b->program;
    b->top_of = arena_array(b->scratch, program->count, sizeof *b->top_of);
    for (uint32_t i = 0; i < program->count; i++) {
        const uint32_t parent = program->ops[i].parent;
        const uint32_t above = parent < i ? b->top_of[parent] : OP_NONE;
        b->top_of[i] = above != OP_NONE ? above : program->ops[i].label ? OP_NONE : i;
    }
}

static uint32_t top_of_item(const struct building *b, const struct host_item *item)
{
    const uint32_t op = item->waits ? b->program->syncs[item->index].op : b->program->launches[item->index].op;
    return op < b->program->count ? b->top_of[op] : OP_NONE;
}

/* Launches in the order of their calls, each wait before the launch that it stands before. */
static void list_items(struct building *b)
{
    const struct program *program = b->program;
    b->listed = arena_array(b->scratch, (size_t)program->launch_count + program->sync_count, sizeof *b->listed);
    uint32_t sync = 0;
    for (uint32_t launch = 0; launch <= program->launch_count; launch++) {
        for (; sync < program->sync_count && (program->syncs[sync].before <= launch || launch == program->launch_count);
             sync++)
            b->listed[b->item_count++] = (struct host_item){true, sync};
        if (launch < program->launch_count)
            b->listed[b->item_count++] = (struct host_item){false, launch};
    }
}

/* ---- the line ---- */

static uint32_t thread_of_item(const struct building *b, const struct host_item *item)
{
    return item->waits ? b->program->syncs[item->index].thread : b->program->launches[item->index].thread;
}

static void add_entry(struct building *b, uint32_t op, uint32_t thread)
{
    struct host_op *entry = &b->ops[b->count];
    *entry = (struct host_op){.op = op, .thread = thread, .before = OP_NONE, .follows = OP_NONE};
    if (op != OP_NONE)
        b->entry_of[op] = b->count;
    b->count++;
}

static int64_t listed_start_ns(const struct building *b, uint32_t item)
{
    const struct host_line line = {.program = b->program};
    return host_item_start_ns(&line, &b->listed[item]);
}

static uint32_t next_alone(const struct building *b, uint32_t item)
{
    while (item < b->item_count && top_of_item(b, &b->listed[item]) != OP_NONE)
        item++;
    return item;
}

/* Operators at the top and items outside any, by start. */
static void add_entries(struct building *b, uint32_t *entry_of_item)
{
    const struct program *program = b->program;
    b->ops = arena_array(b->arena, (size_t)program->count + b->item_count, sizeof *b->ops);
    b->entry_of = arena_array(b->scratch, program->count, sizeof *b->entry_of);
    uint32_t item = next_alone(b, 0);
    for (uint32_t op = 0; op <= program->count; op++) {
        const bool end = op == program->count;
        if (!end && b->top_of[op] != op)
            continue;
        for (; item < b->item_count && (end || listed_start_ns(b, item) < program->ops[op].start_ns);
             item = next_alone(b, item + 1)) {
            entry_of_item[item] = b->count;
            add_entry(b, OP_NONE, thread_of_item(b, &b->listed[item]));
        }
        if (!end)
            add_entry(b, op, program->ops[op].thread);
    }
}

/* Puts each thing into the part of `into` that belongs to its entry, keeping their order. */
static void deal_items(struct building *b, const uint32_t *entry_of_item, struct host_line *line)
{
    struct host_item *into = arena_array(b->arena, b->item_count, sizeof *into);
    uint32_t *entry = arena_array(b->scratch, b->item_count, sizeof *entry), first = 0;
    for (uint32_t i = 0; i < b->item_count; i++) {
        const uint32_t top = top_of_item(b, &b->listed[i]);
        entry[i] = top == OP_NONE ? entry_of_item[i] : b->entry_of[top];
        b->ops[entry[i]].items++;
    }
    for (uint32_t i = 0; i < b->count; first += b->ops[i].items, b->ops[i].items = 0, i++)
        b->ops[i].first_item = first;
    for (uint32_t i = 0; i < b->item_count; i++) {
        struct host_op *op = &b->ops[entry[i]];
        into[op->first_item + op->items++] = b->listed[i];
    }
    line->items = into;
}

static bool is_inside(const struct building *b, uint32_t op)
{
    return b->top_of[op] != OP_NONE && b->top_of[op] != op;
}

static void deal_inside(struct building *b, struct host_line *line)
{
    uint32_t *into = arena_array(b->arena, b->program->count, sizeof *into), first = 0;
    for (uint32_t op = 0; op < b->program->count; op++)
        if (is_inside(b, op))
            b->ops[b->entry_of[b->top_of[op]]].inside++;
    for (uint32_t i = 0; i < b->count; first += b->ops[i].inside, b->ops[i].inside = 0, i++)
        b->ops[i].first_inside = first;
    for (uint32_t op = 0; op < b->program->count; op++) {
        if (!is_inside(b, op))
            continue;
        struct host_op *entry = &b->ops[b->entry_of[b->top_of[op]]];
        into[entry->first_inside + entry->inside++] = op;
    }
    line->inside = into;
}

/*
 * PyTorch runs the backward pass on a thread of its own while the caller sleeps, and gives single nodes back to the
 * caller's. So where the line goes over to another thread, that one waited for the last that had ended by then: unless
 * it had been at work itself since.
 */
static uint32_t let_go_by(const struct host_line *line, uint32_t i)
{
    const struct host_op *op = &line->ops[i];
    const int64_t start = host_op_start_ns(line, op);
    if (start < 0)
        return line->ops[i - 1].thread != op->thread ? i - 1 : OP_NONE;
    const int64_t own_end = op->before == OP_NONE ? 0 : host_op_end_ns(line, &line->ops[op->before]);
    for (uint32_t back = 1; back <= LOOK_BACK && back <= i && line->ops[i - back].thread != op->thread; back++) {
        const int64_t end = host_op_end_ns(line, &line->ops[i - back]);
        if (end >= own_end && end <= start)
            return i - back;
    }
    return OP_NONE;
}

static void link_threads(struct building *b, const struct host_line *line)
{
    b->last = arena_array(b->scratch, b->program->threads ? b->program->threads : 1, sizeof *b->last);
    for (uint32_t i = 0; i < b->program->threads || i == 0; i++)
        b->last[i] = OP_NONE;
    for (uint32_t i = 0; i < b->count; i++) {
        struct host_op *op = &b->ops[i];
        op->before = b->last[op->thread];
        if (i)
            op->follows = let_go_by(line, i);
        b->last[op->thread] = i;
    }
}

struct host_line host_line_of(const struct program *program, struct arena *arena)
{
    struct arena scratch = {0};
    struct building b = {.program = program, .arena = arena, .scratch = &scratch};
    struct host_line line = {.program = program};
    find_tops(&b);
    list_items(&b);
    uint32_t *entry_of_item = arena_array(&scratch, b.item_count, sizeof *entry_of_item);
    add_entries(&b, entry_of_item);
    deal_items(&b, entry_of_item, &line);
    deal_inside(&b, &line);
    line.ops = b.ops;
    line.count = b.count;
    link_threads(&b, &line);
    arena_free(&scratch);
    return line;
}
