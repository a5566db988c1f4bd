/* SPDX-License-Identifier: Apache-2.0 */
/* A small file as one text: source and configuration, which are read whole and looked at often. */
#ifndef LINT_READ_FILE_H
#define LINT_READ_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* Into the arena. False (STEPTIME_INPUT): it cannot be read, is no file, or has more than `most` bytes. */
bool read_file(struct arena *arena, const char *path, size_t most, str *text, struct steptime_error *err);

/* The same of standard input, to its end. */
bool read_standard_input(struct arena *arena, size_t most, str *text, struct steptime_error *err);

#endif
