/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes out, checked. To a file: written beside it under a temporary name and
 * renamed at the end, so the file is whole or untouched. To standard output:
 * errors are kept and told at the end (full disk, closed pipe).
 */
#ifndef IO_WRITER_H
#define IO_WRITER_H

#include <stdbool.h>

#include "base/str.h"
#include "steptime/error.h"

struct writer;

/* NULL or "-": standard output. NULL with *err where the file cannot be made. */
struct writer *writer_open(const char *path, struct steptime_error *err);

/* Collects into memory instead; writer_text gives what came so far. */
struct writer *writer_to_memory(void);
str writer_text(const struct writer *writer);

void writer_put(struct writer *writer, str text);
void writer_printf(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes, renames, closes. False with *err if any byte did not arrive; the file is then untouched. Frees the writer. */
bool writer_close(struct writer *writer, struct steptime_error *err);

/* Gives up: the file stays as it was. Frees the writer. */
void writer_abandon(struct writer *writer);

#endif
