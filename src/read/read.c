/* SPDX-License-Identifier: Apache-2.0 */
#include "read.h"

#include "base/error.h"
#include "cuda_recorder.h"
#include "execution.h"
#include "kineto.h"
#include "sniff.h"

/* A format: how its first bytes look, as unpacked, and who reads it: the reader of its kind. */
struct reader {
    const char *format;
    enum input_kinds kind;
    bool (*sniff)(str head);
    bool (*trace)(struct source *source, _Atomic int64_t *progress, struct trace *trace, struct steptime_error *err);
    bool (*execution)(struct source *source, _Atomic int64_t *progress, struct execution *execution,
                      struct steptime_error *err);
    struct sketch *(*sketch)(struct source *source, _Atomic int64_t *progress, struct steptime_error *err);
};

static const struct reader readers[] = {
    {"trace-event json", INPUT_TRACE, sniff_kineto, .trace = kineto_read},
    {"execution trace", INPUT_EXECUTION, sniff_execution, .execution = execution_read},
    {"steptime cuda", INPUT_TRACE, sniff_cuda_recorder, .trace = cuda_recorder_read},
    {"sketch", INPUT_SKETCH, sketch_sniff, .sketch = sketch_read},
};

/* ---- which reader ---- */

enum { HEAD = 64 << 10 };

/* The first bytes of the source. A head of blanks says nothing of what follows: it is passed over. */
static str head_of(struct source *source)
{
    for (;;) {
        const str head = source_head(source, HEAD);
        if (head.len < HEAD || str_trim(head).len)
            return head;
        char blanks[HEAD];
        source_read(source, blanks, sizeof blanks);
    }
}

static const struct reader *reader_of(str head, unsigned kinds)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if ((readers[i].kind & kinds) && readers[i].sniff(head))
            return &readers[i];
    return NULL;
}

static bool no_reader(str head, struct source *source, struct steptime_error *err)
{
    const str path = str_of(source_path(source));
    const char *kind = sniff_other(head);
    const char *damage = head.len ? NULL : source_damage(source);
    if (damage)
        return fail_at(err, STEPTIME_INPUT, path, -1, "%s", damage);
    return fail_at(err, STEPTIME_INPUT, path, -1, kind ? "is not a trace but %s" : "is of no kind known here", kind);
}

/* ---- traces ---- */

static void note_end(struct trace *trace, struct source *source)
{
    const char *damage = source_damage(source);
    trace->info.file_bytes = source_offset(source);
    trace->info.cut |= damage != NULL;
    if (damage)
        trace_note(trace, NOTE_REMARK, trace->info.file_bytes, "%s", damage);
    if (!trace->count)
        trace_note(trace, NOTE_REMARK, -1, "the file holds no events that have a time");
}

static struct trace *read_trace(const struct reader *reader, struct source *source, _Atomic int64_t *progress,
                                struct steptime_error *err)
{
    struct trace *trace = trace_new();
    const str path = str_of(source_path(source));
    trace->info.path = str_copy(trace_arena(trace), path);
    trace->info.format = str_of(reader->format);
    struct steptime_error why;
    if (!reader->trace(source, progress, trace, &why)) {
        fail_at(err, STEPTIME_INPUT, path, -1, "%s", why.message);
        trace_free(trace);
        return NULL;
    }
    note_end(trace, source);
    trace_finish(trace);
    return trace;
}

/* ---- execution traces ---- */

static struct execution *read_execution(const struct reader *reader, struct source *source, _Atomic int64_t *progress,
                                        struct steptime_error *err)
{
    struct execution *execution = execution_new();
    const str path = str_of(source_path(source));
    execution->path = str_copy(&execution->arena, path);
    struct steptime_error why;
    if (!reader->execution(source, progress, execution, &why)) {
        fail_at(err, STEPTIME_INPUT, path, -1, "%s", why.message);
        execution_free(execution);
        return NULL;
    }
    execution->file_bytes = source_offset(source);
    const char *damage = source_damage(source);
    if (damage)
        execution_note(execution, NOTE_REMARK, execution->file_bytes, "%s", damage);
    return execution;
}

/* ---- sketches ---- */

static struct sketch *read_sketch(const struct reader *reader, struct source *source, _Atomic int64_t *progress,
                                  struct steptime_error *err)
{
    struct steptime_error why;
    struct sketch *sketch = reader->sketch(source, progress, &why);
    if (!sketch)
        fail_at(err, STEPTIME_INPUT, str_of(source_path(source)), -1, "%s", why.message);
    return sketch;
}

/* ---- any of them ---- */

bool input_read_source(struct source *source, unsigned kinds, _Atomic int64_t *progress, struct input *input,
                       struct steptime_error *err)
{
    const str head = head_of(source);
    const struct reader *reader = reader_of(head, kinds);
    *input = (struct input){0};
    if (!reader)
        return no_reader(head, source, err);
    if (reader->trace)
        input->trace = read_trace(reader, source, progress, err);
    else if (reader->execution)
        input->execution = read_execution(reader, source, progress, err);
    else
        input->sketch = read_sketch(reader, source, progress, err);
    return input->execution || input->trace || input->sketch;
}

bool input_read(const char *path, unsigned kinds, _Atomic int64_t *progress, struct input *input,
                struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    *input = (struct input){0};
    if (!source)
        return false;
    const bool fine = input_read_source(source, kinds, progress, input, err);
    source_close(source);
    return fine;
}

void input_free(struct input *input)
{
    trace_free(input->trace);
    execution_free(input->execution);
    sketch_free(input->sketch);
    *input = (struct input){0};
}

struct trace *trace_read_source(struct source *source, _Atomic int64_t *progress, struct steptime_error *err)
{
    struct input input;
    input_read_source(source, INPUT_TRACE, progress, &input, err);
    return input.trace;
}

struct trace *trace_read(const char *path, _Atomic int64_t *progress, struct steptime_error *err)
{
    struct input input;
    input_read(path, INPUT_TRACE, progress, &input, err);
    return input.trace;
}
