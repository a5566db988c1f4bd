/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that PyTorch itself saw wait for the device, as `record --sync-lines` leaves them beside a trace:
 *
 *     {"version": 1, "steps": 5, "lines": [{"file": "train.py", "line": 12, "function": "step", "first_line": 9,
 *      "count": 10, "steps": 5, "via": []}, ...], ...}
 */
#ifndef JOIN_SYNC_LINES_H
#define JOIN_SYNC_LINES_H

#include "base/arena.h"
#include "base/str.h"

struct sync_line {
    str file, function; /* of a frame of Python; "<module>" */
    int64_t line;       /* that waited */
    int64_t first_line; /* of the function */
    int64_t count;      /* how often */
    int64_t steps;      /* in how many steps */
    str via;            /* the innermost frame of a library on the way to the call; "" */
    str rule;           /* of a finding that lies there; "" */
};

struct sync_lines {
    str path;  /* of the file; no address where there is none */
    str wrong; /* why it is not used; "" */
    int64_t steps;
    struct sync_line *at; /* the one that waits most often first */
    uint32_t count;
};

struct sync_lines sync_lines_beside(str trace, struct arena *arena);

#endif
