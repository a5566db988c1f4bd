/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the memory of a device: when it was fullest, what filled it then, what stays from step to step. */
#ifndef MEMORY_ACCOUNT_H
#define MEMORY_ACCOUNT_H

#include "category.h"
#include "common.h"
#include "layout.h"
#include "lives.h"
#include "steps.h"

/* Pieces of one line and one category that lived at the peak. */
struct memory_line {
    uint32_t context; /* one of theirs: user, inner and node are those of all */
    uint8_t category;
    uint8_t told;  /* enum memory_told_by: the weakest of theirs */
    bool before;   /* one of them was there before the history, and nothing says from where */
    uint32_t name; /* interned: of the largest, where the program names it; 0 */
    int64_t bytes, pieces, largest;
};

struct memory_share {
    int64_t bytes, pieces, certain_bytes;
};

/* A line of which something is left behind in each step. */
struct memory_leak {
    uint32_t context;
    int64_t bytes, pieces; /* left behind in all steps looked at */
    int64_t steps, of;     /* in so many of so many steps */
    bool certain;          /* in nearly all of them */
};

struct memory_out { /* of memory */
    int64_t row, time_ns, asked, device_free, held, reserved;
    uint32_t context;
    struct memory_layout layout;
};

struct memory_step_numbers {
    int64_t number, peak, end, reserved; /* bytes: most in it, at its end, most reserved in it */
};

struct memory_point {
    int64_t time_ns, held, reserved; /* the most since the point before; reserved -1: not told */
};

struct memory_account {
    const struct memory_log *log;
    int64_t device; /* its id */
    uint64_t allocations, frees, unmatched, doubled;
    int64_t first_ns, last_ns; /* of events; -1 */

    int64_t begin, peak, end; /* bytes held before the first event, at most, after the last */
    int64_t peak_row, peak_ns;
    uint32_t peak_step;                                                    /* index; MEMORY_NONE */
    int64_t reserved_begin, reserved_peak, reserved_at_peak, reserved_end; /* -1: not told */
    struct memory_share categories[CATEGORIES];
    struct memory_line *lines; /* most bytes first */
    uint32_t line_count;
    struct memory_layout at_peak, at_end;

    struct memory_steps steps;
    struct memory_step_numbers *step_numbers;
    struct memory_leak *leaks; /* most bytes first */
    uint32_t leak_count;
    int64_t
        growth; /* bytes that the end of a step holds more than that before: the middle one, without the first step */
    struct memory_out *outs;
    uint32_t out_count;
    struct memory_point *timeline;
    uint32_t points;
    bool begin_known; /* begin is all that lived then; else what is known of it */
    bool frames;      /* some allocation has frames */
};

/* Everything in the arena; the log must live as long, `common` need not. Takes the rows of the device alone. */
void memory_account_of(const struct memory_common *common, uint16_t device, struct arena *arena,
                       struct memory_account *out);

/* ---- its parts ---- */

/* `group_of`: of memory_common. */
void account_lines(const struct memory_lives *lives, const uint32_t *group_of, struct memory_account *out,
                   struct arena *arena);
void account_leaks(const struct memory_lives *lives, const uint32_t *group_of, struct memory_account *out,
                   struct arena *arena);

#endif
