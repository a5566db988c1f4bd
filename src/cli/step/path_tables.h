/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `critical-path` with rows for each rank. They are made when they are written: of thousands of ranks they
 * would be half of the memory. What they show outlives the report. */
#ifndef CLI_PATH_TABLES_H
#define CLI_PATH_TABLES_H

#include "breakdown/path/critical_path.h"
#include "report/report.h"

void path_top_show(const struct critical_path *const *paths, uint32_t count, struct report *report);
void path_steps_show(const struct critical_path *const *paths, uint32_t count, struct report *report);
void path_ranks_show(const struct critical_path *const *paths, uint32_t count, struct report *report);

#endif
