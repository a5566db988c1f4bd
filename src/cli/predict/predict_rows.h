/* SPDX-License-Identifier: Apache-2.0 */
/* `steptime predict kernel` and `steptime predict graph`: tables in, tables with predictions out, row by row. */
#ifndef CLI_PREDICT_ROWS_H
#define CLI_PREDICT_ROWS_H

#include "cli/program/command.h"
#include "model/estimate/energy.h"

/* Both read --input, --hw, --set, --level, --output. */
enum steptime_code predict_kernel(const struct call *call, struct steptime_error *err);
enum steptime_code predict_graph(const struct call *call, struct steptime_error *err);

/* --level: a share, or a number of percent; 0.9 where it is not given. */
bool predict_level(const struct call *call, double *level, struct steptime_error *err);

/* --per-hour: the price of a GPU for an hour, in whatever money; NaN where it is not given. */
bool predict_per_hour(const struct call *call, double *per_hour, struct steptime_error *err);

/* The columns that a prediction adds to a row: "predicted_us,low_us,high_us,basis,from,watts ...". */
extern const char predicted_columns[];

/* What is told of a kernel. */
struct predicted_kernel {
    struct estimate time, watts;
    struct joules joules;
    bool has_watts;
};

/*
 * Where the time is known the power is, too, if the device's figures tell it. A kernel of which the table says how long it
 * is busy (busy_us) draws what it does in that time. False as models_estimate.
 */
bool predict_one(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                 double level, struct predicted_kernel *to, struct steptime_error *err);

struct csv_row;
struct buf;

/* False with STEPTIME_INPUT where the table has one of them already. */
bool predict_columns_free(const struct csv_row *header, struct steptime_error *err);

/* Ends a row with them: its own bytes, missing fields as empty ones; NULL: empty fields. */
void put_predicted(struct buf *to, const struct csv_row *fields, uint32_t columns,
                   const struct predicted_kernel *predicted, double level);

#endif
