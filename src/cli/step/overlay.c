/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input is copied byte for byte, whatever is wrong with it, and the marks go
 * in at the beginning of its list of events. There, because that place is found
 * without understanding the events: the end is missing in a file that broke off,
 * and lost behind an unescaped quote.
 */
#include "overlay.h"

#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "io/source.h"
#include "io/writer.h"
#include "text/json_writer.h"

/* ---- marks ---- */

struct marks {
    const struct critical_path *path;
    struct writer *out;
    bool any;
};

static struct json_writer begin_mark(struct marks *marks, str phase, str name)
{
    writer_put(marks->out, marks->any ? S(",\n") : S("\n"));
    marks->any = true;
    struct json_writer json = json_write_begin(marks->out);
    json_write_object(&json, JSON_FLAT);
    json_write_key(&json, S("ph"));
    json_write_text(&json, phase);
    json_write_key(&json, S("cat"));
    json_write_text(&json, S("critical_path"));
    json_write_key(&json, S("name"));
    json_write_text(&json, name);
    return json;
}

static void end_mark(struct json_writer *json)
{
    json_write_end(json);
    json_write_finish(json);
}

/* Microseconds with three decimals, exact. */
static void write_us(struct json_writer *json, str key, int64_t ns)
{
    char text[32];
    const bool minus = ns < 0;
    const uint64_t size = minus ? 0 - (uint64_t)ns : (uint64_t)ns;
    const int len = format_text(text, sizeof text, "%s%llu.%03u", minus ? "-" : "", (unsigned long long)(size / 1000),
                                (unsigned)(size % 1000));
    json_write_key(json, key);
    json_write_raw(json, (str){text, (size_t)len});
}

static void write_place(struct json_writer *json, str key, int64_t number, str text)
{
    json_write_key(json, key);
    if (text.len)
        json_write_text(json, text);
    else
        json_write_int(json, number);
}

/* The track that holds the path. */
static const str track_process = {"critical path", 13};

static void put_slice(struct marks *marks, const struct path_stretch *stretch)
{
    const str name = marks->path->names[stretch->name];
    const str title = str_of(path_class_title(stretch->class));
    struct json_writer json = begin_mark(marks, S("X"), name.len ? name : title);
    write_place(&json, S("pid"), 0, track_process);
    write_place(&json, S("tid"), 0, S(""));
    write_us(&json, S("ts"), marks->path->origin_ns + stretch->start_ns);
    write_us(&json, S("dur"), stretch->end_ns - stretch->start_ns);
    json_write_key(&json, S("args"));
    json_write_object(&json, JSON_FLAT);
    json_write_key(&json, S("critical"));
    json_write_text(&json, str_of(path_class_id(stretch->class)));
    if (stretch->row != ROW_NONE) {
        json_write_key(&json, S("event"));
        json_write_int(&json, stretch->row);
    }
    json_write_end(&json);
    end_mark(&json);
}

static void put_arrow_end(struct marks *marks, str phase, uint32_t lane, int64_t time_ns, uint32_t id)
{
    const struct path_lane *place = &marks->path->lanes[lane];
    struct json_writer json = begin_mark(marks, phase, S("critical path"));
    json_write_key(&json, S("id"));
    json_write_int(&json, id);
    write_place(&json, S("pid"), place->process, place->process_text);
    write_place(&json, S("tid"), place->id, place->id_text);
    write_us(&json, S("ts"), marks->path->origin_ns + time_ns);
    if (str_eq(phase, S("f"))) {
        json_write_key(&json, S("bp"));
        json_write_text(&json, S("e"));
    }
    end_mark(&json);
}

static bool works(const struct path_stretch *stretch)
{
    return stretch->lane != LANE_NONE && stretch->class != PATH_LATENCY && stretch->class != PATH_QUEUE &&
           stretch->class != PATH_DEPENDENCY && stretch->class != PATH_UNKNOWN;
}

/* An arrow leaves from inside its slice: the end itself is outside. */
static void put_arrow(struct marks *marks, const struct path_stretch *from, const struct path_stretch *to, uint32_t id)
{
    put_arrow_end(marks, S("s"), from->lane, from->end_ns - 1, id);
    put_arrow_end(marks, S("f"), to->lane, to->start_ns, id);
}

static void put_name(struct marks *marks, str what, str name)
{
    struct json_writer json = begin_mark(marks, S("M"), what);
    write_place(&json, S("pid"), 0, track_process);
    write_place(&json, S("tid"), 0, S(""));
    json_write_key(&json, S("args"));
    json_write_object(&json, JSON_FLAT);
    json_write_key(&json, S("name"));
    json_write_text(&json, name);
    json_write_end(&json);
    end_mark(&json);
}

static void put_marks(const struct critical_path *path, struct writer *out)
{
    struct marks marks = {.path = path, .out = out};
    put_name(&marks, S("process_name"), track_process);
    put_name(&marks, S("thread_name"), S("longest path"));
    const struct path_stretch *before = NULL;
    for (uint32_t i = 0; i < path->stretch_count; i++) {
        const struct path_stretch *stretch = &path->stretches[i];
        put_slice(&marks, stretch);
        if (!works(stretch))
            continue;
        if (before && before->lane != stretch->lane)
            put_arrow(&marks, before, stretch, i);
        before = stretch;
    }
}

/* ---- where the events begin ---- */

enum { KEY_ROOM = 16 }; /* longer keys are not the one */

struct place {
    unsigned depth;
    bool in_text, escaped;
    bool is_events; /* the last text at depth 1 is "traceEvents" */
    char key[KEY_ROOM];
    size_t key_len;
    bool found;
};

static void in_text(struct place *place, char c)
{
    if (place->escaped) {
        place->escaped = false;
    } else if (c == '\\') {
        place->escaped = true;
    } else if (c == '"') {
        place->in_text = false;
        place->is_events = place->depth == 1 && str_eq((str){place->key, place->key_len}, S("traceEvents"));
        return;
    }
    if (place->key_len < KEY_ROOM)
        place->key[place->key_len++] = c;
}

static void between_texts(struct place *place, char c)
{
    switch (c) {
    case '"':
        place->in_text = true;
        place->key_len = 0;
        break;
    case '[':
        place->found = place->depth == 0 || place->is_events;
        place->depth++;
        break;
    case '{':
        place->depth++;
        break;
    case '}':
    case ']':
        place->depth -= place->depth > 0;
        break;
    case ',':
        place->is_events = false;
        break;
    default:
        break;
    }
}

/* The bytes up to and with the bracket that opens the events; all of them if it is not among them. */
static size_t scan(struct place *place, str text)
{
    size_t i = 0;
    while (i < text.len && !place->found) {
        if (place->in_text)
            in_text(place, text.at[i++]);
        else
            between_texts(place, text.at[i++]);
    }
    return i;
}

/* ---- copying ---- */

struct copy {
    const struct critical_path *path;
    struct writer *out;
    struct place place;
    bool comma; /* marks are written; before the first event of the file goes a comma */
};

static void copy_text(struct copy *copy, str text)
{
    if (!copy->place.found) {
        const size_t head = scan(&copy->place, text);
        writer_put(copy->out, (str){text.at, head});
        text = str_from(text, head);
        if (!copy->place.found)
            return;
        put_marks(copy->path, copy->out);
        copy->comma = true;
    }
    while (copy->comma && text.len) {
        if (!char_is_blank(*text.at)) {
            writer_put(copy->out, *text.at == ']' ? S("\n") : S(",\n"));
            copy->comma = false;
            break;
        }
        text = str_from(text, 1);
    }
    writer_put(copy->out, text);
}

static bool copy_all(struct copy *copy, struct source *source)
{
    enum { CHUNK = 1 << 16 };
    char *chunk = mem_alloc(CHUNK);
    for (size_t got; (got = source_read(source, chunk, CHUNK)) > 0;)
        copy_text(copy, (str){chunk, got});
    mem_free(chunk);
    return copy->place.found;
}

bool overlay_check(const char *file, struct steptime_error *err)
{
    const str name = str_of(file);
    if (str_ends(name, S(".gz")) || str_ends(name, S(".zst")))
        return fail_at(err, STEPTIME_USAGE, name, -1,
                       "the overlay is written as plain JSON; give a name without .gz or .zst");
    if (str_ends(name, S(".pftrace")) || str_ends(name, S(".perfetto-trace")))
        return fail_at(
            err, STEPTIME_USAGE, name, -1,
            "the overlay is the trace's own JSON; 'steptime export -o %s TRACE' writes Perfetto's form, the path in it",
            file);
    return true;
}

bool overlay_write(const struct critical_path *path, const char *file, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct source *source = source_open(str_z(&scratch, path->path), err);
    arena_free(&scratch);
    if (!source)
        return false;
    struct writer *out = writer_open(file, err);
    if (!out) {
        source_close(source);
        return false;
    }
    struct copy copy = {.path = path, .out = out};
    const bool found = copy_all(&copy, source);
    source_close(source);
    if (found)
        return writer_close(out, err);
    writer_abandon(out);
    return fail_at(err, STEPTIME_INPUT, path->path, -1, "has no list of events to put the path into");
}
