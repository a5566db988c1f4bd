/* SPDX-License-Identifier: Apache-2.0 */
#include "compilelog.h"

#include "base/mem.h"
#include "base/sum.h"
#include "reading.h"
#include "reasons.h"
#include "records.h"
#include "text/json.h"

/* ---- what every record says ---- */

struct head {
    str kind;  /* "dynamo_start" */
    str value; /* its JSON */
    int64_t frame, number, rank;
};

/* The first member names the kind; those behind it say whose record it is. */
static bool read_head(str text, struct arena *scratch, struct head *head)
{
    struct json json = json_of(text, scratch);
    *head = (struct head){.frame = -1, .number = -1, .rank = -1};
    json_enter(&json);
    for (str key; json_key(&json, &key);) {
        if (!head->kind.len) {
            head->kind = key;
            json_raw(&json, &head->value);
        } else if (str_eq(key, S("frame_id")) && json_peek(&json) != 'n')
            json_int(&json, &head->frame);
        else if (str_eq(key, S("frame_compile_id")) && json_peek(&json) != 'n')
            json_int(&json, &head->number);
        else if (str_eq(key, S("rank")) && json_peek(&json) != 'n')
            json_int(&json, &head->rank);
        else
            json_skip(&json);
    }
    return !json.failed && head->kind.len;
}

static struct json value_of(const struct head *head, struct arena *scratch)
{
    struct json json = json_of(head->value, scratch);
    json_enter(&json);
    return json;
}

/* A text or null; "" for null and for anything else. */
static str text_or_none(struct json *json)
{
    str text;
    if (json_peek(json) == '"')
        return json_string(json, &text) ? text : S("");
    json_skip(json);
    return S("");
}

/* A whole number or null; -1 for null, anything else, and what is negative. */
static int64_t count_or_none(struct json *json)
{
    int64_t number;
    if (!json_is_digit(json_peek(json))) {
        json_skip(json);
        return -1;
    }
    return json_int(json, &number) ? number : -1;
}

/* ---- compiles ---- */

enum { MOST_ID = 1 << 30 };

/* That of the record; MAP_NONE where it names none. */
static uint32_t compile_of(struct reading *reading, const struct head *head, int64_t process)
{
    if (head->frame < 0 || head->number < 0 || head->frame > MOST_ID || head->number > MOST_ID)
        return MAP_NONE;
    struct compile_log *log = reading->log;
    const int64_t key = head->frame << 32 | head->number;
    const uint32_t known = map_get(&reading->compiles, key);
    if (known != MAP_NONE)
        return known;
    log->compiles = mem_grow(log->compiles, &log->compile_room, (size_t)log->compile_count + 1, sizeof *log->compiles);
    log->compiles[log->compile_count] = (struct log_compile){
        .rank = head->rank >= 0 ? head->rank : reading->rank,
        .process = process,
        .id = str_printf(log->arena, "%lld/%lld", (long long)head->frame, (long long)head->number),
        .frame = head->frame,
        .number = head->number,
        .start_ns = -1,
        .took_ns = -1,
        .backward_ns = -1,
    };
    map_put(&reading->compiles, key, log->compile_count);
    return log->compile_count++;
}

/* {"str": ["train.py", 1]}: from now on 1 stands for the text. */
static void take_text(struct reading *reading, const struct head *head, struct arena *scratch)
{
    struct json json = value_of(head, scratch);
    str text = S("");
    int64_t number = -1;
    if (json_item(&json) && json_string(&json, &text) && json_item(&json) && json_int(&json, &number))
        map_put(&reading->files, number, intern_id(reading->names, text));
}

/* The frame that a member of "stack" is: its name, and where it stands. */
static struct log_place take_frame(struct reading *reading, struct json *json, str *name)
{
    struct log_place place = {0};
    *name = S("");
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("line")))
            place.line = count_or_none(json);
        else if (str_eq(key, S("name")))
            *name = text_or_none(json);
        else if (str_eq(key, S("filename"))) {
            const uint32_t file = map_get(&reading->files, count_or_none(json));
            place.file = file == MAP_NONE ? S("") : intern_text(reading->names, file);
        } else
            json_skip(json);
    }
    return place;
}

/* The last frame of the stack is the function itself, at its first line. */
static void take_start(struct reading *reading, uint32_t index, const struct head *head, struct arena *scratch)
{
    struct json json = value_of(head, scratch);
    struct log_place place = {0};
    str name = S("");
    for (str key; json_key(&json, &key);) {
        if (!str_eq(key, S("stack"))) {
            json_skip(&json);
            continue;
        }
        json_enter(&json);
        while (json_item(&json))
            place = take_frame(reading, &json, &name);
    }
    struct log_compile *compile = &reading->log->compiles[index];
    if (json.failed || compile->function.len || !name.len)
        return;
    compile->function = str_copy(reading->log->arena, name);
    compile->place = (struct log_place){str_copy(reading->log->arena, place.file), place.line, S("")};
}

static void take_reason(struct compile_log *log, uint32_t index, str text)
{
    struct log_compile *compile = &log->compiles[index];
    const str reason = reason_of(text);
    if (compile->reason.len || !reason.len)
        return;
    compile->reason = str_copy(log->arena, reason);
    compile->size = reason_size(compile->reason);
    compile->value = reason_value(compile->reason);
}

/* How many items a list has; 0 of what is none. */
static uint32_t items(struct json *json)
{
    uint32_t count = 0;
    if (json_peek(json) != '[') {
        json_skip(json);
        return 0;
    }
    json_enter(json);
    while (json_item(json) && json_skip(json))
        count++;
    return count;
}

/* ---- figures of a compile ---- */

struct figures {
    int64_t start_us, took_us, line;
    double start_s, took_s; /* in logs before 2.6 */
    str function, file, reason, failed;
    uint32_t restarts;
};

static double real_or_none(struct json *json)
{
    double real;
    const char first = json_peek(json);
    if (json_is_digit(first))
        return json_real(json, &real) ? real : -1;
    json_skip(json);
    return -1;
}

static void read_figure(struct json *json, str key, struct figures *figures)
{
    if (str_eq(key, S("start_time_us")))
        figures->start_us = count_or_none(json);
    else if (str_eq(key, S("duration_us")))
        figures->took_us = count_or_none(json);
    else if (str_eq(key, S("start_time")))
        figures->start_s = real_or_none(json);
    else if (str_eq(key, S("entire_frame_compile_time_s")))
        figures->took_s = real_or_none(json);
    else if (str_eq(key, S("co_firstlineno")))
        figures->line = count_or_none(json);
    else if (str_eq(key, S("co_name")))
        figures->function = text_or_none(json);
    else if (str_eq(key, S("co_filename")))
        figures->file = text_or_none(json);
    else if (str_eq(key, S("recompile_reason")))
        figures->reason = text_or_none(json);
    else if (str_eq(key, S("fail_reason")))
        figures->failed = text_or_none(json);
    else if (str_eq(key, S("restart_reasons")))
        figures->restarts = items(json);
    else
        json_skip(json);
}

/* Nanoseconds of what is given in microseconds, else in seconds; -1 where neither is, or it is beyond all time. */
static int64_t ns_of(int64_t us, double seconds)
{
    if (us < 0 && seconds >= 0 && seconds < 9e9)
        us = sum_rounded(seconds * 1e6);
    return us >= 0 && us < INT64_MAX / 1000 ? us * 1000 : -1;
}

static str copy_first_line(struct compile_log *log, str text)
{
    str line;
    return str_cut(&text, '\n', &line) ? str_copy(log->arena, str_trim(line)) : S("");
}

static void take_figures(struct reading *reading, uint32_t index, const struct head *head, struct arena *scratch)
{
    struct compile_log *log = reading->log;
    struct log_compile *compile = &log->compiles[index];
    struct figures figures = {.start_us = -1, .took_us = -1, .line = -1, .start_s = -1, .took_s = -1};
    struct json json = value_of(head, scratch);
    for (str key; json_key(&json, &key);)
        read_figure(&json, key, &figures);
    if (json.failed)
        return;
    if (str_eq(head->kind, S("bwd_compilation_metrics"))) {
        compile->backward_ns = ns_of(figures.took_us, figures.took_s);
        return;
    }
    compile->start_ns = ns_of(figures.start_us, figures.start_s);
    compile->took_ns = ns_of(figures.took_us, figures.took_s);
    compile->restarts = figures.restarts;
    compile->failed = copy_first_line(log, figures.failed);
    if (figures.function.len)
        compile->function = str_copy(log->arena, figures.function);
    if (figures.file.len && figures.line > 0)
        compile->place = (struct log_place){str_copy(log->arena, figures.file), figures.line, S("")};
    take_reason(log, index, figures.reason);
}

/* ---- artifacts ---- */

static str artifact_name(const struct head *head, struct arena *scratch)
{
    struct json json = value_of(head, scratch);
    for (str key; json_key(&json, &key);)
        if (str_eq(key, S("name")))
            return text_or_none(&json);
        else
            json_skip(&json);
    return S("");
}

static void take_version(struct compile_log *log, str body, struct arena *scratch)
{
    struct json json = json_of(body, scratch);
    json_enter(&json);
    for (str key; json_key(&json, &key);)
        if (str_eq(key, S("pytorch_version")))
            log->version = str_copy(log->arena, text_or_none(&json));
        else
            json_skip(&json);
}

/* One sentence, or a list of them in JSON: the first is about what was compiled last. */
static void take_recompile(struct compile_log *log, uint32_t index, str body, struct arena *scratch)
{
    str text = str_trim(body);
    struct json json = json_of(text, scratch);
    if (str_starts(text, S("["))) {
        json_enter(&json);
        text = json_item(&json) ? text_or_none(&json) : S("");
    } else if (str_starts(text, S("\"")))
        text = text_or_none(&json);
    take_reason(log, index, text);
}

static void take_break(struct compile_log *log, uint32_t index, str body)
{
    log->breaks = mem_grow(log->breaks, &log->break_room, (size_t)log->break_count + 1, sizeof *log->breaks);
    struct log_break *found = &log->breaks[log->break_count++];
    *found = reason_of_break(body, log->arena);
    found->compile = index;
    log->compiles[index].breaks++;
}

static void take_artifact(struct reading *reading, uint32_t index, str name, str body, struct arena *scratch)
{
    if (str_eq(name, S("torch_version")))
        take_version(reading->log, body, scratch);
    else if (index == MAP_NONE)
        return;
    else if (str_eq(name, S("recompile_reasons")))
        take_recompile(reading->log, index, body, scratch);
    else if (str_eq(name, S("dynamo_graph_break_reason")))
        take_break(reading->log, index, body);
    else if (str_eq(name, S("inductor_provenance_tracking_kernel_stack_traces")))
        reading_stacks(reading, index, body);
}

/* ---- records ---- */

static void take(struct reading *reading, const struct head *head, const struct log_record *record,
                 struct arena *scratch)
{
    if (str_eq(head->kind, S("str"))) {
        take_text(reading, head, scratch);
        return;
    }
    const bool artifact = str_eq(head->kind, S("artifact"));
    const uint32_t index = compile_of(reading, head, record->process);
    if (artifact)
        take_artifact(reading, index, artifact_name(head, scratch), record->body, scratch);
    else if (index == MAP_NONE)
        return;
    else if (str_eq(head->kind, S("dynamo_start")))
        take_start(reading, index, head, scratch);
    else if (str_eq(head->kind, S("compilation_metrics")) || str_eq(head->kind, S("bwd_compilation_metrics")))
        take_figures(reading, index, head, scratch);
    else if (str_eq(head->kind, S("dynamo_output_graph")))
        reading_graph(reading, index, record->body);
    else if (str_eq(head->kind, S("inductor_output_code")))
        reading_code(reading, index, record->body);
}

/* "dedicated_log_torch_trace_rank_3_e7o5b288.log": 3. */
static int64_t rank_of(str name)
{
    const char *const at = memmem(name.at, name.len, "rank_", 5);
    size_t digits = 0;
    if (!at)
        return -1;
    const str rest = str_from(name, (size_t)(at - name.at) + 5);
    while (digits < rest.len && json_is_digit(rest.at[digits]))
        digits++;
    int64_t rank;
    return digits && str_int((str){rest.at, digits}, &rank) ? rank : -1;
}

bool compile_log_add(struct compile_log *log, struct source *source, str name)
{
    struct reading reading = {.log = log, .names = intern_new(), .rank = name.len ? rank_of(name) : -1};
    struct log_records records;
    struct log_record record;
    log_records_open(&records, source);
    while (log_records_next(&records, &record)) {
        struct arena scratch = {0};
        struct head head;
        if (read_head(record.head, &scratch, &head))
            take(&reading, &head, &record, &scratch);
        else
            log->unread++;
        arena_free(&scratch);
    }
    log->records += records.count;
    if (records.count)
        log->unread += records.strange + records.cut;
    log->files += records.count > 0;
    const bool any = records.count > 0;
    log_records_close(&records);
    map_free(&reading.compiles);
    map_free(&reading.files);
    map_free(&reading.nodes);
    map_free(&reading.kernels);
    mem_free(reading.places);
    intern_free(reading.names);
    return any;
}

void compile_log_free(struct compile_log *log)
{
    mem_free(log->compiles);
    mem_free(log->breaks);
    mem_free(log->kernels);
    *log = (struct compile_log){0};
}
