/* SPDX-License-Identifier: Apache-2.0 */
/* Communication kernels, with what the operators and annotations around their launch say of them. */
#include "base/mem.h"
#include "base/sort.h"
#include "collective_table.h"
#include "message.h"

enum { MOST_OPERATORS = 8 }; /* looked at around a launch, from the inside */

/* What stands around a kernel. */
struct around {
    const struct trace *trace;
    uint32_t kernel;
    uint32_t annotation;                /* nccl:all_reduce, or whatever is innermost at the launch; ROW_NONE */
    uint32_t operators[MOST_OPERATORS]; /* from the inside */
    uint32_t operator_count;
};

static struct around around_of(const struct trace *trace, uint32_t kernel)
{
    struct around around = {.trace = trace, .kernel = kernel, .annotation = ROW_NONE};
    const uint32_t launch = trace->cause[kernel];
    if (launch == ROW_NONE)
        return around;
    around.annotation = trace_open_at(trace, trace->lane[launch], NEST_ANNOTATION, trace->start_ns[launch]);
    for (uint32_t row = trace_operator(trace, kernel); row != ROW_NONE && around.operator_count < MOST_OPERATORS;
         row = trace->parent[row])
        if (trace->kind[row] == EVENT_OPERATOR)
            around.operators[around.operator_count++] = row;
    return around;
}

/* The attribute of the kernel, else of the nearest operator that has it. */
static int64_t find_attr(const struct around *around, enum attr attr, int64_t otherwise)
{
    int64_t value;
    if (trace_attr(around->trace, around->kernel, attr, &value))
        return value;
    for (uint32_t i = 0; i < around->operator_count; i++)
        if (trace_attr(around->trace, around->operators[i], attr, &value))
            return value;
    return otherwise;
}

static str find_text(const struct around *around, enum attr attr)
{
    return trace_text(around->trace, (uint32_t)find_attr(around, attr, 0));
}

/* ---- what it is ---- */

static enum collective_kind kind_of_row(const struct trace *trace, uint32_t row)
{
    return row == ROW_NONE ? COLLECTIVE_OTHER : collective_kind_of_name(trace_name(trace, row));
}

/* ncclDevKernel_SendRecv serves all-to-alls too, and ncclDevKernel_Generic all of them: such names decide last. */
static enum collective_kind kind_of(const struct around *around)
{
    enum collective_kind kind = collective_kind_of_name(find_text(around, ATTR_COLLECTIVE));
    if (kind == COLLECTIVE_OTHER)
        kind = kind_of_row(around->trace, around->annotation);
    if (kind != COLLECTIVE_OTHER)
        return kind;
    const enum collective_kind own = kind_of_row(around->trace, around->kernel);
    if (own != COLLECTIVE_OTHER && own != COLLECTIVE_POINT_TO_POINT)
        return own;
    for (uint32_t i = 0; i < around->operator_count && kind == COLLECTIVE_OTHER; i++)
        kind = kind_of_row(around->trace, around->operators[i]);
    return kind == COLLECTIVE_OTHER ? own : kind;
}

/* ---- how much it moves ---- */

static bool elements_from(const struct trace *trace, uint32_t row, int argument, struct collective *into)
{
    const struct message message = message_of_shapes(trace_attr_text(trace, row, ATTR_INPUT_DIMS),
                                                     trace_attr_text(trace, row, ATTR_INPUT_TYPES), argument);
    into->in_elements = message.elements;
    into->element_bytes = message.element_bytes;
    return message.elements >= 0;
}

/* The annotation is given the input; of operators, record_param_comms and most others have it first. */
static void elements_from_shapes(const struct around *around, struct collective *into)
{
    const uint32_t annotation = around->annotation;
    if (annotation != ROW_NONE && kind_of_row(around->trace, annotation) != COLLECTIVE_OTHER &&
        elements_from(around->trace, annotation, ALL_ARGUMENTS, into))
        return;
    for (uint32_t i = 0; i < around->operator_count; i++)
        if (elements_from(around->trace, around->operators[i], 0, into))
            return;
}

static void elements_of(const struct around *around, struct collective *into)
{
    into->in_elements = find_attr(around, ATTR_IN_ELEMENTS, -1);
    into->out_elements = find_attr(around, ATTR_OUT_ELEMENTS, -1);
    into->element_bytes = scalar_type_bytes(find_text(around, ATTR_DTYPE));
    if (into->in_elements < 0 && into->out_elements < 0)
        elements_from_shapes(around, into);
}

static uint32_t call_of(const struct around *around)
{
    for (uint32_t i = 0; i < around->operator_count; i++)
        if (str_starts(trace_name(around->trace, around->operators[i]), S("c10d::")))
            return around->operators[i];
    return ROW_NONE;
}

static void set_peers(const struct around *around, struct collective *into)
{
    const struct peer_rows rows = {.source = find_attr(around, ATTR_SOURCE_RANK, -1),
                                   .destination = find_attr(around, ATTR_DESTINATION_RANK, -1),
                                   .collective = find_text(around, ATTR_COLLECTIVE),
                                   .group_ranks = find_text(around, ATTR_GROUP_RANKS),
                                   .annotation = around->annotation,
                                   .call = call_of(around)};
    collective_set_peers(around->trace, &rows, into);
}

static struct collective *add_one(struct collective_table *table, uint32_t kernel, const struct around *around)
{
    struct collective *new = collective_table_add(table, kernel, kind_of(around));
    new->seq = find_attr(around, ATTR_COLLECTIVE_SEQ, -1);
    new->group =
        collective_table_group(table, (uint32_t)find_attr(around, ATTR_GROUP_NAME, 0),
                               (uint32_t)find_attr(around, ATTR_GROUP_RANKS, 0), find_attr(around, ATTR_GROUP_SIZE, 0));
    elements_of(around, new);
    set_peers(around, new);
    return new;
}

/* ---- several calls that one kernel carries out ---- */

/* The kernels of such groups by the time of their launch, and which calls have a kernel already. */
struct groups {
    struct keyed *kernels;
    size_t count, room;
    uint8_t *taken; /* by row */
};

static bool is_group(const struct around *around)
{
    return around->annotation != ROW_NONE && str_eq(trace_name(around->trace, around->annotation), S("nccl:coalesced"));
}

static bool is_call(const struct trace *trace, uint32_t row)
{
    return trace->kind[row] == EVENT_OPERATOR && str_eq(trace_name(trace, row), S("record_param_comms"));
}

static void note_taken(const struct around *around, struct groups *groups)
{
    for (uint32_t i = 0; i < around->operator_count; i++)
        groups->taken[around->operators[i]] = 1;
}

/* The call as if it had launched the kernel. */
static struct around around_call(const struct trace *trace, uint32_t call)
{
    struct around around = {.trace = trace, .kernel = call, .annotation = ROW_NONE};
    for (uint32_t row = call; row != ROW_NONE && around.operator_count < MOST_OPERATORS; row = trace->parent[row])
        around.operators[around.operator_count++] = row;
    return around;
}

/* The calls of the thread between the kernel before and this one. Returns how many there are. */
static uint32_t add_calls(struct collective_table *table, uint32_t kernel, const struct groups *groups)
{
    const struct trace *trace = table->trace;
    const struct around own = around_of(trace, kernel);
    const struct rows rows = trace_rows(trace, trace->lane[own.annotation], NEST_CALLS);
    uint32_t found = 0;
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[own.annotation]); i-- > 0;) {
        if (!is_call(trace, rows.at[i]))
            continue;
        if (groups->taken[rows.at[i]])
            break;
        groups->taken[rows.at[i]] = 1;
        const struct around around = around_call(trace, rows.at[i]);
        if (kind_of(&around) == COLLECTIVE_OTHER)
            continue;
        add_one(table, kernel, &around);
        found++;
    }
    return found;
}

static void add_groups(struct collective_table *table, struct groups *groups)
{
    sort_keyed(groups->kernels, groups->count);
    for (size_t i = 0; i < groups->count; i++) {
        const uint32_t kernel = groups->kernels[i].row;
        const struct around around = around_of(table->trace, kernel);
        if (!add_calls(table, kernel, groups))
            add_one(table, kernel, &around);
    }
}

/* ---- all kernels ---- */

static void add_kernel(struct collective_table *table, uint32_t kernel, struct groups *groups)
{
    const struct trace *trace = table->trace;
    const struct around around = around_of(trace, kernel);
    if (!is_group(&around)) {
        add_one(table, kernel, &around);
        note_taken(&around, groups);
        return;
    }
    groups->kernels = mem_grow(groups->kernels, &groups->room, groups->count + 1, sizeof *groups->kernels);
    groups->kernels[groups->count++] = (struct keyed){trace->start_ns[trace->cause[kernel]], kernel};
}

void collective_table_add_kernels(struct collective_table *table)
{
    const struct trace *trace = table->trace;
    struct groups groups = {.taken = mem_zeroed(trace->count)};
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_KERNEL && work_class(table->classes, row) == WORK_COMMUNICATION)
            add_kernel(table, row, &groups);
    add_groups(table, &groups);
    mem_free(groups.kernels);
    mem_free(groups.taken);
}
