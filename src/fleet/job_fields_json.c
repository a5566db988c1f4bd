/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/job_fields.h"
#include "text/json.h"

/* The column of a key; members usually come in the order of the columns. columns->count where it has none. */
static uint32_t column_of(const struct key_columns *columns, str key, uint32_t guess)
{
    if (guess < columns->count && str_eq(columns->keys[guess], key))
        return guess;
    uint32_t i = 0;
    while (i < columns->count && !str_eq(columns->keys[i], key))
        i++;
    return i;
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
