/* SPDX-License-Identifier: Apache-2.0 */
/* The document: an object with what is known of the recording, and the list of nodes. */
#include "execution.h"

#include "base/error.h"
#include "base/mem.h"
#include "text/json.h"

enum { LONGEST_PIECE = 64 << 20 };

static void note(struct execution_reading *r, enum note_kind kind, const char *at, const char *what)
{
    execution_note(r->execution, kind, json_window_offset(r->window, at), "%s", what);
}

/* Behind the value at the window's start, widening the window where it must. NULL: r->wrong is no JSON, or the end. */
static const char *value_end(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    const char *end;
    while (!(end = json_value_end(w->at, &r->wrong)))
        if (r->wrong < w->end || !json_window_more(w, LONGEST_PIECE))
            return NULL;
    return end;
}

/* ---- nodes ---- */

static void take(struct execution_reading *r, const char *at)
{
    struct execution_draft draft;
    const char *what;
    if (execution_node(r, at, &draft, &what)) {
        draft.offset = json_window_offset(r->window, r->window->at);
        r->drafts = mem_grow(r->drafts, &r->draft_room, r->draft_count + 1, sizeof *r->drafts);
        r->drafts[r->draft_count++] = draft;
    } else {
        note(r, NOTE_DROPPED, r->window->at, what);
    }
    arena_free(&r->scratch);
}

static void move_to(struct execution_reading *r, const char *end)
{
    r->repair_budget += 4 * (end - r->window->at);
    r->window->at = end;
}

/* Makes JSON of the node at the window's start. NULL where that cannot be done, or has cost too much already. */
static const char *repaired_end(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    while (r->repair_budget > 0) {
        const char *wrong = w->at;
        const char *const end = json_repair(w->at, w->end, false, &r->repair, &wrong);
        r->repair_budget -= (end ? end : wrong) - w->at;
        const bool sure = (end || wrong < w->end) && !r->repair.unsure;
        if (sure || w->ended)
            return end;
        if (!json_window_more(w, LONGEST_PIECE) && !w->ended)
            return NULL;
    }
    return NULL;
}

static bool take_repaired(struct execution_reading *r)
{
    const char *const end = repaired_end(r), *wrong;
    if (!end || !json_value_end(r->repair.text.at, &wrong))
        return false;
    struct buf flaws = {0};
    json_flaws_text(r->repair.flaws, &flaws);
    execution_note(r->execution, NOTE_REPAIRED, json_window_offset(r->window, r->window->at), "node repaired: %.*s",
                   (int)flaws.len, flaws.at);
    buf_free(&flaws);
    take(r, r->repair.text.at);
    move_to(r, end);
    return true;
}

/* False where the list cannot be followed any further. */
static bool drop_node(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    const bool ends = r->wrong >= w->end && w->ended;
    note(r, NOTE_DROPPED, w->at, ends ? "the file ends inside a node" : "node dropped: it is no JSON");
    if (!ends && json_window_skip(w))
        return true;
    w->at = w->end;
    return false;
}

static bool take_node(struct execution_reading *r)
{
    const char *const end = value_end(r);
    if (!end)
        return (r->wrong < r->window->end && take_repaired(r)) || drop_node(r);
    take(r, r->window->at);
    move_to(r, end);
    return true;
}

/* False at the end of the file. */
static bool skip_other(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    const int64_t before = json_window_offset(w, w->at);
    note(r, NOTE_REMARK, w->at, "something else than a node in the list of nodes");
    if (!json_window_skip(w))
        return false;
    w->at += json_window_offset(w, w->at) == before && w->at < w->end;
    return true;
}

/* From behind the opening bracket to behind the closing one. False where the file ends first. */
static bool read_nodes(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    r->found_list = true;
    for (;;) {
        const char c = json_window_peek(w);
        if (w->at >= w->end)
            return false;
        if (c == '{') {
            if (!take_node(r))
                return false;
            continue;
        }
        if (c != ',' && c != ']' && !skip_other(r))
            return false;
        w->at += c == ',' || c == ']';
        if (c == ']')
            return true;
    }
}

/* ---- the document ---- */

static void take_head(struct execution_reading *r, str key, const char *value)
{
    struct execution *const e = r->execution;
    struct json json = json_at(value, &e->arena);
    str text;
    int64_t number;
    if (*value == '"' && json_string(&json, &text)) {
        if (str_eq(key, S("schema")))
            e->schema = str_copy(&e->arena, text);
        else if (str_eq(key, S("time")))
            e->recorded = str_copy(&e->arena, text);
    } else if ((*value == '-' || json_is_digit(*value)) && json_int(&json, &number)) {
        if (str_eq(key, S("pid")))
            e->process = number;
        else if (str_eq(key, S("start_ts")))
            e->start_ms = number;
        else if (str_eq(key, S("finish_ts")))
            e->finish_ms = number;
    }
}

/* A member that is not the list of nodes. */
static bool read_head(struct execution_reading *r, str key)
{
    const char *const end = value_end(r);
    if (!end)
        return json_window_skip(r->window);
    take_head(r, key, r->window->at);
    r->window->at = end;
    return true;
}

/* The key of the next member, copied, and its colon taken; false where there is none. */
static bool read_key(struct execution_reading *r, str *key)
{
    struct json_window *const w = r->window;
    const char *const end = *w->at == '"' ? value_end(r) : NULL;
    if (!end)
        return false;
    *key = str_copy(&r->scratch, (str){w->at + 1, (size_t)(end - w->at - 2)});
    w->at = end;
    if (json_window_peek(w) != ':')
        return false;
    w->at++;
    return json_window_peek(w);
}

/* From behind the brace to behind the closing one. False where the file ends first, or is not understood. */
static bool read_members(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    for (;;) {
        const char c = json_window_peek(w);
        str key;
        if (c == ',' || c == '}')
            w->at++;
        if (c == '}')
            return true;
        if (c == ',')
            continue;
        if (!read_key(r, &key))
            return false;
        const bool nodes = str_eq(key, S("nodes")) && *w->at == '[';
        w->at += nodes;
        if (!(nodes ? read_nodes(r) : read_head(r, key)))
            return false;
    }
}

static void read_document(struct execution_reading *r)
{
    struct json_window *const w = r->window;
    json_window_peek(w);
    if (w->end - w->at >= 3 && memcmp(w->at, "\xEF\xBB\xBF", 3) == 0)
        w->at += 3;
    if (json_window_peek(w) != '{')
        return;
    w->at++;
    if (!read_members(r))
        note(r, NOTE_REMARK, w->at, w->at >= w->end ? "the file breaks off" : "the rest of the file is not understood");
}

/* ---- what was read goes to the execution trace ---- */

static const void *keep(struct execution *e, const void *from, size_t count, size_t size)
{
    void *to = arena_array(&e->arena, count, size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

static void hand_over(struct execution_reading *r)
{
    struct execution *const e = r->execution;
    e->tensors = keep(e, r->tensors, r->tensor_count, sizeof *r->tensors);
    e->tensor_count = (uint32_t)r->tensor_count;
    e->collectives = keep(e, r->collectives, r->collective_count, sizeof *r->collectives);
    e->collective_count = (uint32_t)r->collective_count;
    execution_finish(e, r->drafts, (uint32_t)r->draft_count);
}

static void close(struct execution_reading *r)
{
    struct buf *const bufs[] = {&r->dims, &r->types, &r->values, &r->strides, &r->repair.text};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_free(bufs[i]);
    mem_free(r->drafts);
    mem_free(r->tensors);
    mem_free(r->collectives);
    arena_free(&r->scratch);
}

/* Where one of these comes as a key, a node goes on or another one has begun. */
static const str landmarks[] = {S("id"),    S("name"),    S("ctrl_deps"), S("parent"), S("inputs"),
                                S("rf_id"), S("outputs"), S("attrs"),     {NULL, 0}};

static bool read_window(struct json_window *window, struct execution *execution)
{
    struct execution_reading r = {.execution = execution, .window = window, .repair_budget = LONGEST_PIECE};
    r.repair.landmarks = landmarks;
    read_document(&r);
    hand_over(&r);
    const bool list = r.found_list;
    close(&r);
    return list;
}

bool execution_read(struct source *source, _Atomic int64_t *progress, struct execution *execution,
                    struct steptime_error *err)
{
    struct json_window window;
    json_window_open(&window, source, JSON_WINDOW, progress);
    const bool list = read_window(&window, execution);
    json_window_close(&window);
    if (!list)
        return fail(err, STEPTIME_INPUT, "is an execution trace without a list of nodes");
    return execution->count || fail(err, STEPTIME_INPUT, "is an execution trace without nodes");
}
