/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of overheads, our own and published ones. Two types of rows are no overheads: "profiler" says what was taken
 * off for an event, "event" what an event costs that was not taken off.
 */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "io/source.h"
#include "overheads_private.h"
#include "text/csv_reader.h"
#include "text/json.h"

enum { MOST_FILE_BYTES = 64 << 20 };

struct table_reading {
    const char *path;
    struct arena *arena; /* of the result */
    struct overheads *into;
    size_t room; /* of into->rows, which stands on the heap while it grows */
};

/* ---- rows ---- */

static void add_row(struct table_reading *r, enum overhead_kind kind, str name, struct overhead overhead)
{
    struct overheads *into = r->into;
    into->rows = mem_grow(into->rows, &r->room, into->count + 1, sizeof *into->rows);
    into->rows[into->count++] =
        (struct overhead_row){.kind = kind, .name = str_copy(r->arena, name), .overhead = overhead};
}

static bool kind_of(str word, enum overhead_kind *kind)
{
    for (int i = 0; i < OVERHEADS; i++)
        if (str_eq(word, overhead_word((enum overhead_kind)i))) {
            *kind = (enum overhead_kind)i;
            return true;
        }
    return false;
}

/* ---- CSV ---- */

struct columns {
    uint32_t type, name, mean, sd, profiler, whole, median, count; /* UINT32_MAX: not there */
};

static uint32_t either(const struct csv_row *header, str name, str other)
{
    const uint32_t column = csv_column(header, name);
    return column == UINT32_MAX ? csv_column(header, other) : column;
}

static struct columns columns_of(const struct csv_row *header)
{
    return (struct columns){
        .type = csv_column(header, S("type")),
        .name = either(header, S("op_or_call"), S("op_or_runtime_call")),
        .mean = csv_column(header, S("mean_us")),
        .sd = csv_column(header, S("std_us")),
        .profiler = csv_column(header, S("profiler_us")),
        .whole = csv_column(header, S("whole_us")),
        .median = csv_column(header, S("median_us")),
        .count = csv_column(header, S("count")),
    };
}

/* A time that can be: finite, not negative. An absent one is `otherwise`. */
static bool time_of(const struct csv_row *row, uint32_t column, double otherwise, double *us)
{
    const str text = column == UINT32_MAX ? S("") : csv_field(row, column);
    *us = otherwise;
    return !text.len || (real_read(text, us) && *us >= 0 && *us <= 1e12);
}

static bool count_of(const struct csv_row *row, uint32_t column, uint64_t *count)
{
    const str text = column == UINT32_MAX ? S("") : csv_field(row, column);
    int64_t value = 1;
    if (text.len && (!str_int(text, &value) || value < 1 || value > (int64_t)1 << 48))
        return false;
    *count = (uint64_t)value;
    return true;
}

static bool read_row(struct table_reading *r, const struct columns *columns, const struct csv_row *row, uint32_t line,
                     struct steptime_error *err)
{
    struct overhead overhead;
    enum overhead_kind kind;
    const str word = csv_field(row, columns->type);
    if (!time_of(row, columns->mean, -1, &overhead.mean_us) || overhead.mean_us < 0 ||
        !time_of(row, columns->sd, 0, &overhead.sd_us) || !time_of(row, columns->profiler, 0, &overhead.profiler_us) ||
        !time_of(row, columns->whole, overhead.mean_us + overhead.profiler_us, &overhead.whole_us) ||
        !time_of(row, columns->median, overhead.mean_us + overhead.profiler_us, &overhead.median_us) ||
        !count_of(row, columns->count, &overhead.count))
        return fail_at(err, STEPTIME_INPUT, str_of(r->path), -1, "line %u: a time or count is none", line);
    if (str_eq(word, S("profiler")))
        r->into->profiler_us = overhead.mean_us;
    else if (str_eq(word, S("event")))
        r->into->event_us = overhead.mean_us;
    else if (kind_of(word, &kind))
        add_row(r, kind, csv_field(row, columns->name), overhead);
    else
        return fail_at(err, STEPTIME_INPUT, str_of(r->path), -1, "line %u: there is no overhead '%.*s'", line,
                       (int)(word.len < 40 ? word.len : 40), word.at);
    return true;
}

static bool read_csv(struct table_reading *r, str text, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct csv_reader reader = csv_reader(text);
    struct csv_row row = {0};
    bool good = csv_next(&reader, &scratch, &row);
    const struct columns columns = good ? columns_of(&row) : (struct columns){.type = UINT32_MAX};
    if (columns.type == UINT32_MAX || columns.name == UINT32_MAX || columns.mean == UINT32_MAX)
        good = fail_at(err, STEPTIME_INPUT, str_of(r->path), -1,
                       "is no table of overheads: it lacks the columns type, op_or_call, mean_us");
    while (good && csv_next(&reader, &scratch, &row))
        good = read_row(r, &columns, &row, reader.line, err);
    arena_free(&scratch);
    return good;
}

/* ---- the JSON of the authors' predictor: {"t1": [mean, sd], "t2": {"aten::relu": [mean, sd], ...}, ...} ---- */

static void read_pair(struct table_reading *r, struct json *json, enum overhead_kind kind, str name)
{
    double mean = -1, sd = 0;
    if (json_enter(json)) {
        if (json_item(json))
            json_real(json, &mean);
        if (json_item(json))
            json_real(json, &sd);
        while (json_item(json))
            json_skip(json);
    }
    if (!json->failed && isfinite(mean) && isfinite(sd) && mean >= 0 && sd >= 0)
        add_row(r, kind, name,
                (struct overhead){.mean_us = mean, .sd_us = sd, .whole_us = mean, .median_us = mean, .count = 1});
    else
        json->failed = true;
}

static void read_kind(struct table_reading *r, struct json *json, enum overhead_kind kind)
{
    if (json_peek(json) == '[') {
        read_pair(r, json, kind, S(""));
        return;
    }
    if (json_enter(json))
        for (str name; json_key(json, &name);)
            read_pair(r, json, kind, name);
}

static bool read_json(struct table_reading *r, str text, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct json json = json_of(text, &scratch);
    enum overhead_kind kind;
    const char *begin = json.at;
    if (json_enter(&json))
        for (str key; json_key(&json, &key);) {
            if (kind_of(key, &kind))
                read_kind(r, &json, kind);
            else
                json_skip(&json);
        }
    const bool good = !json.failed || fail_at(err, STEPTIME_INPUT, str_of(r->path), json.at - begin,
                                              "is no table of overheads: a mean and its deviation belong here");
    arena_free(&scratch);
    return good;
}

/* ---- the file ---- */

static bool read_text(const char *path, struct buf *text, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    char block[1 << 14];
    for (size_t got; text->len <= MOST_FILE_BYTES && (got = source_read(source, block, sizeof block)) > 0;)
        buf_add(text, (str){block, got});
    source_close(source);
    return text->len <= MOST_FILE_BYTES ||
           fail_at(err, STEPTIME_INPUT, str_of(path), -1, "is too long for a table of overheads");
}

static void keep_rows(struct table_reading *r)
{
    struct overhead_row *rows = arena_array(r->arena, r->into->count, sizeof *rows);
    if (r->into->count)
        memcpy(rows, r->into->rows, r->into->count * sizeof *rows);
    mem_free(r->into->rows);
    r->into->rows = rows;
}

const struct overheads *overheads_read(const char *path, struct arena *arena, struct steptime_error *err)
{
    struct buf text = {0};
    struct table_reading r = {.path = path, .arena = arena, .into = arena_alloc(arena, sizeof *r.into)};
    bool good = read_text(path, &text, err);
    const str begin = str_trim(buf_str(&text));
    good = good && (str_starts(begin, S("{")) ? read_json(&r, begin, err) : read_csv(&r, buf_str(&text), err));
    if (good && !r.into->count)
        good = fail_at(err, STEPTIME_INPUT, str_of(path), -1, "holds no overheads");
    keep_rows(&r);
    overheads_finish(r.into);
    buf_free(&text);
    return good ? r.into : NULL;
}
