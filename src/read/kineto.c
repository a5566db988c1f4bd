/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document: an object with a list of events in it, or the bare list.
 *
 * An event is a transaction: it is read from the window as it stands, and where
 * the window ends inside it the window is widened and the event read again.
 * Where it is no JSON it is repaired, and where that fails it is dropped, and
 * reading goes on at the next place that looks like an event's start.
 */
#include "kineto.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "text/json.h"

enum { LONGEST_PIECE = 64 << 20 };

static void note(struct kineto *k, enum note_kind kind, const char *at, const char *what)
{
    trace_note(k->trace, kind, json_window_offset(k->window, at), "%s", what);
}

/* ---- one event ---- */

/* Reads the event at the window's start, widening the window where it must. NULL: k->wrong is no JSON, or the end. */
static inline const char *read_event(struct kineto *k)
{
    struct json_window *const w = k->window;
    const char *end;
    while (!(end = kineto_event(k, w->at, w->end)))
        if (k->wrong < w->end || !json_window_more(w, LONGEST_PIECE))
            return NULL;
    return end;
}

/* Without a flaw of its own the piece is whole, and what follows it is not what should: a comma is missing. */
static void note_repair(struct kineto *k, const char *what, const char *end)
{
    if (!k->repair.flaws) {
        note(k, NOTE_REPAIRED, end, "a comma too few");
        return;
    }
    struct buf flaws = {0};
    json_flaws_text(k->repair.flaws, &flaws);
    trace_note(k->trace, NOTE_REPAIRED, json_window_offset(k->window, k->repair.first), "%s repaired: %.*s", what,
               (int)flaws.len, flaws.at);
    buf_free(&flaws);
}

/* Makes JSON of the piece at the window's start. NULL where that cannot be done, or has cost too much already. */
static const char *repair(struct kineto *k, bool member)
{
    struct json_window *const w = k->window;
    while (k->repair_budget > 0) {
        const char *wrong = w->at;
        const char *const end = json_repair(w->at, w->end, member, &k->repair, &wrong);
        k->repair_budget -= (end ? end : wrong) - w->at;
        const bool sure = (end || wrong < w->end) && !k->repair.unsure;
        if (sure || w->ended)
            return end;
        if (!json_window_more(w, LONGEST_PIECE) && !w->ended)
            return NULL;
    }
    return NULL;
}

enum { HEAD = 256 }; /* bytes that are looked at to tell an event's start */

/* Looks like the start of an event: a brace and a key that events have. What needs more than its head to tell does not. */
static bool event_starts(const char *at)
{
    const char *const start = json_blank(at + 1);
    if (*start != '"')
        return false;
    const char *const end = json_plain(start + 1), *const colon = json_blank(end + 1);
    return *end == '"' && *colon == ':' && colon - at < HEAD &&
           kineto_event_key((str){start + 1, (size_t)(end - start - 1)})->take != TAKE_NOTHING;
}

/* Moves on to the next place that looks like an event, from `from` on. */
static void seek_event(struct kineto *k, const char *from)
{
    struct json_window *const w = k->window;
    char before = 0;
    w->at = from;
    for (;;) {
        if (w->end - w->at < HEAD && json_window_more(w, w->room))
            continue;
        if (w->at >= w->end)
            return;
        if (*w->at == '{' && before != ':' && event_starts(w->at))
            return;
        if ((unsigned char)*w->at > ' ')
            before = *w->at;
        w->at++;
    }
}

/* The event at the window's start cannot be read, from k->wrong on. */
static void drop_event(struct kineto *k)
{
    struct json_window *const w = k->window;
    const bool ends = k->wrong >= w->end && w->ended;
    note(k, NOTE_DROPPED, w->at,
         ends                 ? "the file ends inside an event"
         : k->wrong >= w->end ? "event dropped: it is too long"
                              : "event dropped: it is no JSON");
    if (ends)
        w->at = w->end;
    else if (k->wrong >= w->end)
        json_window_skip(w);
    else
        seek_event(k, k->wrong > w->at ? k->wrong : w->at + 1);
}

/* The record that was read up to `end` goes into the trace. */
static void take_record(struct kineto *k, const char *end)
{
    k->event_offset = json_window_offset(k->window, k->window->at);
    kineto_add(k);
    k->seen.records++;
    k->repair_budget += 4 * (end - k->window->at);
    k->window->at = end;
}

bool kineto_take(struct kineto *k)
{
    const char *const end = read_event(k);
    if (end)
        take_record(k, end);
    return end;
}

/* The event at the window's start is no JSON. False where it cannot be repaired. */
static bool take_repaired(struct kineto *k)
{
    struct json_window *const w = k->window;
    const size_t wrong_at = (size_t)(k->wrong - w->at);
    const char *const end = repair(k, false);
    if (!end || !kineto_event(k, k->repair.text.at, k->repair.text.at + k->repair.text.len)) {
        k->wrong = w->at + wrong_at;
        return false;
    }
    note_repair(k, "event", end);
    take_record(k, end);
    return true;
}

/* False where the event was dropped. */
static bool take_event(struct kineto *k)
{
    if (kineto_take(k) || take_repaired(k))
        return true;
    drop_event(k);
    return false;
}

/* ---- the list of events ---- */

/* Something other than an event in the list. True where the list must have ended before it. */
static bool list_left(struct kineto *k, char c)
{
    struct json_window *const w = k->window;
    if (c == '}' || c == '"') {
        note(k, NOTE_REPAIRED, w->at, "the list of events has no closing bracket");
        return true;
    }
    note(k, NOTE_DROPPED, w->at, "not an event");
    seek_event(k, w->at + 1);
    return false;
}

/* What stands between two events: one comma, or none, at the ends of the list and where something was dropped. */
enum comma { NO_COMMA, COMMA, ANY_COMMA };

static void take_comma(struct kineto *k, enum comma due)
{
    struct json_window *const w = k->window;
    if (json_window_peek(w) != ',') {
        if (due == COMMA && *w->at == '{')
            note(k, NOTE_REPAIRED, w->at, "a comma too few");
        return;
    }
    const int64_t offset = json_window_offset(w, w->at);
    w->at++;
    const char next = json_window_peek(w);
    if (due == NO_COMMA || next == ']' || next == ',')
        trace_note(k->trace, NOTE_REPAIRED, offset, "a comma too many");
}

/* The usual: behind the event a comma and the next event, both in the window. */
bool kineto_follows(struct json_window *w)
{
    if (*w->at != ',')
        return false;
    const char *const next = json_blank(w->at + 1);
    if (*next != '{')
        return false;
    w->at = next;
    return true;
}

/* Reads events as long as they come as they should. */
static enum comma take_events(struct kineto *k)
{
    do {
        if (k->window->before >= k->plan.from)
            kineto_parts(k);
        if (!take_event(k))
            return ANY_COMMA;
    } while (kineto_follows(k->window));
    return COMMA;
}

/* Reads the list from behind its bracket to behind the closing one. False where the file ends first. */
static bool read_events(struct kineto *k)
{
    struct json_window *const w = k->window;
    k->found_list = true;
    for (enum comma due = NO_COMMA;;) {
        take_comma(k, due);
        const char c = json_window_peek(w);
        due = ANY_COMMA;
        if (c == '{') {
            due = take_events(k);
        } else if (c == ']') {
            w->at++;
            return true;
        } else if (w->at >= w->end) {
            return false;
        } else if (c != ',' && list_left(k, c)) {
            return true;
        }
    }
}

/* ---- the document ---- */

/* Behind the value at the window's start, where a comma or brace follows it. NULL: k->wrong is no JSON, or the end. */
static const char *member_end(struct kineto *k)
{
    struct json_window *const w = k->window;
    const char *const end = json_value_end(w->at, &k->wrong);
    if (!end)
        return NULL;
    k->wrong = json_blank(end);
    return *k->wrong == ',' || *k->wrong == '}' ? end : NULL;
}

/* The same, widening the window where it must. */
static const char *whole_member(struct kineto *k)
{
    struct json_window *const w = k->window;
    for (;;) {
        const char *const end = member_end(k);
        if (end || k->wrong < w->end || !json_window_more(w, LONGEST_PIECE))
            return end;
    }
}

static bool read_head(struct kineto *k, str key)
{
    struct json_window *const w = k->window;
    const char *end = whole_member(k);
    if (end) {
        kineto_head(k, key, w->at);
    } else if (k->wrong < w->end && (end = repair(k, true))) {
        note_repair(k, "value", end);
        kineto_head(k, key, k->repair.text.at);
    } else {
        return json_window_skip(w);
    }
    w->at = end;
    return true;
}

/* The key of the next member, copied, and its colon taken; false where there is none. */
static bool read_key(struct kineto *k, str *key)
{
    struct json_window *const w = k->window;
    const char *end;
    while (!(end = json_string_end(w->at + 1, &k->wrong)))
        if (k->wrong < w->end || !json_window_more(w, LONGEST_PIECE))
            return false;
    *key = str_copy(&k->scratch, (str){w->at + 1, (size_t)(end - w->at - 1)});
    w->at = end + 1;
    if (json_window_peek(w) != ':')
        return false;
    w->at++;
    return true;
}

/* The members of the document, from behind its brace to behind the closing one. False where it ends first. */
static bool read_members(struct kineto *k)
{
    struct json_window *const w = k->window;
    for (;;) {
        const char c = json_window_peek(w);
        if (w->at >= w->end)
            return false;
        if (c == ',') {
            w->at++;
            continue;
        }
        if (c == '}') {
            w->at++;
            return true;
        }
        str key;
        if (c != '"' || !read_key(k, &key))
            return false;
        const bool events = json_window_peek(w) == '[' && str_eq(key, S("traceEvents"));
        w->at += events;
        if (!(events ? read_events(k) : read_head(k, key)))
            return false;
    }
}

/* One document. False where there is none here. */
static bool read_document(struct kineto *k)
{
    struct json_window *const w = k->window;
    const char c = json_window_peek(w);
    if (c != '{' && c != '[')
        return false;
    w->at++;
    const bool whole = c == '{' ? read_members(k) : read_events(k);
    k->trace->info.cut |= !whole;
    if (!whole)
        note(k, NOTE_REMARK, w->at, w->at >= w->end ? "the file breaks off" : "the rest of the file is not understood");
    return whole;
}

static void skip_bom(struct json_window *w)
{
    json_window_peek(w);
    if (w->end - w->at >= 3 && memcmp(w->at, "\xEF\xBB\xBF", 3) == 0)
        w->at += 3;
}

static void note_phases(struct kineto *k)
{
    for (int c = 0; c < 128; c++)
        if (k->seen.phases[c])
            trace_note(k->trace, NOTE_REMARK, -1, "%" PRIu64 " events of phase %c are not used", k->seen.phases[c], c);
}

/* Where one of these comes as a key, an event goes on or another one has begun. */
static const str landmarks[] = {S("ph"), S("ts"), S("pid"), S("tid"), S("dur"), {NULL, 0}};

struct kineto *kineto_new(struct trace *trace)
{
    struct kineto *k = mem_zeroed(sizeof *k);
    k->trace = trace;
    k->names = trace_names(trace);
    k->repair_budget = LONGEST_PIECE;
    k->seen.first_ns = INT64_MAX;
    k->seen.last_ns = INT64_MIN;
    k->seen.last.lane = LANE_NONE;
    k->phrases.roots[true].in_args = true;
    k->repair.landmarks = landmarks;
    k->plan.from = INT64_MAX;
    return k;
}

void kineto_free(struct kineto *k)
{
    buf_free(&k->repair.text);
    arena_free(&k->scratch);
    mem_free(k);
}

static void read_documents(struct kineto *k)
{
    struct json_window *const w = k->window;
    skip_bom(w);
    for (bool first = true; read_document(k); first = false)
        if (!first)
            note(k, NOTE_REPAIRED, w->at, "another document follows the first; its events are joined");
    if (json_window_peek(w))
        note(k, NOTE_REMARK, w->at, "what follows the document is not read");
    kineto_close_open(k);
    kineto_apply_names(k);
    note_phases(k);
}

bool kineto_read_in_parts(struct json_window *window, struct trace *trace, unsigned threads, size_t part_bytes,
                          struct steptime_error *err)
{
    enum { PARTS_BEFORE = 4 }; /* read in order: a small file is not worth a thread */
    struct kineto *k = kineto_new(trace);
    k->window = window;
    if (threads > 1)
        k->plan = (struct part_plan){threads, part_bytes, PARTS_BEFORE * (int64_t)part_bytes, (int64_t)part_bytes};
    read_documents(k);
    const bool list = k->found_list, filled = k->seen.records > 0;
    kineto_free(k);
    if (!list)
        return fail(err, STEPTIME_INPUT, "is JSON without a list of events (traceEvents)");
    return filled || fail(err, STEPTIME_INPUT, "has no events in its list");
}

bool kineto_read(struct source *source, _Atomic int64_t *progress, struct trace *trace, struct steptime_error *err)
{
    enum { PART_BYTES = 512 << 10 };
    struct json_window window;
    json_window_open(&window, source, JSON_WINDOW, progress);
    const bool good = kineto_read_in_parts(&window, trace, par_cores(), PART_BYTES, err);
    json_window_close(&window);
    return good;
}
