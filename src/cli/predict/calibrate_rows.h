/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measured rows for `steptime calibrate`: those that can be believed, by device, and what is wrong with the others, each
 * fault named and counted. A row that cannot be believed is never averaged in.
 */
#ifndef CLI_CALIBRATE_ROWS_H
#define CLI_CALIBRATE_ROWS_H

#include "cli/program/command.h"
#include "model/estimate/models.h"
#include "model/tables/measurements.h"

enum row_fault {
    ROW_NO_KERNEL,      /* a size of zero or beyond 64 bits, a word of no meaning */
    ROW_NO_TIME,        /* or none above 0 */
    ROW_UNKNOWN_DEVICE, /* of the catalogue, and none was named */
    ROW_OTHER_DEVICE,   /* than the one named */
    ROW_NO_MODEL,       /* the device lacks a figure or the arithmetic, or no model has the kernel */
    ROW_TOO_FAST,       /* for the figures of the device */
    ROW_CONTRADICTS,    /* the same kernel was measured far from that */
    ROW_FAULTS,
};

struct calibrate_rows {
    struct measurements believed;
    uint32_t faults[ROW_FAULTS];
    str first[ROW_FAULTS]; /* "rows.csv: line 12: k is 0" */
    uint32_t read;         /* rows in all */
};

const char *row_fault_word(enum row_fault fault);    /* an id: "too_fast" */
const char *row_fault_meaning(enum row_fault fault); /* for people */

/* Adds a table. `given`: the device that all rows must be of, NULL: each says its own. False: no table to be read. */
bool calibrate_read(struct calibrate_rows *rows, const char *path, const struct models *models,
                    const struct hardware *given, struct arena *arena, struct steptime_error *err);

/* The kernels of a table whose times do not count, of models that the device has: the first thousand. */
struct calibrate_among {
    const struct kernel **kernels;
    uint32_t count;
    uint32_t passed_over; /* rows that name no kernel of a model of the device */
    uint32_t beyond;      /* rows behind those */
};

bool calibrate_kernels(const char *path, const struct models *models, const struct hardware *hardware,
                       struct arena *arena, struct calibrate_among *among, struct steptime_error *err);

/* Adds a row that was measured just now. */
void calibrate_add(struct calibrate_rows *rows, const struct models *models, const struct hardware *hardware,
                   const struct kernel *kernel, double us, const char *where, struct arena *arena);

/* Once all are there: takes out rows of one kernel that contradict each other. */
void calibrate_settle(struct calibrate_rows *rows, struct arena *arena);

/* Equal kernels have equal keys. */
uint64_t kernel_key(const struct kernel *kernel);

#endif
