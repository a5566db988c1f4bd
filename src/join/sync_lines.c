/* SPDX-License-Identifier: Apache-2.0 */
#include "sync_lines.h"

#include "io/beside.h"
#include "text/json.h"

enum { VERSION = 1, MOST_LINES = 1 << 16, MOST_COUNTED = 1 << 30 }; /* sums of all counts stay numbers */

/* The last of the list is where the call was made. */
static void read_via(struct json *json, struct sync_line *line)
{
    json_enter(json);
    while (json_item(json) && json_string(json, &line->via)) {
    }
}

static void read_line(struct json *json, struct sync_line *line)
{
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("file")))
            json_string(json, &line->file);
        else if (str_eq(key, S("function")))
            json_string(json, &line->function);
        else if (str_eq(key, S("line")))
            json_int(json, &line->line);
        else if (str_eq(key, S("first_line")))
            json_int(json, &line->first_line);
        else if (str_eq(key, S("count")))
            json_int(json, &line->count);
        else if (str_eq(key, S("steps")))
            json_int(json, &line->steps);
        else if (str_eq(key, S("via")))
            read_via(json, line);
        else
            json_skip(json);
    }
}

static bool is_sound(const struct sync_line *line)
{
    return line->file.len && line->line > 0 && line->count > 0 && line->count <= MOST_COUNTED && line->steps > 0 &&
           line->steps <= MOST_COUNTED;
}

static void add_line(struct sync_lines *lines, struct arena *arena, struct sync_line line)
{
    if (!(lines->count & (lines->count + 1))) { /* full at 0, 1, 3, 7 ... : the list doubles */
        struct sync_line *at = arena_array(arena, (size_t)lines->count * 2 + 1, sizeof *at);
        if (lines->count)
            memcpy(at, lines->at, lines->count * sizeof *at);
        lines->at = at;
    }
    lines->at[lines->count++] = line;
}

static void read_lines(struct json *json, struct sync_lines *lines, struct arena *arena)
{
    json_enter(json);
    while (json_item(json)) {
        struct sync_line line = {.file = S(""), .function = S(""), .via = S(""), .rule = S("")};
        read_line(json, &line);
        if (json->failed || lines->count > MOST_LINES)
            return;
        if (is_sound(&line))
            add_line(lines, arena, line);
    }
}

static str read_all(struct json *json, struct sync_lines *lines, struct arena *arena)
{
    int64_t version = -1;
    if (json_peek(json) != '{')
        return S("is not used: it is no JSON of lines that wait");
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("version")))
            json_int(json, &version);
        else if (str_eq(key, S("steps")))
            json_int(json, &lines->steps);
        else if (str_eq(key, S("lines")))
            read_lines(json, lines, arena);
        else
            json_skip(json);
    }
    if (lines->count > MOST_LINES)
        return str_printf(arena, "is not used: it has more than %d lines that wait", MOST_LINES);
    if (json->failed || version < 0 || lines->steps < 1)
        return S("is not used: it is no JSON of lines that wait");
    if (version != VERSION)
        return str_printf(arena, "is not used: it has version %lld of lines that wait, and version %d is understood",
                          (long long)version, VERSION);
    return S("");
}

struct sync_lines sync_lines_beside(str trace, struct arena *arena)
{
    const str path = beside_path(trace, ".syncs.json", arena);
    const str text = trace.len && !str_eq(trace, S("-")) ? beside_read(path.at, arena) : (str){NULL, 0};
    struct sync_lines lines = {.wrong = S("")};
    if (!text.at)
        return lines;
    struct json json = json_of(text, arena);
    lines.path = path;
    lines.wrong = read_all(&json, &lines, arena);
    if (lines.wrong.len)
        lines.count = 0;
    return lines;
}
