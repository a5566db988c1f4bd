/* SPDX-License-Identifier: Apache-2.0 */
/* Measured kernels of many tables, held for fitting. */
#ifndef MODEL_MEASUREMENTS_H
#define MODEL_MEASUREMENTS_H

#include "base/arena.h"
#include "hw/catalogue.h"
#include "ops/operators/kernel.h"
#include "steptime/error.h"

struct measurement {
    struct kernel kernel;
    uint32_t device; /* of devices */
    uint32_t table;  /* of tables */
    double us;
};

enum { MOST_DEVICES = 128, MOST_TABLES = 64 };

struct measurements {
    struct measurement *rows; /* in the order of the tables */
    uint32_t count;
    size_t room;
    struct hardware devices[MOST_DEVICES]; /* by first appearance */
    uint32_t device_count;
    str spellings[MOST_DEVICES]; /* as the tables write them, and the device that each means */
    uint32_t meant[MOST_DEVICES], spelling_count;
    str tables[MOST_TABLES]; /* "train_gemm.csv.gz" */
    uint32_t table_count;
};

/*
 * Adds a table. Every row must be a kernel with its time, on a device of the catalogue, or on `hardware` where that is
 * given: false with STEPTIME_INPUT, naming the first line that is not. Free with measurements_free.
 */
bool measurements_read(struct measurements *measurements, const char *path, const struct catalogue *catalogue,
                       const struct hardware *hardware, struct arena *arena, struct steptime_error *err);

void measurements_free(struct measurements *measurements);

#endif
