/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a struct as members of a JSON object: one list of them writes and reads. */
#ifndef TUNE_FIELDS_H
#define TUNE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "text/json.h"
#include "text/json_writer.h"

enum field_kind {
    FIELD_INT,   /* int64_t */
    FIELD_COUNT, /* int64_t; below 0: not known, null */
    FIELD_REAL,  /* double */
    FIELD_MAYBE, /* double; NaN: not known, null */
    FIELD_BOOL,  /* bool */
    FIELD_TEXT,  /* str */
    FIELD_WORD,  /* an enum; one of `words` */
};

struct field {
    const char *key; /* NULL ends a list */
    enum field_kind kind;
    size_t at;
    const char *const *words; /* by value, ended by NULL */
};

void fields_write(struct json_writer *json, const struct field *fields, const void *of);

/* The value of the key that was just read. False where no field has that key; a word that is not among its words fails. */
bool field_read(struct json *json, str key, const struct field *fields, void *into);

/* A whole object; what no field has is passed over. */
void fields_read(struct json *json, const struct field *fields, void *into);

#endif
