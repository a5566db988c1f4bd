/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations as a timeline in Chrome's format: a process a replica, threads
 * named "PP rank 3, TP rank 0, compute", and the numbers of an operation among
 * its arguments. Times are microseconds. Operations that communicate may be drawn
 * without the time before their partners came: what each of them does, and so
 * every what-if, is the same.
 */
#include "base/error.h"
#include "base/mem.h"
#include "fleet/table/import_stream.h"
#include "operations_draft.h"
#include "text/json.h"

bool operations_is_timeline(str begin)
{
    return str_starts(begin, S("[")) && str_has(begin, S("\"seq_id\"")) && str_has(begin, S("\"model_chunk\""));
}

struct timeline {
    struct operations_draft *draft;
    struct map stage_of; /* thread to stage */
};

/* An event, with what it has of an operation or a name. */
struct drawn {
    struct operation_row row;
    int64_t thread;
    str phase, label;
    double start_us, duration_us;
};

/* An argument may be null. */
static void read_number(struct json *json, int64_t *number)
{
    if (json_peek(json) == 'n')
        json_skip(json);
    else
        json_int(json, number);
}

static void read_arguments(struct json *json, struct drawn *drawn)
{
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("step")))
            read_number(json, &drawn->row.step);
        else if (str_eq(key, S("seq_id")))
            read_number(json, &drawn->row.sequence);
        else if (str_eq(key, S("model_chunk")))
            read_number(json, &drawn->row.chunk);
        else if (str_eq(key, S("name")))
            json_string(json, &drawn->label);
        else
            json_skip(json);
    }
}

static void read_event(struct json *json, struct drawn *drawn)
{
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("name")))
            json_string(json, &drawn->row.type);
        else if (str_eq(key, S("ph")))
            json_string(json, &drawn->phase);
        else if (str_eq(key, S("pid")))
            json_int(json, &drawn->row.replica);
        else if (str_eq(key, S("tid")))
            json_int(json, &drawn->thread);
        else if (str_eq(key, S("ts")))
            json_real(json, &drawn->start_us);
        else if (str_eq(key, S("dur")))
            json_real(json, &drawn->duration_us);
        else if (str_eq(key, S("args")) && json_peek(json) == '{')
            read_arguments(json, drawn);
        else
            json_skip(json);
    }
}

/* "PP rank 3, TP rank 0, compute" is of stage 3. */
static void take_name(struct timeline *timeline, const struct drawn *drawn)
{
    str label = drawn->label, word;
    int64_t stage;
    if (!str_eq(drawn->row.type, S("thread_name")) || !str_starts(label, S("PP rank ")))
        return;
    label = str_from(label, S("PP rank ").len);
    if (str_cut(&label, ',', &word) && str_int(word, &stage) && stage >= 0 && stage < MAP_NONE)
        map_put(&timeline->stage_of, drawn->thread, (uint32_t)stage);
}

typedef void take_fn(struct timeline *timeline, const struct drawn *drawn);

static void take_operation(struct timeline *timeline, const struct drawn *drawn)
{
    const uint32_t stage = map_get(&timeline->stage_of, drawn->thread);
    struct operation_row row = drawn->row;
    if (!str_eq(drawn->phase, S("X")))
        return;
    row.stage = stage;
    row.start_s = drawn->start_us / 1e6;
    row.duration_s = drawn->duration_us / 1e6;
    if (stage != MAP_NONE && row.step >= 0)
        draft_add(timeline->draft, &row);
    else
        timeline->draft->dropped++;
}

/* Names of threads may stand behind their operations: the text is read twice. */
static bool each_event(struct timeline *timeline, str text, take_fn *take)
{
    struct arena scratch = {0};
    struct json json = json_of(text, &scratch);
    json_enter(&json);
    while (json_item(&json)) {
        struct drawn drawn = {.row = {.step = -1, .sequence = -1, .chunk = -1, .model_chunk = -1}, .thread = -1};
        read_event(&json, &drawn);
        if (!json.failed)
            take(timeline, &drawn);
    }
    arena_free(&scratch);
    return !json.failed;
}

bool operations_read_timeline(const char *path, struct operations_draft *draft, struct steptime_error *err)
{
    struct buf text = {0};
    struct timeline timeline = {.draft = draft};
    const bool read = import_read_all(path, &text, err);
    const bool good =
        read &&
        ((each_event(&timeline, buf_str(&text), take_name) && each_event(&timeline, buf_str(&text), take_operation)) ||
         fail_at(err, STEPTIME_INPUT, str_of(path), -1, "a timeline that is no valid JSON"));
    map_free(&timeline.stage_of);
    buf_free(&text);
    return good;
}
