/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

#include <math.h>
#include <string.h>

/* ---- out ---- */

static void write_one(struct json_writer *json, const struct field *field, const void *value)
{
    int word;
    switch (field->kind) {
    case FIELD_COUNT:
        if (*(const int64_t *)value < 0) {
            json_write_null(json);
            return;
        }
        json_write_int(json, *(const int64_t *)value);
        return;
    case FIELD_INT:
        json_write_int(json, *(const int64_t *)value);
        return;
    case FIELD_REAL:
        json_write_real(json, *(const double *)value);
        return;
    case FIELD_MAYBE:
        if (isnan(*(const double *)value))
            json_write_null(json);
        else
            json_write_real(json, *(const double *)value);
        return;
    case FIELD_BOOL:
        json_write_bool(json, *(const bool *)value);
        return;
    case FIELD_TEXT:
        json_write_text(json, *(const str *)value);
        return;
    case FIELD_WORD:
        memcpy(&word, value, sizeof word);
        json_write_text(json, str_of(field->words[word]));
        return;
    }
}

void fields_write(struct json_writer *json, const struct field *fields, const void *of)
{
    for (; fields->key; fields++) {
        json_write_key(json, str_of(fields->key));
        write_one(json, fields, (const char *)of + fields->at);
    }
}

/* ---- in ---- */

static void read_bool(struct json *json, bool *value)
{
    const char next = json_peek(json);
    *value = next == 't';
    if (next != 't' && next != 'f')
        json->failed = true;
    json_skip(json);
}

static void read_word(struct json *json, const char *const *words, void *value)
{
    str text;
    if (!json_string(json, &text))
        return;
    int word = 0;
    while (words[word] && !str_eq(str_of(words[word]), text))
        word++;
    memcpy(value, &word, sizeof word);
    json->failed |= !words[word];
}

static void read_one(struct json *json, const struct field *field, void *value)
{
    const bool known = json_peek(json) != 'n';
    if (!known && (field->kind == FIELD_COUNT || field->kind == FIELD_REAL || field->kind == FIELD_MAYBE)) {
        json_skip(json);
        if (field->kind == FIELD_COUNT)
            *(int64_t *)value = -1;
        if (field->kind == FIELD_MAYBE)
            *(double *)value = NAN;
        return;
    }
    switch (field->kind) {
    case FIELD_INT:
    case FIELD_COUNT:
        json_int(json, value);
        return;
    case FIELD_REAL:
    case FIELD_MAYBE:
        json_real(json, value);
        return;
    case FIELD_BOOL:
        read_bool(json, value);
        return;
    case FIELD_TEXT:
        if (json_string(json, value)) /* it may lie in a text that goes */
            *(str *)value = str_copy(json->arena, *(str *)value);
        return;
    case FIELD_WORD:
        read_word(json, field->words, value);
        return;
    }
}

bool field_read(struct json *json, str key, const struct field *fields, void *into)
{
    for (; fields->key; fields++)
        if (str_eq(key, str_of(fields->key))) {
            read_one(json, fields, (char *)into + fields->at);
            return true;
        }
    return false;
}

void fields_read(struct json *json, const struct field *fields, void *into)
{
    json_enter(json);
    for (str key; json_key(json, &key);)
        if (!field_read(json, key, fields, into))
            json_skip(json);
}
