/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of a step, from the rows of a trace. Two nests become one tree:
 * operators lie in operators as recorded, those at the top in the innermost
 * annotation of their thread; what another thread does lies in the annotation
 * open on the training thread, unless it has its own.
 */
#include "trace.h"

#include "base/mem.h"
#include "forward.h"

/* ---- what the steps share ---- */

struct programs *programs_open(const struct trace *trace, const struct work_classes *classes)
{
    struct programs *of = mem_zeroed(sizeof *of);
    of->trace = trace;
    of->classes = classes;
    of->phases = phases_of(trace, &of->arena);
    of->calls = runtime_calls_of(trace, &of->arena);
    waits_open(&of->waits, trace, waits_always, classes, of->calls, &of->arena);
    of->orders = stream_orders(&of->waits, &of->arena);
    of->collectives = collectives_of(trace, classes, &of->arena);
    return of;
}

void programs_close(struct programs *of)
{
    if (!of)
        return;
    waits_close(&of->waits);
    program_names_free(&of->names);
    arena_free(&of->arena);
    mem_free(of);
}

static const struct name_facts *facts(struct programs *of, uint32_t row)
{
    return program_name(&of->names, trace_name(of->trace, row));
}

/* ---- rows of the step ---- */

struct rows program_rows(const struct trace *trace, uint32_t lane, enum nest nest, const struct step *step)
{
    const struct rows rows = trace_rows(trace, lane, nest);
    const uint32_t first = trace_first_from(trace, rows, step->start_ns),
                   end = trace_first_from(trace, rows, step->end_ns);
    return (struct rows){rows.at + first, end - first};
}

/* ---- entries: operators and labels, with their parents ---- */

/* The entry that the row is, or lies in; OP_NONE. */
static uint32_t entry_at(const struct entries *e, uint32_t row)
{
    return row == ROW_NONE ? (uint32_t)OP_NONE : map_get(&e->of, row);
}

static uint32_t entry_room(const struct step_program *p)
{
    const struct trace *trace = p->of->trace;
    uint32_t room = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device)
            room += program_rows(trace, lane, NEST_CALLS, p->step).count +
                    program_rows(trace, lane, NEST_ANNOTATION, p->step).count;
    return room;
}

static void add_entry(struct step_program *p, uint32_t row, uint32_t parent, bool label)
{
    struct entries *e = &p->entries;
    e->row[e->count] = row;
    e->start_ns[e->count] = p->of->trace->start_ns[row];
    e->label[e->count] = label;
    e->parent[e->count] = parent;
    map_put(&e->of, row, e->count++);
}

/* A row that is no entry stands for the one around it. */
static void pass_over(struct entries *e, uint32_t row, uint32_t parent)
{
    if (parent != OP_NONE)
        map_put(&e->of, row, parent);
}

/* Inside an operator a name is that of an operator, whatever it looks like. */
static void add_operators(struct step_program *p, uint32_t lane)
{
    const struct trace *trace = p->of->trace;
    struct entries *e = &p->entries;
    const struct rows calls = program_rows(trace, lane, NEST_CALLS, p->step);
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i], parent = entry_at(e, trace->parent[row]);
        const bool inside = parent != OP_NONE && !e->label[parent];
        if (trace->kind[row] != EVENT_OPERATOR || facts(p->of, row)->step)
            pass_over(e, row, parent);
        else
            add_entry(p, row, parent, !inside && facts(p->of, row)->label);
    }
}

/* Whether an annotation lies in an operator of its thread. Of those that begin with it few are looked at. */
static bool in_operator(const struct step_program *p, uint32_t row)
{
    enum { LOOKED_AT = 64 };
    const struct trace *trace = p->of->trace;
    const struct entries *e = &p->entries;
    uint32_t entry = entry_at(e, trace_open_at(trace, trace->lane[row], NEST_CALLS, trace->start_ns[row]));
    for (int i = 0; i < LOOKED_AT && entry != OP_NONE && !e->label[entry]; i++, entry = e->parent[entry]) {
        const uint32_t around = e->row[entry];
        if (trace->start_ns[around] < trace->start_ns[row] || trace->dur_ns[around] > trace->dur_ns[row])
            return true;
    }
    return false;
}

static void add_labels(struct step_program *p, uint32_t lane)
{
    const struct trace *trace = p->of->trace;
    const struct rows labels = program_rows(trace, lane, NEST_ANNOTATION, p->step);
    for (uint32_t i = 0; i < labels.count; i++) {
        const uint32_t row = labels.at[i], parent = entry_at(&p->entries, trace->parent[row]);
        if (facts(p->of, row)->step || in_operator(p, row))
            pass_over(&p->entries, row, parent);
        else
            add_entry(p, row, parent, true);
    }
}

/* The label of a thread that is open at the row's start. */
static uint32_t label_open(const struct step_program *p, uint32_t lane, uint32_t row)
{
    const struct trace *trace = p->of->trace;
    return lane == LANE_NONE ? (uint32_t)OP_NONE
                             : entry_at(&p->entries, trace_open_at(trace, lane, NEST_ANNOTATION, trace->start_ns[row]));
}

/* Of two labels the one that began later. */
static uint32_t inner_label(const struct entries *e, uint32_t a, uint32_t b)
{
    if (a == OP_NONE || b == OP_NONE)
        return a == OP_NONE ? b : a;
    return e->start_ns[a] >= e->start_ns[b] ? a : b;
}

/*
 * An operator that no operator is around lies in a label of its thread, whatever lies in none in one of the training
 * thread. So operators lie in annotations, these in annotations, and those of other threads in those of the training
 * thread: no circle can be.
 */
static void find_parent(struct step_program *p, uint32_t entry)
{
    const struct trace *trace = p->of->trace;
    struct entries *e = &p->entries;
    const uint32_t row = e->row[entry], lane = trace->lane[row];
    uint32_t parent = e->parent[entry];
    if (parent != OP_NONE && !e->label[parent])
        return;
    if (trace->kind[row] == EVENT_OPERATOR)
        parent = inner_label(e, label_open(p, lane, row), parent);
    if (parent == OP_NONE && lane != trace_main_lane(trace))
        parent = label_open(p, trace_main_lane(trace), row);
    e->parent[entry] = parent;
}

static void find_entries(struct step_program *p)
{
    const struct trace *trace = p->of->trace;
    const uint32_t room = entry_room(p);
    p->entries = (struct entries){.row = arena_array(&p->scratch, room, sizeof *p->entries.row),
                                  .parent = arena_array(&p->scratch, room, sizeof *p->entries.parent),
                                  .start_ns = arena_array(&p->scratch, room, sizeof *p->entries.start_ns),
                                  .label = arena_array(&p->scratch, room, sizeof *p->entries.label)};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device)
            add_operators(p, lane);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device)
            add_labels(p, lane);
    for (uint32_t entry = 0; entry < p->entries.count; entry++)
        find_parent(p, entry);
}

/* ---- operators ---- */

uint32_t step_thread(struct step_program *p, uint32_t lane)
{
    if (p->thread_of[lane] == OP_NONE)
        p->thread_of[lane] = p->result.threads++;
    return p->thread_of[lane];
}

/* The number of the entry that the row is, or lies in; OP_NONE. */
static uint32_t number_at(const struct step_program *p, uint32_t row)
{
    const uint32_t entry = entry_at(&p->entries, row);
    return entry == OP_NONE ? (uint32_t)OP_NONE : p->tree.number_of[entry];
}

uint32_t step_operator(const struct step_program *p, uint32_t row)
{
    const uint32_t number = number_at(p, row);
    return number == OP_NONE || p->ops[number].label ? (uint32_t)OP_NONE : number;
}

static struct program_op op_of_row(struct step_program *p, uint32_t row, bool label)
{
    const struct trace *trace = p->of->trace;
    return (struct program_op){
        .name = trace_name(trace, row),
        .arguments = {trace_attr_text(trace, row, ATTR_INPUT_DIMS), trace_attr_text(trace, row, ATTR_INPUT_TYPES),
                      trace_attr_text(trace, row, ATTR_CONCRETE_INPUTS),
                      trace_attr_text(trace, row, ATTR_INPUT_STRIDES)},
        .id = row,
        .parent = OP_NONE,
        .thread = step_thread(p, trace->lane[row]),
        .forward = OP_NONE,
        .phase = p->of->phases[row],
        .family = label ? FAMILY_OTHER : facts(p->of, row)->family,
        .label = label,
        .start_ns = trace->start_ns[row] - p->step->start_ns,
        .dur_ns = trace->dur_ns[row],
    };
}

static void step_ops(struct step_program *p)
{
    find_entries(p);
    const struct entries *e = &p->entries;
    p->tree = program_tree_of(e->parent, e->start_ns, e->count, &p->scratch);
    p->ops = arena_array(p->arena, p->tree.count, sizeof *p->ops);
    for (uint32_t i = 0; i < p->tree.count; i++) {
        const uint32_t entry = p->tree.entry_of[i], parent = e->parent[entry];
        p->ops[i] = op_of_row(p, e->row[entry], e->label[entry]);
        p->ops[i].parent = parent == OP_NONE ? (uint32_t)OP_NONE : p->tree.number_of[parent];
        p->ops[i].end = p->tree.end[i];
        p->result.without_shapes += program_wants_shapes(&p->of->names, &p->ops[i]);
    }
    p->result.ops = p->ops;
    p->result.count = p->tree.count;
}

/* By numbers, else by arrows. The forward call may have run in another step. */
static void step_forward(struct step_program *p)
{
    const struct trace *trace = p->of->trace;
    int64_t *sequences = arena_array(&p->scratch, p->result.count, sizeof *sequences);
    for (uint32_t i = 0; i < p->result.count; i++)
        sequences[i] = trace_attr_or(trace, (uint32_t)p->ops[i].id, ATTR_SEQUENCE, -1);
    program_forward_by_sequence(p->ops, p->result.count, sequences);
    for (uint32_t i = 0; i < p->result.count; i++)
        if (!p->ops[i].label && p->ops[i].forward == OP_NONE)
            p->ops[i].forward = number_at(p, trace_forward(trace, (uint32_t)p->ops[i].id));
}

/* ---- the rest ---- */

static const struct collective_group *copy_groups(const struct collectives *all, struct arena *arena)
{
    struct collective_group *groups = arena_array(arena, all->group_count, sizeof *groups);
    for (uint32_t i = 0; i < all->group_count; i++) {
        groups[i] = all->groups[i];
        groups[i].name = str_copy(arena, groups[i].name);
    }
    return groups;
}

static void step_collectives(struct step_program *p)
{
    const struct collectives *all = &p->of->collectives;
    const uint32_t step = (uint32_t)(p->step - p->of->trace->steps);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        count += all->at[i].step == step;
    struct collective *at = arena_array(p->arena, count, sizeof *at);
    p->result.collectives = at;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].step == step)
            at[p->result.collective_count++] = all->at[i];
    p->result.groups = copy_groups(all, p->arena);
    p->result.group_count = all->group_count;
}

static uint32_t *no_indices(struct step_program *p, uint32_t count)
{
    uint32_t *indices = arena_array(&p->scratch, count, sizeof *indices);
    memset(indices, 0xFF, count * sizeof *indices); /* OP_NONE */
    return indices;
}

static void describe(const struct trace *trace, const struct step *step, struct program *program)
{
    program->source = PROGRAM_TRACE;
    program->rank = trace->info.rank;
    program->world_size = trace->info.world_size;
    program->wall_ns = step->end_ns - step->start_ns;
    program->profiled = true;
    program->path = trace->info.path;
    program->step = step->number;
    program->dated = trace_epoch(trace, &program->origin_ns);
}

struct program programs_step(struct programs *of, uint32_t step, struct arena *arena)
{
    const struct trace *trace = of->trace;
    struct step_program p = {.of = of, .step = &trace->steps[step], .arena = arena};
    p.thread_of = no_indices(&p, trace->lane_count);
    p.stream_of = no_indices(&p, trace->lane_count);
    describe(trace, p.step, &p.result);
    if (trace_main_lane(trace) != LANE_NONE)
        step_thread(&p, trace_main_lane(trace));
    step_ops(&p);
    step_forward(&p);
    step_collectives(&p);
    step_launches(&p);
    step_graphs(&p);
    step_crowding(&p);
    step_held(&p);
    map_free(&p.entries.of);
    arena_free(&p.scratch);
    return p.result;
}

struct program program_of_step(const struct trace *trace, const struct work_classes *classes, uint32_t step,
                               struct arena *arena)
{
    struct programs *of = programs_open(trace, classes);
    const struct program program = programs_step(of, step, arena);
    programs_close(of);
    return program;
}
