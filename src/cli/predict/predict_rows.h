/* SPDX-License-Identifier: Apache-2.0 */
/* `steptime predict kernel` and `steptime predict graph`: tables in, tables with predictions out, row by row. */
#ifndef CLI_PREDICT_ROWS_H
#define CLI_PREDICT_ROWS_H

#include "cli/program/command.h"

/* Both read --input, --hw, --set, --output. */
enum steptime_code predict_kernel(const struct call *call, struct steptime_error *err);
enum steptime_code predict_graph(const struct call *call, struct steptime_error *err);

#endif
