/* SPDX-License-Identifier: Apache-2.0 */
#include "read.h"

#include "base/error.h"
#include "execution.h"
#include "kineto.h"
#include "sniff.h"

struct reader {
    const char *format;
    bool (*sniff)(str head);
    bool (*read)(struct json_window *window, struct trace *trace, struct steptime_error *err);
};

static const struct reader readers[] = {
    {"trace-event json", sniff_kineto, kineto_read},
};

enum { HEAD = 64 << 10 };

static str head_in(struct json_window *window)
{
    while (window->end - window->at < HEAD && json_window_more(window, window->room))
        ;
    const size_t held = (size_t)(window->end - window->at);
    return (str){window->at, held < HEAD ? held : HEAD};
}

/* The first bytes of the source, without taking them; more blanks than that before them are passed over. */
static str head_of(struct json_window *window)
{
    const str head = head_in(window);
    if (head.len < HEAD || json_blank(head.at) < head.at + head.len)
        return head;
    json_window_peek(window);
    return head_in(window);
}

static const struct reader *reader_of(str head)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].sniff(head))
            return &readers[i];
    return NULL;
}

static bool not_a_trace(str head, struct source *source, struct steptime_error *err)
{
    const str path = str_of(source_path(source));
    const char *kind = sniff_other(head);
    const char *damage = head.len ? NULL : source_damage(source);
    if (damage)
        return fail_at(err, STEPTIME_INPUT, path, -1, "%s", damage);
    return fail_at(err, STEPTIME_INPUT, path, -1, kind ? "is not a trace but %s" : "is of no kind known here", kind);
}

/* What is known only once all bytes have come. */
static void note_end(struct trace *trace, struct json_window *window, struct source *source)
{
    const int64_t bytes = json_window_offset(window, window->end);
    const char *damage = source_damage(source);
    trace->info.file_bytes = bytes;
    if (damage)
        trace_note(trace, NOTE_REMARK, bytes, "%s", damage);
}

/* ---- traces ---- */

static bool fill(struct json_window *window, struct source *source, str head, struct trace *trace,
                 struct steptime_error *err)
{
    const struct reader *reader = reader_of(head);
    if (!reader)
        return not_a_trace(head, source, err);
    const str path = str_of(source_path(source));
    trace->info.path = str_copy(trace_arena(trace), path);
    trace->info.format = str_of(reader->format);
    struct steptime_error why;
    if (!reader->read(window, trace, &why))
        return fail_at(err, STEPTIME_INPUT, path, -1, "%s", why.message);
    note_end(trace, window, source);
    if (!trace->count)
        trace_note(trace, NOTE_REMARK, -1, "the file holds no events that have a time");
    return true;
}

static struct trace *read_trace(struct json_window *window, struct source *source, str head, struct steptime_error *err)
{
    struct trace *trace = trace_new();
    if (!fill(window, source, head, trace, err)) {
        trace_free(trace);
        return NULL;
    }
    trace_finish(trace);
    return trace;
}

/* ---- execution traces ---- */

static struct execution *read_execution(struct json_window *window, struct source *source, struct steptime_error *err)
{
    struct execution *execution = execution_new();
    const str path = str_of(source_path(source));
    execution->path = str_copy(&execution->arena, path);
    struct steptime_error why;
    if (!execution_read_window(window, execution, &why)) {
        fail_at(err, STEPTIME_INPUT, path, -1, "%s", why.message);
        execution_free(execution);
        return NULL;
    }
    const char *damage = source_damage(source);
    if (damage)
        execution_note(execution, NOTE_REMARK, execution->file_bytes, "%s", damage);
    return execution;
}

/* ---- either ---- */

static bool read_input(struct source *source, _Atomic int64_t *progress, bool traces_only, struct input *input,
                       struct steptime_error *err)
{
    struct json_window window;
    json_window_open(&window, source, JSON_WINDOW, progress);
    const str head = head_of(&window);
    *input = (struct input){0};
    if (!traces_only && sniff_execution(head))
        input->execution = read_execution(&window, source, err);
    else
        input->trace = read_trace(&window, source, head, err);
    json_window_close(&window);
    return input->execution || input->trace;
}

bool input_read_source(struct source *source, _Atomic int64_t *progress, struct input *input,
                       struct steptime_error *err)
{
    return read_input(source, progress, false, input, err);
}

bool input_read(const char *path, _Atomic int64_t *progress, struct input *input, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    const bool fine = input_read_source(source, progress, input, err);
    source_close(source);
    return fine;
}

struct trace *trace_read_source(struct source *source, _Atomic int64_t *progress, struct steptime_error *err)
{
    struct input input;
    read_input(source, progress, true, &input, err);
    return input.trace;
}

struct trace *trace_read(const char *path, _Atomic int64_t *progress, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return NULL;
    struct trace *trace = trace_read_source(source, progress, err);
    source_close(source);
    return trace;
}
