/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the host would wait for a CUDA device, as a dry run saw it (python/dry/waits.py): each wait in its order, copies that
 * wait for nothing, loaders, and the lines that ran. doc/dry-waits.md has the form of the file.
 *
 * A round goes from the end of one step to the end of the next: what lies behind the last step() of a loop is in it. What comes
 * before the end of the first step is no round.
 */
#ifndef DRY_WAITS_H
#define DRY_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum dry_wait_kind {
    DRY_ITEM,       /* .item() */
    DRY_NUMBER,     /* float(), int() */
    DRY_INDEX,      /* a tensor as an index of Python's, or as a size */
    DRY_BOOL,       /* a branch */
    DRY_PRINT,      /* print(), format() */
    DRY_TOLIST,     /* .tolist() */
    DRY_NUMPY,      /* .numpy() */
    DRY_CPU,        /* a copy to the host */
    DRY_SHAPES,     /* the size of the result depends on values */
    DRY_LIBRARY,    /* an operator that looks at a value itself */
    DRY_UPLOAD,     /* a copy to the device that blocks */
    DRY_BUILT,      /* torch.tensor(..., device=) */
    DRY_HOST_INDEX, /* a device tensor is indexed by one of the host */
    DRY_SYNC,       /* torch.cuda.synchronize() and the like */
    DRY_WAIT_KINDS,
};

const char *dry_wait_word(enum dry_wait_kind kind); /* "item" */

enum { DRY_AROUND = 3 };

struct dry_line {
    str file; /* whole, real path */
    int64_t line;
};

struct dry_wait {
    int64_t step; /* from 1 on */
    enum dry_wait_kind kind;
    int64_t bytes;
    int64_t queued; /* operators launched since the wait before */
    int64_t heavy;  /* of these more than a sum, a comparison and the like */
    struct dry_line at;
    struct dry_line around[DRY_AROUND]; /* lines of the script's own that called that, the innermost first */
    uint32_t around_count;
    str around_text;
    str via;  /* "file:line" of the package's code that waits; "" */
    str call; /* ".item()" */
};

/* A copy that the host does not wait for. */
struct dry_stay {
    int64_t times; /* in the rounds */
    struct dry_line at;
    str how; /* "pinned", "pageable": from which memory of the host; "to host" */
};

struct dry_loader {
    struct dry_line at;
    int64_t workers;
    bool pins;
    int64_t batches, batches_before; /* in the rounds, before them */
};

struct dry_ran {
    struct dry_line at;
    int64_t rounds; /* in which it ran */
};

struct dry_waits {
    str wrong; /* why it is not used; "" */
    struct dry_wait *at;
    uint32_t count;
    struct dry_stay *stays;
    uint32_t stay_count;
    struct dry_loader *loaders;
    uint32_t loader_count;
    struct dry_ran *ran; /* by file, then line */
    uint32_t ran_count;
    int64_t steps;    /* that were ended */
    int64_t dropped;  /* waits that had no room */
    bool lines_short; /* so had lines that ran */
};

/* Of a file that is absent, cut off or broken `wrong` says so, and there is nothing else. */
struct dry_waits dry_waits_read(const char *path, struct arena *arena);

#endif
