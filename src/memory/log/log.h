/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an allocator of device memory did, however it was recorded: events in order of time, the contexts that they came
 * from, and the segments and blocks that there were at the end. A snapshot of PyTorch fills one (memory/snapshot), and so
 * does a trace with profile_memory (memory/traced). Knows neither.
 */
#ifndef MEMORY_LOG_H
#define MEMORY_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"

enum { MEMORY_NONE = UINT32_MAX };

/* Of a stream that is not told, or of one more than have a number of their own. */
enum { MEMORY_ANY_STREAM = UINT8_MAX };

/* A size or a sum of sizes that is more is no size. */
#define MEMORY_MOST_BYTES ((int64_t)1 << 48)

enum memory_action {
    MEMORY_ALLOC,
    MEMORY_FREE,      /* asked for: the tensor is gone */
    MEMORY_FREED,     /* done: no stream uses it any longer */
    MEMORY_SEGMENT,   /* taken from the device */
    MEMORY_UNSEGMENT, /* given back */
    MEMORY_MAP,       /* the same of a segment that grows */
    MEMORY_UNMAP,
    MEMORY_OOM,
    MEMORY_OTHER, /* a snapshot was taken, and what later versions add */
};

struct memory_event {
    int64_t address; /* of MEMORY_OOM: bytes that the device still had */
    int64_t bytes;   /* as asked for */
    int64_t time_ns; /* -1: not recorded */
    uint32_t context;
    uint16_t device; /* index in log->devices */
    uint8_t action;
    uint8_t stream; /* of memory_log_stream; MEMORY_ANY_STREAM */
};

enum memory_frame_flag {
    FRAME_OF_PYTHON = 1,
    FRAME_OF_USER = 2,       /* Python, and of no installed package */
    FRAME_OF_TORCH = 4,      /* Python of PyTorch itself */
    FRAME_IN_BACKWARD = 8,   /* autograd's engine, or who calls it */
    FRAME_IN_OPTIMIZER = 16, /* a step of an optimizer */
    FRAME_IN_FORWARD = 32,   /* a call of a module */
    FRAME_MOVES_MODULE = 64, /* Module.to and the like, and where modules make their parameters */
    FRAME_OF_NODE = 128,     /* a node of autograd: its text is the node's name */
};

struct memory_frame {
    uint32_t name, file; /* interned */
    int64_t line;
    uint32_t node; /* interned, of FRAME_OF_NODE; else 0 */
    uint16_t flags;
};

/* From where: what of a stack of frames anybody asks for. 0 is the context of which nothing is recorded. */
struct memory_context {
    uint32_t user;   /* frame: the innermost line of the user's own; MEMORY_NONE */
    uint32_t inner;  /* frame: the innermost Python line that is not PyTorch's; MEMORY_NONE */
    uint32_t node;   /* interned: the innermost node of autograd; 0 */
    uint16_t flags;  /* of all its frames together */
    bool recorded;   /* it has frames */
    bool of_forward; /* user and inner are where the forward operator was called whose backward this is */
};

enum memory_state { MEMORY_ACTIVE, MEMORY_AWAITING, MEMORY_INACTIVE };

/* Of the end. Blocks of a segment lie side by side. */
struct memory_block {
    int64_t address, bytes, requested;
    uint32_t context;
    uint8_t state; /* enum memory_state */
};

struct memory_segment {
    int64_t address, bytes;
    uint32_t first_block, blocks;
    uint16_t device;
    uint8_t stream;             /* of memory_log_stream; MEMORY_ANY_STREAM */
    bool small, grows, private; /* of small blocks; expandable; of a pool of its own, as those of CUDA graphs */
};

enum memory_role { MEMORY_NO_ROLE, MEMORY_PARAMETER, MEMORY_OPTIMIZER, MEMORY_GRADIENT };

/* What the program itself said of a piece, at the end ('steptime record --memory' notes it). */
struct memory_owner {
    int64_t address;
    uint32_t name; /* interned: "Linear.weight" */
    uint8_t role;
};

/* A range of the program with a name. */
struct memory_mark {
    uint32_t name;
    int64_t time_ns;
    bool end;
};

/* Of the program, where whoever recorded it tells steps. */
struct memory_log_step {
    int64_t number, start_ns, end_ns;
};

struct memory_log {
    struct intern *names;
    struct memory_event *events;
    size_t event_count, event_room;
    struct memory_frame *frames;
    size_t frame_count, frame_room;
    struct memory_context *contexts;
    size_t context_count, context_room;
    struct memory_segment *segments;
    size_t segment_count, segment_room;
    struct memory_block *blocks;
    size_t block_count, block_room;
    struct memory_mark *marks;
    size_t mark_count, mark_room;
    struct memory_owner *owners;
    size_t owner_count, owner_room;
    struct map context_ids; /* by hash */
    struct map stream_ids;
    uint32_t streams;
    const struct memory_log_step *steps; /* in `arena`, in order of time; marks may tell them, too */
    uint32_t step_count;
    str steps_told_by; /* in words */

    uint32_t devices;    /* how many; events name them by index */
    int64_t *device_id;  /* by index, in `arena`; below 0: the host */
    int64_t *held_begin; /* by index: bytes before the first event, of which some may have no entry; NULL: not told */
    bool *begin_partial; /* by index: more than held_begin may have lived then; NULL: of none */
    int64_t *reserved_begin; /* the same of what was taken from the device; NULL: follows from the segments */
    size_t *event_begin, *segment_begin; /* by index, with one more at the end: see memory_log_by_device */
    struct arena *arena;

    bool has_segments; /* the state at the end is told: of a snapshot */
    bool asked_sizes;  /* bytes are as asked for, before the allocator rounds them: of a snapshot */
    bool cut;          /* the end is missing */
    bool first_lines;  /* some lines are those in which functions begin: of a trace */
    uint64_t texts_cut;
};

struct memory_log memory_log_new(struct arena *arena);
void memory_log_free(struct memory_log *log);

/* The flags follow from name and file. */
uint32_t memory_log_frame(struct memory_log *log, uint32_t name, uint32_t file, int64_t line);
uint32_t memory_log_context(struct memory_log *log, struct memory_context context); /* found or added */

/* Adds frames, innermost first, to what a context says; those it has are further in. */
void memory_context_add(const struct memory_log *log, struct memory_context *context, uint32_t frame);

static inline struct memory_context memory_context_empty(void)
{
    return (struct memory_context){.user = MEMORY_NONE, .inner = MEMORY_NONE};
}

struct memory_event *memory_log_event(struct memory_log *log);       /* zeroed, at the end */
struct memory_segment *memory_log_segment(struct memory_log *log);   /* zeroed, at the end */
struct memory_block *memory_log_block(struct memory_log *log);       /* zeroed, at the end */
void memory_log_mark(struct memory_log *log, struct memory_mark of); /* at the end */
void memory_log_owner(struct memory_log *log, struct memory_owner of);

uint8_t memory_log_stream(struct memory_log *log, int64_t stream); /* its number; MEMORY_ANY_STREAM of the 256th on */

/* Once all is there: those of a device stand side by side, in the order they had. No index into them may be kept over it. */
void memory_log_by_device(struct memory_log *log);

/* "model.py:12 forward"; "" of MEMORY_NONE. In the arena. */
str memory_frame_words(const struct memory_log *log, uint32_t frame, struct arena *arena);

#endif
