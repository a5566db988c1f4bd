/* SPDX-License-Identifier: Apache-2.0 */
/* Failing is one line: `return fail(err, STEPTIME_INPUT, "no events in %s", what);` */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "steptime/error.h"
#include "str.h"

/* Fills *err (may be NULL) and returns false. The path is left empty, the offset -1. */
bool fail(struct steptime_error *err, enum steptime_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, naming the file and the byte (-1: none). */
bool fail_at(struct steptime_error *err, enum steptime_code code, str path, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The error as one printable line, "path: byte 12: message", owned by the arena. */
str error_line(struct arena *arena, const struct steptime_error *err);

#endif
