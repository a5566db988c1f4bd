/* SPDX-License-Identifier: Apache-2.0 */
/* Steps begin with a ProfilerStep; where there are none, behind an Optimizer.step. */
#include "base/mem.h"
#include "execution.h"
#include "names.h"

struct marks {
    struct execution_step *at; /* end is found last */
    size_t count, room;
};

static void add_mark(struct marks *marks, int64_t first, int64_t number)
{
    marks->at = mem_grow(marks->at, &marks->room, marks->count + 1, sizeof *marks->at);
    marks->at[marks->count++] = (struct execution_step){first, INT64_MAX, number};
}

static int64_t number_of(str name, int64_t otherwise)
{
    int64_t number;
    return str_int(str_from(name, S("ProfilerStep#").len), &number) ? number : otherwise;
}

static void mark_profiler_steps(const struct execution *e, struct marks *marks)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->nodes[i].scope == SCOPE_USER && program_names_step(e->nodes[i].name))
            add_mark(marks, e->nodes[i].id, number_of(e->nodes[i].name, (int64_t)marks->count));
}

static bool is_optimizer_step(const struct execution_node *node)
{
    return node->scope == SCOPE_USER && str_starts(node->name, S("Optimizer.step"));
}

/* A step begins with the first node of the training thread behind an Optimizer.step and all inside it. */
static void mark_optimizer_steps(const struct execution *e, struct marks *marks)
{
    bool *inside = mem_zeroed(e->count);
    bool behind = false; /* the last node of that thread was inside one */
    int64_t thread = 0;  /* which has run one */
    add_mark(marks, INT64_MIN, 0);
    for (uint32_t i = 0; i < e->count; i++) {
        const struct execution_node *node = &e->nodes[i];
        inside[i] = is_optimizer_step(node) || (node->parent != EXECUTION_NONE && inside[node->parent]);
        if (inside[i])
            thread = node->thread;
        else if (behind && node->thread == thread)
            add_mark(marks, node->id, (int64_t)marks->count);
        behind = node->thread == thread ? inside[i] : behind;
    }
    mem_free(inside);
}

static uint64_t nodes_in(const struct execution *e, const struct execution_step *step)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < e->count; i++)
        count += e->nodes[i].id >= step->first && e->nodes[i].id < step->end;
    return count;
}

/* Of a dry run every step was seen from its beginning on. */
static bool is_dry(const struct execution *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (execution_is_mode(&e->nodes[i]))
            return true;
    return false;
}

static bool holds_optimizer(const struct execution *e, const struct execution_step *step)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->nodes[i].id >= step->first && e->nodes[i].id < step->end && is_optimizer_step(&e->nodes[i]))
            return true;
    return false;
}

/* Behind its last step() a script may go on to its end, which is no step. */
static struct execution_step last_that_steps(const struct execution *e, const struct marks *marks)
{
    for (size_t i = marks->count; i-- > 0;)
        if (holds_optimizer(e, &marks->at[i]))
            return marks->at[i];
    return marks->at[marks->count - 1];
}

/* Of steps with less than half of the nodes of the fullest, recording saw a part only. */
static struct execution_step last_whole(const struct execution *e, const struct marks *marks)
{
    enum { LOOKED_AT = 64 };
    const size_t from = marks->count > LOOKED_AT ? marks->count - LOOKED_AT : 0;
    uint64_t most = 0;
    if (marks->count && is_dry(e))
        return last_that_steps(e, marks);
    for (size_t i = from; i < marks->count; i++) {
        const uint64_t nodes = nodes_in(e, &marks->at[i]);
        most = nodes > most ? nodes : most;
    }
    for (size_t i = marks->count; i-- > from;)
        if (nodes_in(e, &marks->at[i]) * 2 >= most)
            return marks->at[i];
    return (struct execution_step){INT64_MIN, INT64_MAX, -1};
}

struct execution_step execution_last_step(const struct execution *e)
{
    struct marks marks = {0};
    mark_profiler_steps(e, &marks);
    if (!marks.count && e->count)
        mark_optimizer_steps(e, &marks);
    for (size_t i = 0; i + 1 < marks.count; i++)
        marks.at[i].end = marks.at[i + 1].first;
    const struct execution_step step = last_whole(e, &marks);
    mem_free(marks.at);
    return step;
}
