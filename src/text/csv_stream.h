/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a file of comma-separated values, plain or packed, one after the
 * other: memory is a block of text, not the table. The first row is its header.
 */
#ifndef TEXT_CSV_STREAM_H
#define TEXT_CSV_STREAM_H

#include "steptime/error.h"
#include "csv_reader.h"

struct csv_stream;

/* "-" is standard input. NULL with *err where it cannot be read, or holds no row. */
struct csv_stream *csv_stream_open(const char *path, struct steptime_error *err);

const struct csv_row *csv_stream_header(const struct csv_stream *stream); /* lives as long as the stream */

/* The next row and its line, from 1; false at the end. The row lives until the next one is asked for. */
bool csv_stream_next(struct csv_stream *stream, struct csv_row *row, uint32_t *line);

/* Frees the stream. False with *err where the file broke off, or a row was too long to be one. */
bool csv_stream_close(struct csv_stream *stream, struct steptime_error *err);

#endif
