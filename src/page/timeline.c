/* SPDX-License-Identifier: Apache-2.0 */
/* All traces of the page, one behind the other. */
#include "timeline.h"

#include "text/json_writer.h"

static struct page_counts fitting(const struct page_trace *const *traces, uint32_t count)
{
    struct page_counts counts = {0};
    for (; counts.traces < count; counts.traces++) {
        const uint64_t events = counts.events + traces[counts.traces]->events;
        if (counts.traces && events > PAGE_MOST_EVENTS)
            break;
        counts.events = events;
    }
    return counts;
}

static void put_offsets(struct json_writer *json, const struct page_trace *const *traces, uint32_t count)
{
    struct arena arena = {0};
    struct trace_start *starts = arena_array(&arena, count, sizeof *starts);
    int64_t *offsets_ns = arena_array(&arena, count, sizeof *offsets_ns);
    for (uint32_t i = 0; i < count; i++)
        starts[i] = traces[i]->start;
    trace_offsets(starts, count, offsets_ns);
    json_write_key(json, S("offsets"));
    json_write_array(json, JSON_FLAT);
    for (uint32_t i = 0; i < count; i++)
        json_write_int(json, offsets_ns[i]);
    json_write_end(json);
    arena_free(&arena);
}

static void put_head(struct writer *head, const struct page_trace *const *traces, uint32_t count)
{
    struct json_writer json = json_write_begin(head);
    json_write_object(&json, JSON_FLAT);
    put_offsets(&json, traces, count);
    json_write_key(&json, S("traces"));
    json_write_array(&json, JSON_FLAT);
    for (uint32_t i = 0; i < count; i++)
        json_write_raw(&json, writer_text(traces[i]->head));
    json_write_end(&json);
    json_write_end(&json);
    json_write_finish(&json);
}

struct page_counts page_timeline(const struct page_trace *const *traces, uint32_t count, struct buf *data)
{
    const struct page_counts counts = fitting(traces, count);
    struct writer *head = writer_to_memory();
    put_head(head, traces, counts.traces);
    const size_t len = writer_text(head).len;
    char begin[8] = "SPT2";
    for (int i = 0; i < 4; i++)
        begin[4 + i] = (char)(len >> 8 * i);
    buf_add(data, (str){begin, sizeof begin});
    buf_add(data, writer_text(head));
    for (uint32_t i = 0; i < counts.traces; i++)
        buf_add(data, buf_str(&traces[i]->columns));
    writer_abandon(head);
    return counts;
}
