/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forward operator of each backward one. Autograd gives both the same
 * sequence number, and the backward one the thread of its forward (not 0);
 * where numbers are missing the fwdbwd arrows join their starts.
 */
#include "base/mem.h"
#include "base/sort.h"
#include "ids.h"
#include "private.h"

/* Flags, by text id, the names of the engine's own operators. */
static const uint8_t *engine_names(const struct trace *t, struct arena *arena)
{
    const uint32_t count = trace_text_count(t);
    uint8_t *engine = arena_alloc(arena, count);
    for (uint32_t id = 0; id < count; id++)
        engine[id] = str_starts(trace_text(t, id), S("autograd::engine::evaluate_function"));
    return engine;
}

static bool backward(const struct trace *t, const uint8_t *engine, uint32_t row)
{
    return engine[t->name[row]] || trace_attr_or(t, row, ATTR_FORWARD_THREAD, 0) != 0;
}

/* By sequence number the forward operator that began first. Threads count for themselves; its thread is meant. */
static void collect_first(const struct trace *t, const uint8_t *engine, struct ids *first)
{
    int64_t sequence;
    for (uint32_t row = 0; row < t->count; row++)
        if (trace_attr(t, row, ATTR_SEQUENCE, &sequence) && !backward(t, engine, row)) {
            const uint32_t known = ids_get(first, sequence);
            if (known == ROW_NONE || t->start_ns[row] < t->start_ns[known])
                ids_put(first, sequence, row);
        }
}

/*
 * By sequence number the forward operator that began last. Every operator that comes by while gradients are on records
 * the number that the next node of the backward graph will get, so the last of a number is the one that made the node.
 */
static void collect_forward(const struct trace *t, const uint8_t *engine, struct ids *first, struct ids *forward)
{
    int64_t sequence;
    for (uint32_t row = 0; row < t->count; row++)
        if (trace_attr(t, row, ATTR_SEQUENCE, &sequence) && !backward(t, engine, row)) {
            const uint32_t known = ids_get(forward, sequence);
            const bool same_thread = t->lane[row] == t->lane[ids_get(first, sequence)];
            if (same_thread && (known == ROW_NONE || t->start_ns[row] >= t->start_ns[known]))
                ids_put(forward, sequence, row);
        }
}

/* From backward row to forward row, by arrows: ascending by the backward one; of several arrows to it the last counts. */
struct arrows {
    struct keyed *at;
    size_t count, room, next;
};

static void add_arrow(const struct trace *t, const struct flow *start, const struct flow *end, struct arrows *arrows)
{
    const uint32_t to = trace_open_at(t, end->lane, NEST_CALLS, end->time_ns);
    const uint32_t from = trace_open_at(t, start->lane, NEST_CALLS, start->time_ns);
    if (to == ROW_NONE || from == ROW_NONE)
        return;
    arrows->at = mem_grow(arrows->at, &arrows->room, arrows->count + 1, sizeof *arrows->at);
    arrows->at[arrows->count++] = (struct keyed){to, from};
}

static void collect_arrows(const struct trace *t, struct arrows *arrows)
{
    const struct trace_private *p = t->private;
    struct ids start_of;
    ids_open(&start_of);
    for (size_t i = 0; i < p->flow_count; i++)
        if (p->flows[i].kind == FLOW_BACKWARD && !p->flows[i].finish)
            ids_put(&start_of, p->flows[i].id, (uint32_t)i);
    for (size_t i = 0; i < p->flow_count; i++) {
        const struct flow *end = &p->flows[i];
        if (end->kind != FLOW_BACKWARD || !end->finish)
            continue;
        const uint32_t start = ids_get(&start_of, end->id);
        if (start != ROW_NONE)
            add_arrow(t, &p->flows[start], end, arrows);
    }
    sort_keyed(arrows->at, arrows->count);
    ids_close(&start_of);
}

/* Asked for rows that ascend. */
static uint32_t arrow_to(struct arrows *arrows, uint32_t row)
{
    uint32_t from = ROW_NONE;
    for (; arrows->next < arrows->count && arrows->at[arrows->next].key <= row; arrows->next++)
        if (arrows->at[arrows->next].key == row)
            from = arrows->at[arrows->next].row;
    return from;
}

static uint32_t forward_of(const struct trace *t, const uint8_t *engine, struct ids *forward, struct arrows *arrows,
                           uint32_t row)
{
    int64_t sequence;
    if (trace_attr(t, row, ATTR_SEQUENCE, &sequence) && backward(t, engine, row)) {
        const uint32_t from = ids_get(forward, sequence);
        if (from != ROW_NONE && t->start_ns[from] <= t->start_ns[row])
            return from;
    }
    return arrow_to(arrows, row);
}

void trace_pair(struct trace *t)
{
    struct arena scratch = {0};
    struct ids first, forward;
    struct arrows arrows = {0};
    const uint8_t *engine = engine_names(t, &scratch);
    ids_open(&first);
    ids_open(&forward);
    collect_first(t, engine, &first);
    collect_forward(t, engine, &first, &forward);
    collect_arrows(t, &arrows);
    for (uint32_t row = 0; row < t->count; row++) {
        const uint32_t from = t->kind[row] == EVENT_OPERATOR ? forward_of(t, engine, &forward, &arrows, row) : ROW_NONE;
        if (from != ROW_NONE)
            sparse_push(&t->private->forward, row, from);
    }
    sparse_finish(&t->private->forward);
    ids_close(&first);
    ids_close(&forward);
    mem_free(arrows.at);
    arena_free(&scratch);
}

uint32_t trace_forward(const struct trace *t, uint32_t row)
{
    int64_t from;
    return sparse_get(&t->private->forward, row, &from) ? (uint32_t)from : (uint32_t)ROW_NONE;
}
