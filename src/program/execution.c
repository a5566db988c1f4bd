/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of an execution trace. Left out are what only holds others (the
 * process, its threads, the profiler's step, annotations inside operators), whose
 * calls stay; the loading of data with all inside it, which prediction does
 * not predict; and how a mode of a dry run finds the shapes of an operator.
 *
 * Autograd's nodes name the node of the training thread that was open when they
 * ran; what another thread does without such a name lies in the label that the
 * training thread was in.
 */
#include "execution.h"

#include "base/map.h"
#include "forward.h"
#include "names.h"
#include "ops/rows/message.h"
#include "ops/words/shape.h"

bool execution_is_frame(const struct execution_node *node)
{
    return node->scope == SCOPE_USER &&
           (str_starts(node->name, S("[pytorch|profiler|")) || program_names_step(node->name));
}

static bool loads_data(const struct execution_node *node)
{
    return node->scope == SCOPE_USER && str_starts(node->name, S("enumerate(DataLoader)"));
}

bool execution_is_label(const struct execution_node *node)
{
    return node->scope == SCOPE_USER && !str_eq(node->name, S("record_param_comms"));
}

/* ---- entries ---- */

static uint32_t around(const struct making *m, uint32_t node)
{
    const uint32_t parent = m->from->nodes[node].parent;
    return parent == EXECUTION_NONE ? (uint32_t)OP_NONE : m->entry[parent];
}

static bool in_step(const struct making *m, const struct execution_node *node)
{
    return node->id >= m->step->first && node->id < m->step->end;
}

static void find_entries(struct making *m)
{
    for (uint32_t i = 0; i < m->from->count; i++) {
        const struct execution_node *node = &m->from->nodes[i];
        const uint32_t parent = around(m, i);
        const bool inside = parent != OP_NONE && !m->label[parent];
        m->gone[i] = loads_data(node) || (node->parent != EXECUTION_NONE && m->gone[node->parent]) ||
                     making_is_of_mode(m, i, inside);
        m->entry[i] = parent;
        if (m->gone[i] || execution_is_mark(node) || execution_is_mode(node) || execution_is_frame(node) ||
            !in_step(m, node) || (inside && execution_is_label(node)))
            continue;
        m->kept[m->count] = i;
        m->key[m->count] = node->id;
        m->parent[m->count] = parent;
        m->label[m->count] = execution_is_label(node);
        m->entry[i] = m->count++;
    }
}

/* ---- threads under labels of the training thread ---- */

/* By entry at the top of its thread: the node that the first of autograd's nodes in it names; 0: none. */
static int64_t *named_parents(struct making *m)
{
    uint32_t *top = arena_array(&m->scratch, m->count, sizeof *top);
    int64_t *named = arena_array(&m->scratch, m->count, sizeof *named);
    for (uint32_t i = 0; i < m->count; i++) {
        const int64_t forward_parent = m->from->nodes[m->kept[i]].forward_parent;
        top[i] = m->parent[i] == OP_NONE ? i : top[m->parent[i]];
        if (!named[top[i]])
            named[top[i]] = forward_parent;
    }
    return named;
}

/* The label that a node lies in, by its id, where it is one of the training thread's. */
static uint32_t label_of_id(const struct making *m, const struct map *entry_of_id, int64_t id, uint32_t before)
{
    const uint32_t entry = id ? map_get(entry_of_id, id) : (uint32_t)MAP_NONE;
    if (entry == MAP_NONE || entry >= before || m->from->nodes[m->kept[entry]].thread != m->main_thread)
        return OP_NONE;
    return m->label_around[entry];
}

static void hang_threads(struct making *m)
{
    struct map entry_of_id = {0};
    const int64_t *named = named_parents(m);
    uint32_t last_label = OP_NONE;
    for (uint32_t i = 0; i < m->count; i++)
        map_put(&entry_of_id, m->from->nodes[m->kept[i]].id, i);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct execution_node *node = &m->from->nodes[m->kept[i]];
        if (node->thread != m->main_thread && m->parent[i] == OP_NONE) {
            const uint32_t label = label_of_id(m, &entry_of_id, named[i], i);
            m->parent[i] = label != OP_NONE ? label : last_label;
        }
        m->label_around[i] = m->label[i]               ? i
                             : m->parent[i] == OP_NONE ? (uint32_t)OP_NONE
                                                       : m->label_around[m->parent[i]];
        if (node->thread == m->main_thread)
            last_label = m->label_around[i];
    }
    map_free(&entry_of_id);
}

/* ---- operators ---- */

static enum phase phase_in(struct making *m, const struct program_op *op, const struct execution_node *node)
{
    const enum phase own = (enum phase)program_name(&m->names, op->name)->phase;
    if (own != PHASE_NONE)
        return own;
    if (op->parent != OP_NONE && (!m->ops[op->parent].label || m->ops[op->parent].phase == PHASE_OPTIMIZER))
        return (enum phase)m->ops[op->parent].phase;
    if (node->scope == SCOPE_BACKWARD)
        return PHASE_BACKWARD;
    return op->label ? PHASE_NONE : PHASE_FORWARD;
}

static int64_t tensor_name(struct execution_tensor tensor)
{
    return tensor.storage ? tensor.storage : tensor.id;
}

static void add_tensor(struct making *m, struct execution_tensor tensor)
{
    m->tensor_bytes[*m->tensor_count] = tensor.bytes;
    m->tensors[(*m->tensor_count)++] = tensor_name(tensor);
}

static void add_inputs(struct making *m, const struct execution_node *node, struct program_op *op)
{
    op->first_input = *m->tensor_count;
    op->inputs = node->inputs.tensors;
    for (uint32_t i = 0; i < node->inputs.tensors; i++)
        add_tensor(m, m->from->tensors[node->inputs.first_tensor + i]);
}

/* Inputs of operators that have so many that looking through them takes longer; empty for the others. */
static struct map many_inputs(const struct making *m, const struct program_op *op)
{
    enum { FEW = 64 };
    struct map inputs = {0};
    for (uint32_t i = 0; op->inputs > FEW && i < op->inputs; i++)
        map_put(&inputs, m->tensors[op->first_input + i], 0);
    return inputs;
}

static bool reads(const struct making *m, const struct program_op *op, const struct map *many, int64_t tensor)
{
    if (many->slots)
        return map_get(many, tensor) != MAP_NONE;
    for (uint32_t i = 0; i < op->inputs; i++)
        if (m->tensors[op->first_input + i] == tensor)
            return true;
    return false;
}

/* An output in the memory of an input is a view of it, unless the schema says that it is written: "Tensor(a!)". */
static void add_outputs(struct making *m, const struct execution_node *node, struct program_op *op)
{
    const bool writes = str_has(node->schema, S("!"));
    struct map many = many_inputs(m, op);
    op->first_output = *m->tensor_count;
    for (uint32_t i = 0; i < node->outputs.tensors; i++) {
        const int64_t tensor = tensor_name(m->from->tensors[node->outputs.first_tensor + i]);
        if (writes || !reads(m, op, &many, tensor))
            add_tensor(m, m->from->tensors[node->outputs.first_tensor + i]);
    }
    op->outputs = *m->tensor_count - op->first_output;
    map_free(&many);
}

static struct program_op op_of_node(struct making *m, const struct execution_node *node, bool label)
{
    const struct execution_arguments *const read = making_reads_output(m, node) ? &node->outputs : &node->inputs;
    return (struct program_op){
        .name = node->name,
        .arguments = {read->dims, read->types, read->values, read->strides},
        .id = node->id,
        .forward = OP_NONE,
        .family = label ? FAMILY_OTHER : program_name(&m->names, node->name)->family,
        .label = label,
        .start_ns = -1,
        .dur_ns = -1,
    };
}

/* Threads by their first operator, after the training thread. */
static uint32_t thread_index(struct map *threads, int64_t thread, uint32_t *count)
{
    uint32_t index = map_get(threads, thread);
    if (index == MAP_NONE)
        map_put(threads, thread, index = (*count)++);
    return index;
}

static void make_ops(struct making *m, const struct program_tree *tree, struct program *out)
{
    struct map threads = {0};
    if (m->count)
        thread_index(&threads, m->main_thread, &out->threads);
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t entry = tree->entry_of[i], parent = m->parent[entry];
        const struct execution_node *node = &m->from->nodes[m->kept[entry]];
        struct program_op *op = &m->ops[i];
        *op = op_of_node(m, node, m->label[entry]);
        op->parent = parent == OP_NONE ? (uint32_t)OP_NONE : tree->number_of[parent];
        op->end = tree->end[i];
        op->thread = thread_index(&threads, node->thread, &out->threads);
        op->phase = (uint8_t)phase_in(m, op, node);
        add_inputs(m, node, op);
        add_outputs(m, node, op);
        out->without_shapes += program_wants_shapes(&m->names, op);
    }
    map_free(&threads);
}

/* The engine's call of a node has no number of its own. */
static void share_with_engine(struct making *m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = m->ops[i].parent;
        if (m->ops[i].forward != OP_NONE && parent != OP_NONE && m->ops[parent].forward == OP_NONE &&
            str_starts(m->ops[parent].name, S("autograd::engine::evaluate_function")))
            m->ops[parent].forward = m->ops[i].forward;
    }
}

static void link_forward(struct making *m, const struct program_tree *tree)
{
    int64_t *sequences = arena_array(&m->scratch, tree->count, sizeof *sequences);
    bool any = false;
    for (uint32_t i = 0; i < tree->count; i++) {
        sequences[i] = m->from->nodes[m->kept[tree->entry_of[i]]].sequence;
        any |= sequences[i] >= 0;
    }
    if (any)
        program_forward_by_sequence(m->ops, tree->count, sequences);
    else
        program_forward_by_name(m->ops, tree->count);
    share_with_engine(m, tree->count);
}

/* ---- collectives ---- */

/* The first text among the arguments that names a kind; before schema 1.1.0 there is nothing else. */
static enum collective_kind named_kind(const struct making *m, const struct execution_node *node)
{
    struct arena scratch = {0};
    struct text_list values;
    enum collective_kind kind = COLLECTIVE_OTHER;
    if (text_list_parse(node->inputs.values, &scratch, &values))
        for (uint32_t i = 0; i < values.count && kind == COLLECTIVE_OTHER; i++)
            kind = collective_kind_of_name(values.at[i]);
    arena_free(&scratch);
    return kind;
}

static bool is_collective(const struct execution_node *node)
{
    return node->collective != EXECUTION_NONE || str_eq(node->name, S("record_param_comms"));
}

/* Of a dry run, by its members. */
static uint32_t group_of(struct program *out, struct collective_group *groups, str members)
{
    for (uint32_t i = 1; i < out->group_count; i++)
        if (str_eq(groups[i].members, members))
            return i;
    groups[out->group_count] =
        (struct collective_group){.name = members, .members = members, .size = collective_members(members)};
    return out->group_count++;
}

static struct collective collective_of_node(const struct making *m, const struct execution_node *node, uint32_t op)
{
    const struct message message = message_of_shapes(node->inputs.dims, node->inputs.types, ALL_ARGUMENTS);
    struct collective c = {.dur_ns = -1,
                           .seq = -1,
                           .in_elements = message.elements,
                           .out_elements = -1,
                           .source = -1,
                           .destination = -1,
                           .row = op,
                           .step = STEP_NONE,
                           .element_bytes = message.element_bytes};
    if (node->collective == EXECUTION_NONE) {
        c.kind = (uint8_t)named_kind(m, node);
        return c;
    }
    const struct execution_collective *said = &m->from->collectives[node->collective];
    c.kind = (uint8_t)collective_kind_of_name(said->kind);
    c.in_elements = said->in_elements;
    c.out_elements = said->out_elements;
    if (said->members.len) {
        c.element_bytes = 1;
        c.work = said->work;
        c.apart = said->apart;
    }
    return c;
}

static void make_collectives(struct making *m, const struct program_tree *tree, struct program *out)
{
    struct collective_group *groups = arena_array(m->arena, m->from->collective_count + 1, sizeof *groups);
    struct collective *at = arena_array(m->arena, tree->count, sizeof *at);
    groups[0].name = S("");
    out->group_count = 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct execution_node *node = &m->from->nodes[m->kept[tree->entry_of[i]]];
        if (!is_collective(node))
            continue;
        at[out->collective_count] = collective_of_node(m, node, i);
        if (node->collective != EXECUTION_NONE && m->from->collectives[node->collective].members.len)
            at[out->collective_count].group = group_of(out, groups, m->from->collectives[node->collective].members);
        out->collective_count += at[out->collective_count].kind != COLLECTIVE_OTHER; /* "wait" is none */
    }
    out->groups = groups;
    out->collectives = at;
}

static void take_marks(const struct making *m, struct program *out)
{
    struct execution_mark *at = arena_array(m->arena, m->from->mark_count, sizeof *at);
    for (uint32_t i = 0; i < m->from->mark_count; i++)
        if (m->from->marks[i].id >= m->step->first && m->from->marks[i].id < m->step->end)
            at[out->mark_count++] = m->from->marks[i];
    out->marks = at;
}

/* ---- all of it ---- */

/* The thread of the first operator: others begin to work when that one tells them to. */
static int64_t main_thread(const struct making *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (!m->label[i])
            return m->from->nodes[m->kept[i]].thread;
    return m->count ? m->from->nodes[m->kept[0]].thread : 0;
}

static struct making begin(const struct execution *from, const struct execution_step *step, struct arena *arena)
{
    struct making m = {.from = from, .step = step, .arena = arena};
    m.kept = arena_array(&m.scratch, from->count, sizeof *m.kept);
    m.entry = arena_array(&m.scratch, from->count, sizeof *m.entry);
    m.over_mode = making_find_modes(&m);
    m.gone = arena_array(&m.scratch, from->count, sizeof *m.gone);
    m.parent = arena_array(&m.scratch, from->count, sizeof *m.parent);
    m.key = arena_array(&m.scratch, from->count, sizeof *m.key);
    m.label = arena_array(&m.scratch, from->count, sizeof *m.label);
    m.label_around = arena_array(&m.scratch, from->count, sizeof *m.label_around);
    return m;
}

struct program program_of_nodes(const struct execution *from, const struct execution_step *step, struct arena *arena)
{
    struct program out = {.source = PROGRAM_EXECUTION,
                          .rank = -1,
                          .world_size = -1,
                          .wall_ns = -1,
                          .active_ns = -1,
                          .step = step->number,
                          .path = from->path,
                          .device = S("")};
    struct making m = begin(from, step, arena);
    find_entries(&m);
    m.main_thread = main_thread(&m);
    hang_threads(&m);
    const struct program_tree tree = program_tree_of(m.parent, m.key, m.count, &m.scratch);
    m.ops = arena_array(arena, tree.count, sizeof *m.ops);
    m.tensors = arena_array(arena, from->tensor_count, sizeof *m.tensors);
    m.tensor_bytes = arena_array(arena, from->tensor_count, sizeof *m.tensor_bytes);
    m.tensor_count = &out.tensor_count;
    make_ops(&m, &tree, &out);
    link_forward(&m, &tree);
    making_host_work(&m, &tree);
    making_copies(&m, &tree, &out);
    make_collectives(&m, &tree, &out);
    take_marks(&m, &out);
    out.ops = m.ops;
    out.count = tree.count;
    out.tensors = m.tensors;
    out.tensor_bytes = m.tensor_bytes;
    program_names_free(&m.names);
    arena_free(&m.scratch);
    return out;
}

struct program program_of_execution(const struct execution *from, struct arena *arena)
{
    const struct execution_step step = execution_last_step(from);
    return program_of_nodes(from, &step, arena);
}
