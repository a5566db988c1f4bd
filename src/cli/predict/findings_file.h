/* SPDX-License-Identifier: Apache-2.0 */
/* The events of findings, from what 'lint --trace' or 'summary' wrote with --format json. */
#ifndef CLI_FINDINGS_FILE_H
#define CLI_FINDINGS_FILE_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

struct found {
    str id, rule;
    const int64_t *events; /* rows of the trace */
    uint32_t count;        /* 0: it rests on none, or they were not told */
};

struct findings_file {
    const struct found *at;
    uint32_t count;
};

/* False with STEPTIME_INPUT where it is no such report. */
bool findings_read(const char *path, struct arena *arena, struct findings_file *findings, struct steptime_error *err);

#endif
