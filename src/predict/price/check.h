/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was said of a step against one that was recorded: operator by operator, those at the top, by name. Times of the host
 * hold the recorder's own where it was recorded. doc/numbers/price.md.
 */
#ifndef PREDICT_PRICE_CHECK_H
#define PREDICT_PRICE_CHECK_H

#include "base/buf.h"
#include "price.h"

/* A call at the top: what it costs the host and the device. */
struct check_call {
    str name, dims; /* dims: "" where they are not known */
    double host_us, device_us;
    uint32_t launches;
    struct kernel kernel; /* of the only launch, where has_kernel */
    bool has_kernel;
};

struct check_side {
    struct check_call *calls;
    uint32_t count;
    double step_us, active_us, host_us; /* host_us: of all calls */
};

/* As it is predicted: with the price's device. False with *err as predict(). */
bool check_said(const struct predict_source *source, const struct predict_asked *asked, const struct hardware *hardware,
                struct arena *arena, struct check_side *side, struct steptime_error *err);

/* As it was recorded. */
struct check_side check_recorded(const struct program *program, struct arena *arena);

/* All calls of one name. */
struct check_row {
    str name;
    uint64_t said_calls, real_calls;
    double said_device_us, real_device_us, said_host_us, real_host_us;
};

/* What differs most first: by the device's and the host's time together. */
struct check_row *check_rows(const struct check_side *said, const struct check_side *real, struct arena *arena,
                             uint32_t *count);

/*
 * Kernels of which both sides have one call of a name after the other, with one launch each and no other sizes, as lines of a
 * table that `calibrate --rows` reads; equal ones once, in the mean. How many.
 */
uint32_t check_table(const struct check_side *said, const struct check_side *real, str device, struct buf *table);

struct check_shown {
    const struct check_side *said, *real;
    struct predicted_range range; /* of the step */
    int64_t step;                 /* of the trace; -1 */
    uint64_t kernels;             /* that calibrate can take */
    const char *rows;             /* the file that they were written to; NULL */
    str device;
};

void check_show(const struct check_shown *shown, const struct check_row *rows, uint32_t count, struct report *report);

#endif
