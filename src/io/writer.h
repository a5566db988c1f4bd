/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes out, checked. To a file: collected in a file beside it, synced, and put in its place at the end, so the file is
 * whole or untouched, also where the machine stops. It keeps its owner, group, rights, attributes and hard links, and a
 * symbolic link stays one: replace.h says how. To standard output: errors are kept and told at the end (full disk,
 * closed pipe).
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

/*
 * Flushes, puts the file in its place, closes. False with *err if any byte did not arrive; the file is then untouched.
 * Where a file that had to be written over in place (hard links) broke off in the middle, the error names the file that
 * holds the whole new text. Frees the writer.
 */
bool writer_close(struct writer *writer, struct steptime_error *err);

/* Gives up: the file stays as it was. Frees the writer. */
void writer_abandon(struct writer *writer);

#endif
