/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event as a reader hands it over, and the words for its parts. A reader
 * fills a struct event and calls trace_add: an event is a transaction, it is in
 * the trace whole or not at all.
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* What an event is. Kinds of the host first, then those of a device. */
enum event_kind {
    EVENT_OPERATOR,   /* cpu_op: aten::mm, autograd::engine::..., c10d::... */
    EVENT_RUNTIME,    /* a call into the device's runtime or driver: cudaLaunchKernel, hipMemcpy, cuLaunchKernel */
    EVENT_ANNOTATION, /* user_annotation: ProfilerStep#3, Optimizer.step#SGD.step, gloo:all_reduce */
    EVENT_PYTHON,     /* python_function: a frame, a builtin, an nn.Module call */
    EVENT_OVERHEAD,   /* the profiler's own work */
    EVENT_INSTANT,    /* a point in time: [memory], marks */
    EVENT_OTHER,      /* a category that says nothing about the kind */
    EVENT_KERNEL,     /* device work that is not a copy or memset, communication kernels too */
    EVENT_COPY,       /* gpu_memcpy */
    EVENT_MEMSET,     /* gpu_memset */
    EVENT_SYNC,       /* cuda_sync: a wait drawn on a device lane; never device work */
    EVENT_DEVICE_ANNOTATION, /* gpu_user_annotation: the shadow of an annotation; never device work */
    EVENT_KINDS,
};

static inline bool event_on_device(enum event_kind kind)
{
    return kind >= EVENT_KERNEL;
}

/* Occupies the device: kernels, copies, memsets. */
static inline bool event_is_device_work(enum event_kind kind)
{
    return kind == EVENT_KERNEL || kind == EVENT_COPY || kind == EVENT_MEMSET;
}

/*
 * Events of one nest on one lane form a tree by time. Kinds that overlap
 * partially in real traces (annotations and Python frames do, in every trace
 * with stacks) never share a nest.
 */
enum nest {
    NEST_CALLS,      /* operators and runtime calls */
    NEST_ANNOTATION, /* annotations */
    NEST_PYTHON,     /* Python frames */
    NEST_ASIDE,      /* overhead, instants, others: kept in order, no tree */
    NEST_WORK,       /* device work of a stream: kept in order, no tree */
    NEST_SYNC,       /* synchronisation rows of a stream */
    NEST_DEVICE_ANNOTATION,
    NESTS,
};

static inline enum nest event_nest(enum event_kind kind)
{
    static const uint8_t nest_of[EVENT_KINDS] = {
        [EVENT_OPERATOR] = NEST_CALLS,
        [EVENT_RUNTIME] = NEST_CALLS,
        [EVENT_ANNOTATION] = NEST_ANNOTATION,
        [EVENT_PYTHON] = NEST_PYTHON,
        [EVENT_OVERHEAD] = NEST_ASIDE,
        [EVENT_INSTANT] = NEST_ASIDE,
        [EVENT_OTHER] = NEST_ASIDE,
        [EVENT_KERNEL] = NEST_WORK,
        [EVENT_COPY] = NEST_WORK,
        [EVENT_MEMSET] = NEST_WORK,
        [EVENT_SYNC] = NEST_SYNC,
        [EVENT_DEVICE_ANNOTATION] = NEST_DEVICE_ANNOTATION,
    };
    return (enum nest)nest_of[kind];
}

/*
 * What an event may carry beside its time, name and place. An attribute is an
 * int64: a number, or the id of an interned text where marked (text). Few events
 * carry many; the trace keeps each attribute as a sparse column.
 */
enum attr {
    ATTR_CORRELATION,      /* joins a runtime call with the device work it launched */
    ATTR_EXTERNAL_ID,      /* joins device work and runtime calls with the operator; an operator's own id */
    ATTR_SEQUENCE,         /* autograd sequence number, shared by a forward operator and its backward */
    ATTR_FORWARD_THREAD,   /* Fwd thread id: not 0 on backward operators */
    ATTR_INPUT_DIMS,       /* (text) raw JSON, "[[64, 3, 7, 7], []]" */
    ATTR_INPUT_STRIDES,    /* (text) raw JSON; 0 in a dimension that is expanded */
    ATTR_INPUT_TYPES,      /* (text) raw JSON */
    ATTR_CONCRETE_INPUTS,  /* (text) raw JSON */
    ATTR_CALL_STACK,       /* (text) "file(line): func;..." of older traces */
    ATTR_MODULE,           /* (text) Module Hierarchy */
    ATTR_CALL_FROM,        /* (text) "train.py:78": the exact line of the call */
    ATTR_BYTES,            /* of a copy or memset; of an allocation (negative: freed) */
    ATTR_TOTAL_ALLOCATED,  /* bytes after an allocation */
    ATTR_TOTAL_RESERVED,   /* bytes that the allocator then has of the device */
    ATTR_ADDRESS,          /* of an allocation */
    ATTR_MEMORY_DEVICE,    /* of an allocation: Device Id; of the host -1 */
    ATTR_MEMORY_KIND,      /* of an allocation: Device Type, 0 is the host */
    ATTR_GRID,             /* (text) raw JSON */
    ATTR_BLOCK,            /* (text) raw JSON */
    ATTR_REGISTERS,        /* a thread */
    ATTR_SHARED_MEMORY,    /* bytes a block */
    ATTR_BLOCKS_PER_SM,    /* thousandths */
    ATTR_WARPS_PER_SM,     /* thousandths */
    ATTR_OCCUPANCY,        /* estimated achieved occupancy, percent */
    ATTR_SYNC_KIND,        /* (text) cuda_sync_kind */
    ATTR_WAIT_STREAM,      /* wait_on_stream */
    ATTR_WAIT_CORRELATION, /* wait_on_cuda_event_record_corr_id */
    ATTR_COLLECTIVE,       /* (text) Collective name: allreduce, all_to_allv */
    ATTR_IN_ELEMENTS,      /* In msg nelems */
    ATTR_OUT_ELEMENTS,     /* Out msg nelems */
    ATTR_DTYPE,            /* (text) of a collective */
    ATTR_GROUP_SIZE,
    ATTR_GROUP_NAME,       /* (text) Process Group Name */
    ATTR_GROUP_RANKS,      /* (text) Process Group Ranks */
    ATTR_COLLECTIVE_SEQ,   /* Seq: the same on every rank of the group */
    ATTR_SOURCE_RANK,      /* Src Rank: of a message between two, rank of the job */
    ATTR_DESTINATION_RANK, /* Dst Rank */
    ATTR_FLOPS,            /* as the profiler counted */
    ATTR_CATEGORY, /* (text) the recorded category, where it is not the usual one of the kind ("Kernel" of 2020) */
    ATTR_STREAM,   /* of a host row that names a stream; device rows have it as their lane */
    ATTRS,
};

/* Its values are ids of interned texts. */
static inline bool attr_is_text(enum attr attr)
{
    static const bool texts[ATTRS] = {
        [ATTR_INPUT_DIMS] = true, [ATTR_INPUT_STRIDES] = true, [ATTR_INPUT_TYPES] = true, [ATTR_CONCRETE_INPUTS] = true,
        [ATTR_CALL_STACK] = true, [ATTR_MODULE] = true,        [ATTR_CALL_FROM] = true,   [ATTR_GRID] = true,
        [ATTR_BLOCK] = true,      [ATTR_SYNC_KIND] = true,     [ATTR_COLLECTIVE] = true,  [ATTR_DTYPE] = true,
        [ATTR_GROUP_NAME] = true, [ATTR_GROUP_RANKS] = true,   [ATTR_CATEGORY] = true,
    };
    return texts[attr];
}

/*
 * Times that a trace can hold: |start_ns| and dur_ns stay below this, so that no
 * sum or difference of two of them overflows. 2^61 ns is the year 2043; a reader
 * drops events beyond it.
 */
#define EVENT_TIME_LIMIT ((int64_t)1 << 61)

struct event {
    int64_t start_ns, dur_ns; /* as recorded, within EVENT_TIME_LIMIT; dur_ns >= 0 */
    uint32_t name;            /* interned */
    uint32_t lane;            /* from trace_lane */
    enum event_kind kind;
    uint64_t has; /* bit a: attr[a] is set */
    int64_t attr[ATTRS];
};

_Static_assert(ATTRS <= 64, "struct event keeps one bit an attribute");

static inline void event_set(struct event *event, enum attr attr, int64_t value)
{
    event->attr[attr] = value;
    event->has |= (uint64_t)1 << attr;
}

/* One end of a flow arrow. Ends of one arrow share their id. */
enum flow_kind {
    FLOW_LAUNCH,   /* ac2g, async_cpu_to_gpu, async_gpu: launch to device work */
    FLOW_BACKWARD, /* fwdbwd: forward operator to its backward */
    FLOW_OTHER,
};

struct flow {
    int64_t id, time_ns;
    uint32_t lane;
    uint8_t kind;
    bool finish; /* ph "f" or "t"; otherwise the start, ph "s" */
};

#endif
