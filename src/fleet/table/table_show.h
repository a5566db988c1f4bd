/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a table of jobs that was read: as an input of the report, and its dropped rows as warnings. */
#ifndef FLEET_TABLE_SHOW_H
#define FLEET_TABLE_SHOW_H

#include "job_table.h"
#include "report/report.h"

void table_show_dropped(const char *path, const struct job_table_result *result, struct report *report);

#endif
