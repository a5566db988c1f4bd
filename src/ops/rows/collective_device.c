/* SPDX-License-Identifier: Apache-2.0 */
/* Communication kernels, with what the operators and annotations around their launch say of them. */
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

static void add_kernel(struct collective_table *table, uint32_t kernel)
{
    const struct around around = around_of(table->trace, kernel);
    struct collective *new = collective_table_add(table, kernel, kind_of(&around));
    new->seq = find_attr(&around, ATTR_COLLECTIVE_SEQ, -1);
    new->group = collective_table_group(table, (uint32_t)find_attr(&around, ATTR_GROUP_NAME, 0),
                                        (uint32_t)find_attr(&around, ATTR_GROUP_RANKS, 0),
                                        find_attr(&around, ATTR_GROUP_SIZE, 0));
    elements_of(&around, new);
}

void collective_table_add_kernels(struct collective_table *table)
{
    const struct trace *trace = table->trace;
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_KERNEL && work_class(table->classes, row) == WORK_COMMUNICATION)
            add_kernel(table, row);
}
