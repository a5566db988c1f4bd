/* SPDX-License-Identifier: Apache-2.0 */
/* The table "path": the stretches of the critical paths of all ranks. */
#ifndef CLI_PATH_STRETCHES_H
#define CLI_PATH_STRETCHES_H

#include "breakdown/path/critical_path.h"
#include "report/report.h"

void path_stretches_show(const struct critical_path *const *paths, uint32_t count, struct report *report);

#endif
