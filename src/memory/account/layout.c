/* SPDX-License-Identifier: Apache-2.0 */
/* At the end, by blocks; and which segments a request may use. */
#include "layout.h"

#include "base/order.h"
#include "base/sum.h"

enum { MOST_SMALL = 1 << 20 }; /* of PyTorch's allocator: larger requests are large ones */

struct memory_request memory_request_of(const struct memory_log *log, int64_t row)
{
    return (struct memory_request){log->events[row].bytes <= MOST_SMALL, log->events[row].stream};
}

bool memory_request_may_use(struct memory_request request, bool small, bool private, uint8_t stream)
{
    const bool same_stream =
        request.stream == MEMORY_ANY_STREAM || stream == MEMORY_ANY_STREAM || stream == request.stream;
    return !private && small == request.small && same_stream;
}

static void add_free(const struct memory_block *block, bool usable, struct memory_layout *out)
{
    sum_to(&out->free, block->bytes);
    if (!usable)
        return;
    sum_to(&out->usable, block->bytes);
    out->largest = larger_of(out->largest, block->bytes);
    out->pieces++;
}

static void add_segment(const struct memory_log *log, const struct memory_segment *segment, struct memory_layout *out)
{
    const int64_t free_before = out->free;
    const bool usable =
        memory_request_may_use(memory_request_large(), segment->small, segment->private, segment->stream);
    bool used = false;
    sum_to(&out->reserved, segment->bytes);
    for (uint32_t k = 0; k < segment->blocks; k++) {
        const struct memory_block *block = &log->blocks[segment->first_block + k];
        if (block->state == MEMORY_INACTIVE) {
            add_free(block, usable, out);
            continue;
        }
        used = true;
        sum_to(&out->held, block->bytes);
        if (block->state == MEMORY_ACTIVE)
            sum_to(&out->rounding, sum_add(block->bytes, -block->requested));
    }
    if (used)
        sum_to(&out->stuck, out->free - free_before);
}

struct memory_layout memory_layout_end(const struct memory_log *log, uint16_t device)
{
    struct memory_layout out = {.known = log->has_segments};
    for (size_t i = log->segment_begin[device]; i < log->segment_begin[device + 1]; i++)
        add_segment(log, &log->segments[i], &out);
    return out;
}
