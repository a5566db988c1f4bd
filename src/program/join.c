/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An execution trace and the Kineto trace of the same run as one program: times
 * and kernels from the one, shapes and data from the other.
 *
 * Both may carry the profiler's ids (rf_id, External id). Else both list the same
 * calls in the order in which they began, with a few that only one of them has:
 * they are walked side by side, and where names part the nearest place at which
 * two of them agree again is looked for.
 */
#include "base/intern.h"
#include "base/mem.h"
#include "execution.h"
#include "trace.h"

enum {
    LOOK_AHEAD = 32,  /* calls that one of the two may have and the other not, in one place */
    FIRST_CALLS = 64, /* compared to find where the execution trace begins */
};

/* One side: the calls in the order in which they began, by name. */
struct side {
    uint32_t *name, *what; /* ids of the names; the node, or the operator */
    uint32_t count;
};

struct joining {
    struct programs *of;
    const struct execution *execution;
    struct intern *names;
    struct side nodes;
    uint32_t *node_of; /* by operator of the current step; EXECUTION_NONE */
    uint32_t matched;
};

/* ---- the sides ---- */

static void add_call(struct side *side, struct intern *names, str name, uint32_t what)
{
    side->name[side->count] = intern_id(names, name);
    side->what[side->count++] = what;
}

static struct side new_side(uint32_t count, struct arena *arena)
{
    return (struct side){arena_array(arena, count, sizeof(uint32_t)), arena_array(arena, count, sizeof(uint32_t)), 0};
}

/* The nodes by rf_id, which counts calls as they begin; ids of nodes do too, but only of one thread. */
static struct side side_of_execution(const struct execution *e, struct intern *names, struct arena *arena)
{
    struct side side = new_side(e->count, arena);
    struct keyed *order = arena_array(arena, e->count, sizeof *order);
    for (uint32_t i = 0; i < e->count; i++)
        order[i] = (struct keyed){e->nodes[i].record, i};
    sort_keyed(order, e->count);
    for (uint32_t i = 0; i < e->count; i++)
        if (!execution_is_frame(&e->nodes[order[i].row]))
            add_call(&side, names, e->nodes[order[i].row].name, order[i].row);
    return side;
}

/* The operators by start; numbers are pre-order, so of two that begin together the longer is first. */
static struct side side_of_program(const struct program *p, struct intern *names, struct arena *arena)
{
    struct side side = new_side(p->count, arena);
    struct keyed *order = arena_array(arena, p->count, sizeof *order);
    for (uint32_t i = 0; i < p->count; i++)
        order[i] = (struct keyed){p->ops[i].start_ns, i};
    sort_keyed(order, p->count);
    for (uint32_t i = 0; i < p->count; i++)
        add_call(&side, names, p->ops[order[i].row].name, order[i].row);
    return side;
}

/* ---- by id ---- */

static struct map rows_by_id(const struct trace *trace)
{
    struct map rows = {0};
    int64_t id;
    for (uint32_t row = trace->count; row-- > 0;)
        if ((trace->kind[row] == EVENT_OPERATOR || trace->kind[row] == EVENT_ANNOTATION) &&
            trace_attr(trace, row, ATTR_EXTERNAL_ID, &id) && id)
            map_put(&rows, id, row);
    return rows;
}

/* By node: the row of its id and name; ROW_NONE. */
static uint32_t *rows_of_nodes(const struct joining *j, struct arena *arena, uint32_t *count)
{
    const struct execution *e = j->execution;
    struct map rows = rows_by_id(j->of->trace);
    uint32_t *row_of = arena_array(arena, e->count, sizeof *row_of);
    *count = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t row = e->nodes[i].record ? map_get(&rows, e->nodes[i].record) : (uint32_t)MAP_NONE;
        const bool same = row != MAP_NONE && str_eq(trace_name(j->of->trace, row), e->nodes[i].name);
        row_of[i] = same ? row : (uint32_t)ROW_NONE;
        *count += same;
    }
    map_free(&rows);
    return row_of;
}

/* The step in which most of the rows lie. */
static uint32_t fullest_step(const struct trace *trace, const uint32_t *rows, uint32_t count, struct arena *arena)
{
    uint32_t *in = arena_array(arena, trace->step_count, sizeof *in), best = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t step = rows[i] == ROW_NONE ? (uint32_t)STEP_NONE : trace_step(trace, rows[i]);
        if (step != STEP_NONE)
            in[step]++;
    }
    for (uint32_t step = 0; step < trace->step_count; step++)
        best = in[step] > in[best] ? step : best;
    return best;
}

static void no_nodes(struct joining *j, const struct program *p, struct arena *arena)
{
    j->node_of = arena_array(arena, p->count, sizeof *j->node_of);
    memset(j->node_of, 0xFF, p->count * sizeof *j->node_of); /* EXECUTION_NONE */
    j->matched = 0;
}

static void pair(struct joining *j, uint32_t op, uint32_t node)
{
    j->matched += j->node_of[op] == EXECUTION_NONE;
    j->node_of[op] = node;
}

static void match_by_id(struct joining *j, const struct program *p, const uint32_t *row_of, struct arena *arena)
{
    struct map op_of_row = {0};
    no_nodes(j, p, arena);
    for (uint32_t i = 0; i < p->count; i++)
        map_put(&op_of_row, p->ops[i].id, i);
    for (uint32_t i = 0; i < j->execution->count; i++) {
        const uint32_t op = row_of[i] == ROW_NONE ? (uint32_t)MAP_NONE : map_get(&op_of_row, row_of[i]);
        if (op != MAP_NONE)
            pair(j, op, i);
    }
    map_free(&op_of_row);
}

/* ---- by order ---- */

/* Where in b the calls of a begin: the place at which most of the first of them agree. */
static uint32_t first_place(const struct side *a, const struct side *b)
{
    uint32_t best = 0, place = 0;
    for (uint32_t at = 0; at < b->count; at++) {
        uint32_t same = 0;
        for (uint32_t i = 0; i < FIRST_CALLS && i < a->count && at + i < b->count; i++)
            same += a->name[i] == b->name[at + i];
        if (same > best) {
            best = same;
            place = at;
        }
    }
    return place;
}

static bool agree(const struct side *a, uint32_t i, const struct side *b, uint32_t k)
{
    if (i >= a->count || k >= b->count || a->name[i] != b->name[k])
        return false;
    return i + 1 >= a->count || k + 1 >= b->count || a->name[i + 1] == b->name[k + 1];
}

/* Moves on to where two calls agree again, leaving out as few as can be; or past one of each. */
static void find_again(const struct side *a, uint32_t *i, const struct side *b, uint32_t *k)
{
    for (uint32_t out = 1; out <= LOOK_AHEAD; out++)
        for (uint32_t of_a = 0; of_a <= out; of_a++)
            if (agree(a, *i + of_a, b, *k + out - of_a)) {
                *i += of_a;
                *k += out - of_a;
                return;
            }
    ++*i;
    ++*k;
}

static void match_by_order(struct joining *j, const struct program *p, struct arena *arena)
{
    const struct side *a = &j->nodes;
    const struct side b = side_of_program(p, j->names, arena);
    no_nodes(j, p, arena);
    for (uint32_t i = 0, k = first_place(a, &b); i < a->count && k < b.count;)
        if (a->name[i] == b.name[k])
            pair(j, b.what[k++], a->what[i++]);
        else
            find_again(a, &i, &b, &k);
}

/* ---- one program ---- */

/* What the trace lacks of an operator: as recorded on the host, it may have shapes and the forward call of its own. */
static void add_data(const struct joining *j, const struct program *data, const struct map *number_of_id,
                     const struct execution_node *node, struct program_op *op)
{
    if (node->inputs.dims.len)
        op->arguments =
            (struct op_arguments){node->inputs.dims, node->inputs.types, node->inputs.values, node->inputs.strides};
    const uint32_t number = map_get(number_of_id, node->id);
    if (number == MAP_NONE)
        return; /* it loads data */
    op->first_input = data->ops[number].first_input;
    op->inputs = data->ops[number].inputs;
    op->first_output = data->ops[number].first_output;
    op->outputs = data->ops[number].outputs;
}

static void add_all_data(const struct joining *j, struct program *p, struct arena *arena)
{
    const struct execution_step all = {INT64_MIN, INT64_MAX, -1};
    const struct program data = program_of_nodes(j->execution, &all, arena);
    struct program_op *ops = (struct program_op *)p->ops; /* made here, and nobody else has it yet */
    struct map number_of_id = {0};
    for (uint32_t i = 0; i < data.count; i++)
        map_put(&number_of_id, data.ops[i].id, i);
    p->without_shapes = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (j->node_of[i] != EXECUTION_NONE)
            add_data(j, &data, &number_of_id, &j->execution->nodes[j->node_of[i]], &ops[i]);
        p->without_shapes += program_wants_shapes(&j->of->names, &ops[i]);
    }
    p->tensors = data.tensors;
    p->tensor_count = data.tensor_count;
    p->source = PROGRAM_JOINED;
    map_free(&number_of_id);
}

/* Steps that are looked at where no ids say which it is: a longer trace repeats itself. */
enum { MOST_STEPS = 64 };

static struct program best_by_order(struct joining *j, struct program_match *match, struct arena *arena,
                                    struct arena *scratch)
{
    const uint32_t steps = j->of->trace->step_count < MOST_STEPS ? j->of->trace->step_count : MOST_STEPS;
    uint32_t most = 0;
    for (uint32_t step = 0; steps > 1 && step < steps; step++) {
        struct arena local = {0};
        const struct program p = programs_step(j->of, step, &local);
        match_by_order(j, &p, &local);
        match->step = j->matched > most ? step : match->step;
        most = j->matched > most ? j->matched : most;
        arena_free(&local);
    }
    const struct program p = programs_step(j->of, match->step, arena);
    match_by_order(j, &p, scratch);
    return p;
}

struct program programs_join(struct programs *programs, const struct execution *execution, struct program_match *match,
                             struct arena *arena)
{
    struct arena scratch = {0};
    struct joining j = {.of = programs, .execution = execution, .names = intern_new()};
    struct program p = {0};
    uint32_t known;
    j.nodes = side_of_execution(execution, j.names, &scratch);
    *match = (struct program_match){.operators = j.nodes.count};
    const uint32_t *row_of = rows_of_nodes(&j, &scratch, &known);
    match->by_id = known * 2 > j.nodes.count;
    if (match->by_id) {
        match->step = fullest_step(programs->trace, row_of, execution->count, &scratch);
        p = programs_step(programs, match->step, arena);
        match_by_id(&j, &p, row_of, &scratch);
    } else if (programs->trace->step_count) {
        p = best_by_order(&j, match, arena, &scratch);
    }
    match->matched = j.matched;
    if (j.matched)
        add_all_data(&j, &p, arena);
    intern_free(j.names);
    arena_free(&scratch);
    return p;
}
