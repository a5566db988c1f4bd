/* SPDX-License-Identifier: Apache-2.0 */
#include "job_sketch.h"

#include "bound_sketch.h"
#include "rank_sketch.h"
#include "responses_sketch.h"
#include "strip_sketch.h"

void job_sketch_write(const struct job_rank *rank, struct arena *arena, struct sketch *sketch)
{
    sketch->sections[SKETCH_RANKS] = rank_sketch_write(rank->numbers, arena);
    sketch->sections[SKETCH_STRIP] = strip_sketch_write(rank->strip, rank->numbers, arena);
    if (rank->responses && rank->responses->steps)
        sketch->sections[SKETCH_RESPONSES] = responses_sketch_write(rank->responses, arena);
    sketch->sections[SKETCH_BOUND] = bound_sketch_write(rank->verdict, rank->holdups, arena);
}

static size_t packed_bytes(const struct sketch *sketch)
{
    struct buf plain = {0}, packed = {0};
    buf_add(&plain, sketch->sections[SKETCH_RANKS]);
    buf_add(&plain, sketch->sections[SKETCH_STRIP]);
    buf_add(&plain, sketch->sections[SKETCH_RESPONSES]);
    pack_zstd(buf_str(&plain), PACK_TIGHT, &packed);
    const size_t bytes = packed.len;
    buf_free(&plain);
    buf_free(&packed);
    return bytes;
}

void job_sketch_write_within(const struct job_rank *rank, size_t step_bytes, struct arena *arena, struct sketch *sketch)
{
    job_sketch_write(rank, arena, sketch);
    const uint32_t steps = rank->numbers->steps;
    const size_t bytes = steps ? packed_bytes(sketch) / steps : 0;
    sketch->step_bytes = bytes > step_bytes ? (int64_t)bytes : 0;
}

bool job_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct job_numbers *out,
                     struct steptime_error *err)
{
    if (!rank_sketch_read(sketch, rank, arena, &out->numbers, err) ||
        !strip_sketch_read(sketch, &out->numbers, arena, &out->strip, err) ||
        !responses_sketch_read(sketch, out->numbers.collective_count, arena, &out->responses, err) ||
        !bound_sketch_read(sketch, arena, &out->verdict, &out->holdups, err))
        return false;
    out->verdict.among = out->numbers.steps;
    return true;
}
