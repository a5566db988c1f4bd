/* SPDX-License-Identifier: Apache-2.0 */
#include "findings_file.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "io/source.h"
#include "text/json.h"

enum { BLOCK_BYTES = 1 << 16, MOST_FILE_BYTES = 64 << 20 };

static bool read_all(const char *path, struct buf *text, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    char block[BLOCK_BYTES];
    for (size_t got; text->len <= MOST_FILE_BYTES && (got = source_read(source, block, sizeof block)) > 0;)
        buf_add(text, (str){block, got});
    const char *damage = source_damage(source);
    const bool fine = !damage && text->len <= MOST_FILE_BYTES;
    if (!fine)
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", damage ? damage : "too large for a report of findings");
    source_close(source);
    return fine;
}

/* Lists grow here, and end in the arena. */
struct growing {
    void *at;
    size_t count, room;
};

static void *kept(const struct growing *list, size_t size, struct arena *arena)
{
    void *copy = arena_array(arena, list->count, size);
    if (list->count)
        memcpy(copy, list->at, list->count * size);
    mem_free(list->at);
    return copy;
}

static void read_events(struct json *json, struct found *found, struct arena *arena)
{
    struct growing events = {0};
    if (json_peek(json) != '[') {
        json_skip(json);
        return;
    }
    json_enter(json);
    while (json_item(json)) {
        int64_t row = -1;
        json_int(json, &row);
        events.at = mem_grow(events.at, &events.room, events.count + 1, sizeof row);
        ((int64_t *)events.at)[events.count++] = row;
    }
    found->count = (uint32_t)events.count;
    found->events = kept(&events, sizeof(int64_t), arena);
}

static struct found read_finding(struct json *json, struct arena *arena)
{
    struct found found = {0};
    json_enter(json);
    for (str key; json_key(json, &key);)
        if (str_eq(key, S("id")))
            json_string(json, &found.id);
        else if (str_eq(key, S("rule")))
            json_string(json, &found.rule);
        else if (str_eq(key, S("events")))
            read_events(json, &found, arena);
        else
            json_skip(json);
    found.id = str_copy(arena, found.id);
    found.rule = str_copy(arena, found.rule);
    return found;
}

static bool read_findings(struct json *json, struct arena *arena, struct findings_file *findings)
{
    struct growing list = {0};
    json_enter(json);
    while (json_item(json)) {
        const struct found found = read_finding(json, arena);
        list.at = mem_grow(list.at, &list.room, list.count + 1, sizeof found);
        ((struct found *)list.at)[list.count++] = found;
    }
    findings->count = (uint32_t)list.count;
    findings->at = kept(&list, sizeof(struct found), arena);
    return !json->failed;
}

bool findings_read(const char *path, struct arena *arena, struct findings_file *findings, struct steptime_error *err)
{
    struct buf text = {0};
    struct arena scratch = {0};
    bool any = false;
    *findings = (struct findings_file){0};
    const bool there = read_all(path, &text, err);
    struct json json = json_of(there ? buf_str(&text) : S(""), &scratch);
    if (there && json_peek(&json) == '{') {
        json_enter(&json);
        for (str key; json_key(&json, &key);)
            if (!any && str_eq(key, S("findings")))
                any = read_findings(&json, arena, findings);
            else
                json_skip(&json);
    }
    const bool good = any && !json.failed;
    if (there && !good)
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no report with findings, as 'lint --format json' writes it");
    arena_free(&scratch);
    buf_free(&text);
    return good;
}
