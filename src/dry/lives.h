/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When each storage of a dry run was made and died, as its table of memory says (python/dry/memory.py): storages, and the events
 * of their lives in the order in which they happened. Calls of modules are among them: what is made within one is its own.
 */
#ifndef DRY_LIVES_H
#define DRY_LIVES_H

#include "base/arena.h"
#include "base/str.h"

enum dry_memory_kind {
    DRY_PARAMETERS,
    DRY_BUFFERS,
    DRY_GRADIENTS,
    DRY_OPTIMIZER,
    DRY_ACTIVATIONS,   /* made before backward() and none of the others */
    DRY_BACKWARD,      /* the same, made in backward() */
    DRY_COMMUNICATION, /* sent, received, or gathered from other ranks and none of the first four */
    DRY_OTHERS,
    DRY_MEMORY_KINDS,
};

const char *dry_memory_word(enum dry_memory_kind kind); /* "parameters" */

struct dry_storage {
    int64_t bytes; /* as asked for, not rounded */
    str place;     /* the line that made it */
    enum dry_memory_kind kind;
};

enum dry_life { LIFE_MADE, LIFE_DIED, LIFE_STEP_ENDED, LIFE_CALLED, LIFE_RETURNED };

struct dry_event {
    enum dry_life what;
    uint32_t of; /* index of a storage; of a call */
};

/* A call of a module before backward(). */
struct dry_call {
    str name;                /* the module's class: "GPT2Block" */
    uint32_t parent;         /* the call that it was made in; LIVES_NONE */
    int64_t number;          /* in the notes, from 1 on */
    const uint32_t *returns; /* storages that it gives back */
    uint32_t return_count;
};

enum { LIVES_NONE = UINT32_MAX };

/* What is more is no size. */
#define LIVES_MOST_BYTES ((int64_t)1 << 60)

struct dry_lives {
    struct dry_storage *storages;
    uint32_t count;
    struct dry_event *events;
    uint32_t event_count;
    struct dry_call *calls;
    uint32_t call_count;
    uint32_t batch_from; /* storages from this one on may grow with the batch, where a loader got another one */
};

/* Empty where the file tells nothing. Lines that cannot be are passed over. */
struct dry_lives dry_lives_read(const char *path, struct arena *arena);

#endif
