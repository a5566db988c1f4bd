/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack machine of pickle, as far as snapshots need it. Values are a kind and a number. Containers that may still grow
 * are slots; one that is put into another is settled: it becomes a row of the log or is forgotten, and is never opened
 * again. So no value holds itself, and nothing is walked.
 */
#ifndef MEMORY_MACHINE_H
#define MEMORY_MACHINE_H

#include "snapshot.h"

enum value_kind {
    VALUE_OTHER, /* something of which nobody asks more; its number is 1 of a tuple with a number that is not 0 */
    VALUE_INT,
    VALUE_PLAIN, /* None, a truth value (number 0 or 1), a real */
    VALUE_TEXT,  /* id in log->names */
    VALUE_OPEN,  /* a slot: a list or dict */
    VALUE_FRAME,
    VALUE_STACK, /* a context: a list of frames, all of it; 0: any list without items */
    VALUE_EVENT,
    VALUE_EVENTS, /* a list of consecutive ones: see range_of */
    VALUE_BLOCK,
    VALUE_BLOCKS,
    VALUE_SEGMENT,
    VALUE_MARK,
    VALUE_OWNER,
    VALUE_KINDS, /* at most 16: the memo packs them */
};

struct value {
    int64_t number; /* of an int the int */
    uint8_t kind;
};

/* A list or dict while it grows. */
struct slot {
    uint8_t is_list, used; /* used: it stands in another container, or is a row, and must not change */
    uint8_t of;            /* enum value_kind of a list's items; VALUE_KINDS: it has none yet */
    uint8_t pinned;        /* it is named more than once */
    uint32_t memo;         /* its place in the memo; MEMORY_NONE */
    struct value is;       /* of a dict what it became; of a list {first, count} below */
    uint32_t first, count;
    struct memory_context context; /* of a list of frames */
};

struct event_range {
    uint32_t first, count;
};

struct machine {
    struct source *source;
    struct memory_log *log;
    struct steptime_error *err;
    bool failed, ended;

    /* The window: bytes at[0 .. left). */
    uint8_t *window;
    const uint8_t *at;
    size_t left;
    int64_t taken, began; /* bytes before the window's `at`; where the opcode stands */

    struct value *stack;
    size_t depth, stack_room;
    size_t *marks;
    size_t mark_count, mark_room;
    uint64_t *memo;
    size_t memo_count, memo_room;
    struct slot *slots;
    size_t slot_count, slot_room;
    uint32_t *unused; /* slots that are free again */
    size_t unused_count, unused_room;

    struct event_range *traces; /* of devices, in order */
    size_t trace_count, trace_room;
    bool is_snapshot; /* the document has members of one */
};

/* False, with the place of the opcode. */
bool refuse(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- containers (lists.c, shapes.c) ---- */

uint32_t slot_new(struct machine *m, bool is_list);

/* What a value is when it is put into a container. */
struct value settle(struct machine *m, struct value value);

bool list_add(struct machine *m, uint32_t slot, const struct value *items, size_t count);
bool dict_add(struct machine *m, uint32_t slot, const struct value *pairs, size_t count); /* keys and values */

/* A list of consecutive rows as a number. */
enum { RANGE_BITS = 29, MOST_ROWS = (1 << RANGE_BITS) - 1, MOST_DEVICES = 1024 };
static inline int64_t range_pack(uint32_t first, uint32_t count)
{
    return (int64_t)((uint64_t)first << RANGE_BITS | count);
}
static inline uint32_t range_first(int64_t range)
{
    return (uint32_t)((uint64_t)range >> RANGE_BITS);
}
static inline uint32_t range_count(int64_t range)
{
    return (uint32_t)(range & ((1 << RANGE_BITS) - 1));
}

/* Interns the keys, so that their ids are those of shapes.c: before anything else. */
void shapes_begin(struct machine *m);
bool shape_is_traces(struct value key); /* the key of the histories, a list a device */

/* ---- whose an entry is (devices.c) ---- */

/* After the run. Where the file breaks off: in the history of which device; else MEMORY_NONE. */
uint32_t devices_take(struct machine *m);

/* ---- the run (machine.c) ---- */

/* Up to STOP. False: refused (failed), or the file ends before (ended). */
bool machine_run(struct machine *m);
void machine_free(struct machine *m);

#endif
