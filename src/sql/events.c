/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the tables of events. */
#include "get.h"

/* What all of them begin with. */
#define COMMON \
    {"rank", "INTEGER", "", "rank of the trace in its job", get_rank, ROLE_RANK, 0, false}, \
        {"event",  "INTEGER", "", "number of the event in its trace, as every command tells it", \
         get_item, ROLE_ITEM, 0,  false}, \
        {"name", "TEXT", "", "its name as recorded", get_name, ROLE_FEW, 0, false}, \
        {"lane", "INTEGER", "", "the thread or stream it lies on: lanes.lane", get_lane, ROLE_FEW, 0, false}, \
        {"start_ns", "INTEGER", "ns", "from the start of the trace", get_start, ROLE_START, 0, false}, \
        {"dur_ns", "INTEGER", "ns", "its length", get_dur, 0, 0, false}, \
        {"end_ns", "INTEGER", "ns", "start_ns + dur_ns", get_end, 0, 0, false}, \
    { \
        "step", "INTEGER", "", "number of the step it starts in; device work: of its launch; null: of none", get_step, \
            ROLE_FEW, 0, false \
    }

#define ATTRIBUTE(name, type, unit, about, attr) \
    { \
        name, type, unit, about, get_attr, 0, attr, false \
    }

/* What lies around an event of the host. */
#define FRAME_AROUND \
    { \
        "frame", "INTEGER", "", "the innermost Python frame around it: stacks.event", get_frame, 0, 0, false \
    }

#define OF_HOST \
    {"operator", "INTEGER", "", "the innermost operator around it: operators.event", get_operator, 0, 0, false}, \
        FRAME_AROUND

static struct cell get_launch_delay(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const uint32_t cause = part->trace->cause[row];
    return cell_int_if(cause != ROW_NONE,
                       part->trace->start_ns[row] - part->trace->start_ns[cause == ROW_NONE ? row : cause]);
}

static struct cell get_forward(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return get_row_or_null(trace_forward(part->trace, row));
}

/* ---- stacks ---- */

enum { STACK_MOST = 256 }; /* frames of a text; of a deeper one the innermost */

static struct cell get_depth(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    int64_t depth = 0;
    for (uint32_t at = part->trace->parent[row]; at != ROW_NONE; at = part->trace->parent[at])
        depth++;
    return cell_int(depth);
}

static struct cell get_stack(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    uint32_t frames[STACK_MOST], count = 0;
    size_t bytes = 0;
    for (uint32_t at = row; at != ROW_NONE && count < STACK_MOST; at = part->trace->parent[at]) {
        frames[count++] = at;
        bytes += trace_name(part->trace, at).len + 1;
    }
    char *text = arena_alloc(part->scratch, bytes), *end = text;
    for (uint32_t i = count; i--;) {
        const str name = trace_name(part->trace, frames[i]);
        if (end > text)
            *end++ = ';';
        memcpy(end, name.at, name.len);
        end += name.len;
    }
    return cell_text((str){text, (size_t)(end - text)});
}

/* ---- flows ---- */

static struct cell get_flow_kind(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_text(event_on_device((enum event_kind)part->trace->kind[row]) ? S("launch") : S("backward"));
}

static struct cell get_flow_from(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const struct trace *trace = part->trace;
    return get_row_or_null(event_on_device((enum event_kind)trace->kind[row]) ? trace->cause[row]
                                                                              : trace_forward(trace, row));
}

/* ---- tables ---- */

const struct sql_column sql_event_columns[] = {
    COMMON,
    {"kind", "TEXT", "",
     "operator, runtime, annotation, python, overhead, instant, other, kernel, copy, memset, sync, device_annotation",
     get_kind, ROLE_FEW, 0, false},
    {"parent", "INTEGER", "", "the event around it of the same kind of nest on its lane", get_parent, 0, 0, false},
    {"cause", "INTEGER", "", "of device work its launch; of a launch its first device work", get_cause, 0, 0, false},
    {"operator", "INTEGER", "", "the innermost operator around it, or around its launch", get_operator, 0, 0, false},
    {"frame", "INTEGER", "", "the innermost Python frame around it, or around its launch: stacks.event", get_frame, 0,
     0, false},
    ATTRIBUTE("correlation", "INTEGER", "", "recorded id that a launch and its work share", ATTR_CORRELATION),
    ATTRIBUTE("external_id", "INTEGER", "", "recorded id of the operator", ATTR_EXTERNAL_ID),
    ATTRIBUTE("category", "TEXT", "", "recorded category where it is not the usual one of its kind", ATTR_CATEGORY),
    {0},
};

const struct sql_column sql_operator_columns[] = {
    COMMON,
    {"parent", "INTEGER", "", "the operator or runtime call around it", get_parent, 0, 0, false},
    FRAME_AROUND,
    {"forward", "INTEGER", "", "of a backward operator the forward one", get_forward, 0, 0, false},
    ATTRIBUTE("sequence", "INTEGER", "", "autograd's sequence number", ATTR_SEQUENCE),
    ATTRIBUTE("input_dims", "TEXT", "", "shapes of its inputs, JSON", ATTR_INPUT_DIMS),
    ATTRIBUTE("input_strides", "TEXT", "", "strides of its inputs, JSON", ATTR_INPUT_STRIDES),
    ATTRIBUTE("input_types", "TEXT", "", "element types of its inputs, JSON", ATTR_INPUT_TYPES),
    ATTRIBUTE("concrete_inputs", "TEXT", "", "values of its other inputs, JSON", ATTR_CONCRETE_INPUTS),
    ATTRIBUTE("module", "TEXT", "", "Module Hierarchy", ATTR_MODULE),
    ATTRIBUTE("call_from", "TEXT", "", "line of Python that called it: train.py:78", ATTR_CALL_FROM),
    ATTRIBUTE("call_stack", "TEXT", "", "stack as older recorders write it", ATTR_CALL_STACK),
    ATTRIBUTE("flops", "INTEGER", "FLOP", "as the profiler counted", ATTR_FLOPS),
    {0},
};

#define OF_DEVICE \
    {"device", "INTEGER", "", "index of the device", get_device, 0, 0, false}, \
        {"stream", "INTEGER", "", "number of the stream", get_stream, 0, 0, false}, \
        {"launch", "INTEGER", "", "the call that launched it: calls.event", get_cause, 0, 0, false}, \
        {"launch_delay_ns", "INTEGER", "ns", "from the start of its launch to its own", get_launch_delay, 0, 0, false}, \
        {"operator", "INTEGER", "", "the operator that launched it: operators.event", get_operator, 0, 0, false}, \
        {"operator_name", "TEXT", "", "its name", get_operator_name, 0, 0, false}, \
    { \
        "frame", "INTEGER", "", "the Python frame that launched it: stacks.event", get_frame, 0, 0, false \
    }

const struct sql_column sql_kernel_columns[] = {
    COMMON,
    OF_DEVICE,
    ATTRIBUTE("grid", "TEXT", "", "blocks, JSON", ATTR_GRID),
    ATTRIBUTE("block", "TEXT", "", "threads a block, JSON", ATTR_BLOCK),
    ATTRIBUTE("registers", "INTEGER", "", "registers a thread", ATTR_REGISTERS),
    ATTRIBUTE("shared_memory_bytes", "INTEGER", "bytes", "shared memory a block", ATTR_SHARED_MEMORY),
    {"blocks_per_sm", "REAL", "", "blocks for each multiprocessor", get_thousandths, 0, ATTR_BLOCKS_PER_SM, false},
    {"warps_per_sm", "REAL", "", "warps for each multiprocessor", get_thousandths, 0, ATTR_WARPS_PER_SM, false},
    ATTRIBUTE("occupancy", "INTEGER", "percent", "estimated achieved occupancy", ATTR_OCCUPANCY),
    ATTRIBUTE("collective", "TEXT", "", "of communication: allreduce, all_to_allv", ATTR_COLLECTIVE),
    ATTRIBUTE("dtype", "TEXT", "", "of communication: element type", ATTR_DTYPE),
    ATTRIBUTE("in_elements", "INTEGER", "", "of communication: elements that go in", ATTR_IN_ELEMENTS),
    ATTRIBUTE("out_elements", "INTEGER", "", "of communication: elements that come out", ATTR_OUT_ELEMENTS),
    ATTRIBUTE("group_name", "TEXT", "", "of communication: the process group", ATTR_GROUP_NAME),
    ATTRIBUTE("group_size", "INTEGER", "", "of communication: ranks of the group", ATTR_GROUP_SIZE),
    ATTRIBUTE("collective_seq", "INTEGER", "", "of communication: the same number on all ranks of the group",
              ATTR_COLLECTIVE_SEQ),
    {0},
};

const struct sql_column sql_copy_columns[] = {
    COMMON,    {"kind", "TEXT", "", "copy or memset", get_kind, ROLE_FEW, 0, false},
    OF_DEVICE, ATTRIBUTE("bytes", "INTEGER", "bytes", "its size", ATTR_BYTES),
    {0},
};

const struct sql_column sql_call_columns[] = {
    COMMON,
    {"parent", "INTEGER", "", "the operator or call around it", get_parent, 0, 0, false},
    OF_HOST,
    {"work", "INTEGER", "", "the first device work that it launched", get_cause, 0, 0, false},
    ATTRIBUTE("correlation", "INTEGER", "", "recorded id that it shares with its work", ATTR_CORRELATION),
    {0},
};

const struct sql_column sql_annotation_columns[] = {
    COMMON,
    {"kind", "TEXT", "", "annotation, or device_annotation for its shadow on a stream", get_kind, ROLE_FEW, 0, false},
    {"parent", "INTEGER", "", "the annotation around it", get_parent, 0, 0, false},
    {0},
};

const struct sql_column sql_stack_columns[] = {
    COMMON,
    {"parent", "INTEGER", "", "the frame that called it: stacks.event", get_parent, 0, 0, false},
    {"depth", "INTEGER", "", "frames around it", get_depth, 0, 0, false},
    {"stack", "TEXT", "", "all frames from the outermost to it, ';' between them; of over 256 the innermost", get_stack,
     0, 0, true},
    {0},
};

const struct sql_column sql_memory_columns[] = {
    COMMON,
    ATTRIBUTE("bytes", "INTEGER", "bytes", "allocated; below 0: freed", ATTR_BYTES),
    ATTRIBUTE("total_bytes", "INTEGER", "bytes", "allocated in all, behind it", ATTR_TOTAL_ALLOCATED),
    OF_HOST,
    {0},
};

const struct sql_column sql_flow_columns[] = {
    {"rank", "INTEGER", "", "rank of the trace in its job", get_rank, ROLE_RANK, 0, false},
    {"to_event", "INTEGER", "", "device work, or a backward operator", get_item, ROLE_ITEM, 0, false},
    {"from_event", "INTEGER", "", "its launch, or its forward operator", get_flow_from, 0, 0, false},
    {"kind", "TEXT", "", "launch or backward", get_flow_kind, 0, 0, false},
    {0},
};
