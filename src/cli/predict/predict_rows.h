/* SPDX-License-Identifier: Apache-2.0 */
/* `steptime predict kernel` and `steptime predict graph`: tables in, tables with predictions out, row by row. */
#ifndef CLI_PREDICT_ROWS_H
#define CLI_PREDICT_ROWS_H

#include "cli/program/command.h"
#include "model/estimate/interval.h"

/* Both read --input, --hw, --set, --level, --output. */
enum steptime_code predict_kernel(const struct call *call, struct steptime_error *err);
enum steptime_code predict_graph(const struct call *call, struct steptime_error *err);

/* --level: a share, or a number of percent; 0.9 where it is not given. */
bool predict_level(const struct call *call, double *level, struct steptime_error *err);

/* The columns that a prediction adds to a row: "predicted_us,low_us,high_us,basis,from". */
extern const char predicted_columns[];

struct csv_row;
struct buf;

/* False with STEPTIME_INPUT where the table has one of them already. */
bool predict_columns_free(const struct csv_row *header, struct steptime_error *err);

/* Ends a row with them: its own bytes, missing fields as empty ones; NULL: empty fields. */
void put_estimate(struct buf *to, const struct csv_row *fields, uint32_t columns, const struct estimate *estimate,
                  double level);

#endif
