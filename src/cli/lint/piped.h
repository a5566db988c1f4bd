/* SPDX-License-Identifier: Apache-2.0 */
/* Source that comes by standard input, where a path of a command is "-": what editors and hooks do. */
#ifndef CLI_PIPED_H
#define CLI_PIPED_H

#include "cli/program/call.h"
#include "lint/lint.h"

struct piped {
    bool is;
    struct lint_overlay file; /* under the name of --stdin-filename, "-" without it */
};

/* Reads it where it was asked for. False: it cannot be read, or the options speak of none. */
bool piped_read(const struct call *call, struct arena *arena, struct piped *piped, struct steptime_error *err);

#endif
