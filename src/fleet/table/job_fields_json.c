/* SPDX-License-Identifier: Apache-2.0 */
#include "job_fields.h"

#include <stdlib.h>

#include "text/json.h"

static int by_key(const void *a, const void *b, void *keys)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = str_cmp(((const str *)keys)[x], ((const str *)keys)[y]);
    return order ? order : (x > y) - (x < y);
}

struct key_columns key_columns_of(const str *keys, uint32_t count, struct arena *arena)
{
    uint32_t *const sorted = arena_array(arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, by_key, (void *)keys);
    return (struct key_columns){keys, count, sorted};
}

/* The column of a key; members usually come in the order of the columns. columns->count where it has none. */
static uint32_t column_of(const struct key_columns *columns, str key, uint32_t guess)
{
    if (guess < columns->count && str_eq(columns->keys[guess], key))
        return guess;
    uint32_t low = 0, high = columns->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (str_cmp(columns->keys[columns->sorted[middle]], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < columns->count && str_eq(columns->keys[columns->sorted[low]], key);
    return found ? columns->sorted[low] : columns->count;
}

/* A text decoded, a null as nothing, all else as it is written. */
static bool take_value(struct json *json, str *value)
{
    if (json_peek(json) == '"')
        return json_string(json, value);
    if (!json_raw(json, value))
        return false;
    if (str_eq(*value, S("null")))
        *value = S("");
    return true;
}

static const char *take_members(struct json *json, const struct key_columns *columns, str *fields)
{
    if (json_peek(json) != '{')
        return "it is no JSON object";
    uint32_t column = UINT32_MAX;
    json_enter(json);
    for (str key; json_key(json, &key);) {
        str value;
        column = column_of(columns, key, column + 1);
        if (take_value(json, &value) && column < columns->count)
            fields[column] = value;
    }
    return json->failed ? "it is no valid JSON" : json_peek(json) ? "text behind the JSON object" : NULL;
}

bool fields_of_json(struct field_cursor *cursor, const struct key_columns *columns, struct arena *arena, str *fields,
                    struct csv_row *row, const char **problem)
{
    if (cursor->at >= cursor->end)
        return false;
    char *const start = cursor->at, *const end = rawmemchr(start, '\n');
    const str text = {start, (size_t)(end - start)};
    *end = 0; /* where the steps of JSON stop; what lies behind is readable */
    cursor->at = end + 1;
    *problem = NULL;
    *row = (struct csv_row){fields, 0, text};
    if (!str_trim(text).len)
        return true;
    memset(fields, 0, columns->count * sizeof *fields);
    row->count = columns->count;
    struct json json = json_at(start, arena);
    *problem = take_members(&json, columns, fields);
    return true;
}
