/* SPDX-License-Identifier: Apache-2.0 */
#include "blocking.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

static str name_of(const struct trace *trace, uint32_t row)
{
    return row == ROW_NONE ? S("") : trace_name(trace, row);
}

/* The exact line of the call where the recording has it, else the frame. */
static str frame_of(const struct trace *trace, uint32_t row)
{
    const uint32_t frame = trace_frame(trace, row);
    if (frame == ROW_NONE)
        return S("");
    const str line = trace_attr_text(trace, frame, ATTR_CALL_FROM);
    return line.len ? line : trace_name(trace, frame);
}

static struct breakdown_blocking described(const struct trace *trace, uint32_t row)
{
    const uint32_t op = trace_operator(trace, row);
    return (struct breakdown_blocking){
        .call = trace_name(trace, row), .op = name_of(trace, op), .frame = frame_of(trace, row), .longest_row = row};
}

static int64_t key_of(const struct breakdown_blocking *b)
{
    const uint64_t call = hash_bytes(b->call.at, b->call.len);
    const uint64_t op = hash_bytes(b->op.at, b->op.len);
    return (int64_t)hash_mix(hash_mix(call ^ op * 3) ^ hash_bytes(b->frame.at, b->frame.len));
}

/* The sum of such calls, found or added. Two keys that collide are kept apart by counting the second one up. */
static struct breakdown_blocking *place(struct blocking *blocking, const struct breakdown_blocking *like)
{
    for (int64_t key = key_of(like);; key = (int64_t)((uint64_t)key + 1)) {
        const uint32_t at = map_get(&blocking->places, key);
        if (at != MAP_NONE && blocking_alike(&blocking->sums[at], like))
            return &blocking->sums[at];
        if (at != MAP_NONE)
            continue;
        map_put(&blocking->places, key, (uint32_t)blocking->count);
        blocking->sums = mem_grow(blocking->sums, &blocking->room, blocking->count + 1, sizeof *blocking->sums);
        blocking->sums[blocking->count] = *like;
        return &blocking->sums[blocking->count++];
    }
}

void blocking_add(struct blocking *blocking, uint32_t row, int64_t ns)
{
    const struct breakdown_blocking like = described(blocking->trace, row);
    struct breakdown_blocking *sum = place(blocking, &like);
    sum->stretches++;
    sum->total_ns += ns;
    if (ns > sum->longest_ns) {
        sum->longest_ns = ns;
        sum->longest_row = row;
    }
}

struct breakdown_blocking *blocking_sums(const struct blocking *blocking, struct arena *arena)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, blocking->count, sizeof *order);
    for (size_t i = 0; i < blocking->count; i++)
        order[i] = (struct keyed){-blocking->sums[i].total_ns, (uint32_t)i};
    sort_keyed(order, blocking->count);
    struct breakdown_blocking *sums = arena_array(arena, blocking->count, sizeof *sums);
    for (size_t i = 0; i < blocking->count; i++) {
        sums[i] = blocking->sums[order[i].row];
        sums[i].call = str_copy(arena, sums[i].call);
        sums[i].op = str_copy(arena, sums[i].op);
        sums[i].frame = str_copy(arena, sums[i].frame);
    }
    arena_free(&scratch);
    return sums;
}

void blocking_free(struct blocking *blocking)
{
    map_free(&blocking->places);
    mem_free(blocking->sums);
}
