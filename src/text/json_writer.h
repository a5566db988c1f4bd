/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON out, as it comes: nothing is kept but the stack of open brackets, which
 * knows where commas and line breaks go. Wrong nesting is a bug of the caller
 * and asserted: a member of an object has a key, an element of an array none,
 * and every bracket is closed by json_write_end.
 *
 * The output is always valid: integers are exact, doubles have the fewest
 * digits that read back as the same double, NaN and infinities are null, bytes
 * that are not UTF-8 become U+FFFD, control characters are escaped.
 */
#ifndef TEXT_JSON_WRITER_H
#define TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct writer;

struct json_writer {
    struct writer *out;
    struct buf open; /* a byte an open bracket */
    bool filled;     /* the innermost bracket has a member already */
    bool keyed;      /* a key is written and waits for its value */
};

/* How a bracket is laid out. Whatever is inside a flat one is flat too. */
enum json_layout { JSON_LINES, JSON_FLAT }; /* a member a line; everything on one line */

struct json_writer json_write_begin(struct writer *out);
void json_write_finish(struct json_writer *json); /* ends the line and releases the stack; every bracket is closed */

void json_write_object(struct json_writer *json, enum json_layout layout);
void json_write_array(struct json_writer *json, enum json_layout layout);
void json_write_end(struct json_writer *json);

void json_write_key(struct json_writer *json, str key);
void json_write_int(struct json_writer *json, int64_t value);
void json_write_real(struct json_writer *json, double value); /* as real_text; null where it is not finite */
void json_write_text(struct json_writer *json, str value);
void json_write_bool(struct json_writer *json, bool value);
void json_write_null(struct json_writer *json);
void json_write_raw(struct json_writer *json, str value); /* JSON already; as it is */

/* Members: a text under a key, and the begin of an array, a value a line. */
void json_write_member(struct json_writer *json, str key, str value);
void json_write_list(struct json_writer *json, str key);

#endif
