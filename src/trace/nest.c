/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order and nesting. Rows are grouped by lane and nest, each group sorted by
 * start, the longer first. One pass with a stack of open events then gives every
 * row its parent: the innermost event that had begun and not ended. The test is
 * on the child's start alone, so an end that rounding moved past the parent's
 * does not tear the tree; ends that are past it by more than rounding are counted.
 */
#include "base/mem.h"
#include "private.h"

enum { ROUNDING_NS = 1000 };

static uint32_t group_of(const struct trace *t, uint32_t row)
{
    return t->lane[row] * NESTS + event_nest(t->kind[row]);
}

/* Counting sort by group; rows of a group stay in the order of the file. */
static void group_rows(struct trace *t)
{
    struct trace_private *p = t->private;
    const size_t groups = (size_t)t->lane_count * NESTS;
    p->group = mem_zeroed((groups + 1) * sizeof *p->group);
    for (uint32_t row = 0; row < t->count; row++)
        p->group[group_of(t, row) + 1]++;
    for (size_t g = 0; g < groups; g++)
        p->group[g + 1] += p->group[g];
    uint32_t *next = mem_alloc((groups + 1) * sizeof *next);
    memcpy(next, p->group, (groups + 1) * sizeof *next);
    p->order = mem_alloc(t->count * sizeof *p->order);
    for (uint32_t row = 0; row < t->count; row++)
        p->order[next[group_of(t, row)]++] = row;
    mem_free(next);
}

/* An event that has begun and not ended, and what trace_operator finds from it. */
struct open_row {
    uint32_t row, operator; /* the operator: itself, or the innermost that is open around it; ROW_NONE */
    uint32_t climb;         /* events from it to that operator, itself excluded where it is one */
};

struct open_rows {
    struct open_row *at;
    size_t count, room;
};

static const struct open_row *innermost(const struct open_rows *open)
{
    static const struct open_row none = {ROW_NONE, ROW_NONE, 0};
    return open->count ? &open->at[open->count - 1] : &none;
}

static void push(struct trace *t, struct open_rows *open, uint32_t row)
{
    const struct open_row *around = innermost(open);
    struct open_row new = {row, row, 0};
    if (t->kind[row] != EVENT_OPERATOR) {
        new.operator= around->operator;
        new.climb = around->climb + 1;
        if (new.climb > TRACE_LONGEST_CLIMB &&new.operator!= ROW_NONE)
            map_put(&t->private->far_operator, row, new.operator);
    }
    open->at = mem_grow(open->at, &open->room, open->count + 1, sizeof *open->at);
    open->at[open->count++] = new;
}

static void nest_group(struct trace *t, const uint32_t *rows, uint32_t count, struct open_rows *open)
{
    struct trace_private *p = t->private;
    open->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = rows[i];
        while (open->count && trace_end_ns(t, innermost(open)->row) <= t->start_ns[row])
            open->count--;
        if (open->count) {
            const uint32_t parent = innermost(open)->row;
            p->parent[row] = parent;
            p->odd.partial_overlaps += trace_end_ns(t, row) > trace_end_ns(t, parent) + ROUNDING_NS;
        }
        push(t, open, row);
    }
}

static bool is_tree(enum nest nest)
{
    return nest == NEST_CALLS || nest == NEST_ANNOTATION || nest == NEST_PYTHON || nest == NEST_DEVICE_ANNOTATION;
}

void trace_nest(struct trace *t)
{
    struct trace_private *p = t->private;
    group_rows(t);
    p->parent = mem_alloc(t->count * sizeof *p->parent);
    memset(p->parent, 0xFF, t->count * sizeof *p->parent); /* ROW_NONE */
    struct open_rows open = {0};
    for (uint32_t g = 0; g < t->lane_count * NESTS; g++) {
        uint32_t *rows = p->order + p->group[g];
        const uint32_t count = p->group[g + 1] - p->group[g];
        trace_sort_rows(t, rows, count);
        if (is_tree(g % NESTS))
            nest_group(t, rows, count, &open);
    }
    mem_free(open.at);
}
