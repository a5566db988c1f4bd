/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that comes in small pieces is the same as the trace that comes at once. The first byte sets the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>

#include "read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct trace *read_in_pieces(const uint8_t *bytes, size_t size, size_t piece)
{
    struct source *source = source_of_bytes("input", bytes, size, piece);
    struct trace *trace = trace_read_source(source, NULL, NULL);
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
    for (uint32_t row = 0; row < a->count; row++) {
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2 || is_packed(bytes[1]))
        return 0;
    struct trace *whole = read_in_pieces(bytes + 1, size - 1, SIZE_MAX);
    struct trace *pieces = read_in_pieces(bytes + 1, size - 1, (size_t)bytes[0] + 1);
    must(!whole == !pieces);
    if (whole)
        same(whole, pieces);
    trace_free(whole);
    trace_free(pieces);
    return 0;
}
