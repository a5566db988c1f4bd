/* SPDX-License-Identifier: Apache-2.0 */
/* What python/verify/capture.py wrote down about one run: its losses, or the times of its steps, or what it saved. */
#ifndef VERIFY_RECORD_H
#define VERIFY_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* A growing list of times or losses; in the arena once the record is read. */
struct moments {
    int64_t *ns;
    uint32_t count;
};

/* A tensor that the script saved. */
struct saved {
    str key, hash;
    int64_t count;
    int64_t offset; /* of its first value among all values; -1: only the hash was kept */
};

/* Something that the script drew by chance. */
struct draw {
    str hash, what, place; /* "FILE:LINE" of the script's own code */
};

/* A loader of data, as the script made it. */
struct loader {
    int64_t workers, prefetch, batch; /* batch 0: it makes none of a fixed size */
    int64_t epochs, batches;          /* begun; taken */
    int64_t pins, persists;           /* 0 or 1 */
    str place;                        /* "FILE:LINE" of the script's own code; "" */
};

/* For a batch. */
struct loader_wait {
    int64_t loader, ns;
    int64_t worked_ns; /* of it, the thread was on a processor */
};

struct record {
    bool loaded;  /* what records was loaded by an interpreter */
    bool any;     /* there is a record at all: the script reached a backward() or a step */
    bool stopped; /* the script was stopped at its last step */
    str torch, python, device;
    double *losses;
    uint32_t loss_count;
    uint32_t no_scalars; /* calls of backward() on what is no scalar */
    uint32_t steps;      /* of the optimizer */
    struct moments step_ends, backward_ends, device_ends;
    struct saved *saved;
    uint32_t saved_count;
    str *files; /* of Python, that it had imported at its end; installed packages are left out */
    uint32_t file_count;
    struct draw *draws;
    uint32_t draw_count;
    struct loader *loaders; /* in the order in which they were made */
    uint32_t loader_count;
    struct loader_wait *waits;
    uint32_t wait_count;
    struct moments optimizer_steps; /* how long they took */
    int64_t may_be_fused;           /* the first optimizer that made a step: 0 or 1 */
    str optimizer_place;            /* of its making, "FILE:LINE"; "" */
    const char *values_path;        /* a file with the values of what was saved: doubles */
};

/* No file is an empty record. */
bool record_read(const char *path, struct arena *arena, struct record *record, struct steptime_error *err);

/* When steps ended, or where no optimizer made any, when backward() returned. By the device's clock where it kept it. */
const struct moments *record_ends(const struct record *record);

#endif
