/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace that comes in small pieces, or is read in parts on several threads, is the same as the trace that comes at
 * once. The first byte sets the size of the pieces and parts.
 */
#include <stdint.h>
#include <stdlib.h>

#include "read/kineto.h"
#include "read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct trace *read_in_pieces(const uint8_t *bytes, size_t size, size_t piece)
{
    struct source *source = source_of_bytes("input", bytes, size, piece);
    struct trace *trace = trace_read_source(source, NULL, NULL);
    source_close(source);
    return trace;
}

enum { WINDOW = 300 }; /* small, so that it moves on before the first part; but an event's head fits in it */

/* By one thread all is read in order. */
static struct trace *read_on_threads(const uint8_t *bytes, size_t size, unsigned threads, size_t part)
{
    struct source *source = source_of_bytes("input", bytes, size, SIZE_MAX);
    struct json_window window;
    json_window_open(&window, source, WINDOW, NULL);
    struct trace *trace = trace_new();
    if (kineto_read_in_parts(&window, trace, threads, part, NULL)) {
        trace_finish(trace);
    } else {
        trace_free(trace);
        trace = NULL;
    }
    json_window_close(&window);
    source_close(source);
    return trace;
}

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void same(const struct trace *a, const struct trace *b)
{
    must(a->count == b->count && a->repaired == b->repaired && a->dropped == b->dropped);
    must(a->note_count == b->note_count && a->lane_count == b->lane_count);
    for (uint32_t i = 0; i < a->lane_count; i++)
        must(a->lanes[i].name == b->lanes[i].name && a->lanes[i].id == b->lanes[i].id);
    for (uint32_t row = 0; row < a->count; row++) {
        must(a->parent[row] == b->parent[row] && a->cause[row] == b->cause[row]);
        must(a->start_ns[row] == b->start_ns[row] && a->dur_ns[row] == b->dur_ns[row] && a->kind[row] == b->kind[row]);
        must(a->lane[row] == b->lane[row] && str_eq(trace_name(a, row), trace_name(b, row)));
        for (int attr = 0; attr < ATTRS; attr++)
            must(trace_attr_or(a, row, attr, -1) == trace_attr_or(b, row, attr, -1));
    }
    for (uint32_t i = 0; i < a->note_count; i++)
        must(a->notes[i].offset == b->notes[i].offset && str_eq(a->notes[i].text, b->notes[i].text));
}

/* How far a damaged packing gets may depend on its pieces. */
static bool is_packed(uint8_t first)
{
    enum { GZIP = 0x1f, ZSTD = 0x28 };
    return first == GZIP || first == ZSTD;
}

/* Takes over both. */
static void compare(struct trace *a, struct trace *b)
{
    must(!a == !b);
    if (a)
        same(a, b);
    trace_free(a);
    trace_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2 || is_packed(bytes[1]))
        return 0;
    const size_t piece = (size_t)bytes[0] + 1;
    bytes++;
    size--;
    compare(read_in_pieces(bytes, size, SIZE_MAX), read_in_pieces(bytes, size, piece));
    compare(read_on_threads(bytes, size, 1, 0), read_on_threads(bytes, size, 2, 40 + piece));
    return 0;
}
