/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of profilers as text, read into a trace. */
#ifndef KINETO_CASE_H
#define KINETO_CASE_H

#include "base/buf.h"
#include "unit/cmocka_first.h"
#include "read/read.h"

static inline struct trace *read_text(str text)
{
    struct source *source = source_of_bytes("trace.json", text.at, text.len, SIZE_MAX);
    struct steptime_error err;
    struct trace *trace = trace_read_source(source, NULL, &err);
    source_close(source);
    return trace;
}

/* A trace of the events, which are written with ' for ". */
static inline struct trace *trace_of(const char *events)
{
    struct buf text = {0};
    buf_printf(&text, "{\"traceEvents\": [%s]}", events);
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\'')
            text.at[i] = '"';
    struct trace *trace = read_text(buf_str(&text));
    buf_free(&text);
    assert_non_null(trace);
    return trace;
}

static inline bool noted(const struct trace *trace, const char *what)
{
    for (uint32_t i = 0; i < trace->note_count; i++)
        if (str_has(trace->notes[i].text, str_of(what)))
            return true;
    return false;
}

#endif
