/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pull cursor over JSON in memory. The caller asks for what it expects; where
 * the text is something else the cursor fails, stays failed, and `at` is the
 * offending byte, so only the end of a piece of work needs a check:
 *
 *     json_enter(&j);
 *     for (str key; json_key(&j, &key);)
 *         if (str_eq(key, S("rank"))) json_int(&j, &rank);
 *         else json_skip(&j);
 *     if (j.failed) ...
 */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include "base/arena.h"
#include "base/str.h"
#include "json_scan.h"

struct json {
    const char *at;
    bool first; /* nothing was read yet from the container just entered */
    bool failed;
    struct arena *arena; /* owns the texts that had to be decoded, and the copy of json_of */
};

/* A cursor at text that ends as json_scan.h asks for. */
struct json json_at(const char *at, struct arena *arena);

/* A cursor over any text: over a copy in the arena, padded. */
struct json json_of(str text, struct arena *arena);

/* The first byte of the next value: one of  { [ " - 0..9 t f n , or another where there is none. */
char json_peek(struct json *json);

bool json_enter(struct json *json);         /* into the object or array that comes next */
bool json_key(struct json *json, str *key); /* the next member of the object; false behind the last, which leaves it */
bool json_item(struct json *json);          /* the same of an array */

bool json_string(struct json *json, str *text);   /* decoded */
bool json_int(struct json *json, int64_t *value); /* rounded; fails where an int64 cannot hold it */
bool json_real(struct json *json, double *value);
bool json_raw(struct json *json, str *text); /* any value as it is written */
bool json_skip(struct json *json);

/* Decodes what lies between the quotes of a string that json_string_end accepted. Lone surrogates become U+FFFD. */
str json_decode(struct arena *arena, str raw);

#endif
