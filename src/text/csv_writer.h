/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comma-separated values out, quoted as RFC 4180 says. Lines end in LF alone,
 * as every tool of a Unix pipeline expects; readers of CSV take both. An absent
 * value is an empty field, an empty text is "".
 */
#ifndef TEXT_CSV_WRITER_H
#define TEXT_CSV_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct writer;

struct csv_writer {
    struct writer *out;
    bool begun; /* the line has a field already */
};

void csv_int(struct csv_writer *csv, int64_t value);
void csv_real(struct csv_writer *csv, double value); /* as JSON writes it; NaN and infinities are absent */
void csv_text(struct csv_writer *csv, str value);    /* bytes that are not UTF-8 become U+FFFD */
void csv_null(struct csv_writer *csv);
void csv_end_line(struct csv_writer *csv);

#endif
