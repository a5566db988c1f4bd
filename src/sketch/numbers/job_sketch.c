/* SPDX-License-Identifier: Apache-2.0 */
#include "job_sketch.h"

#include "bound_sketch.h"
#include "coarse.h"
#include "rank_sketch.h"
#include "responses_sketch.h"
#include "strip_sketch.h"

void job_sketch_write(const struct job_rank *rank, struct arena *arena, struct sketch *sketch)
{
    rank_sketch_write(rank->numbers, arena, sketch);
    strip_sketch_write(rank->strip, rank->numbers, arena, sketch);
    if (rank->responses && rank->responses->steps)
        responses_sketch_write(rank->responses, arena, sketch);
    sketch->sections[SKETCH_BOUND] = bound_sketch_write(rank->verdict, rank->holdups, arena);
}

/* ---- within so many bytes ---- */

static int64_t packed_bytes(const struct sketch *sketch)
{
    struct buf plain = {0}, packed = {0};
    buf_add(&plain, sketch->sections[SKETCH_RANKS]);
    buf_add(&plain, sketch->sections[SKETCH_STRIP]);
    buf_add(&plain, sketch->sections[SKETCH_RESPONSES]);
    pack_zstd(buf_str(&plain), &packed);
    const int64_t bytes = (int64_t)packed.len;
    buf_free(&plain);
    buf_free(&packed);
    return bytes;
}

static struct sketch_rounding rounding_of(const struct rank_numbers *numbers)
{
    const struct rank_rounding *rounding = &numbers->rounding;
    return (struct sketch_rounding){.collectives = numbers->collective_count,
                                    .rounded = rounding->rounded,
                                    .entry_ns = rounding->entry_bits ? (int64_t)1 << rounding->entry_bits : 0,
                                    .spent_ns = rounding->spent_bits ? (int64_t)1 << rounding->spent_bits : 0};
}

/* Returned: the bytes of a step. */
static int64_t write_level(const struct job_rank *rank, uint32_t level, struct arena *arena, struct sketch *sketch)
{
    struct arena scratch = {0};
    const struct coarse_rank coarse = coarse_rank(rank->numbers, rank->strip, &coarse_levels[level], &scratch);
    rank_sketch_write(&coarse.numbers, arena, sketch);
    strip_sketch_write(&coarse.strip, &coarse.numbers, arena, sketch);
    sketch->trace.rounding = rounding_of(&coarse.numbers);
    arena_free(&scratch);
    return packed_bytes(sketch) / rank->numbers->steps;
}

/* The first level that is small enough; the last where none is. */
static int64_t round_to(const struct job_rank *rank, struct sketch_room room, struct arena *arena,
                        struct sketch *sketch)
{
    uint32_t low = 0, high = room.hard ? COARSE_LEVELS - 1 : COARSE_CAREFUL;
    while (low + 1 < high) {
        struct arena scratch = {0};
        const uint32_t middle = low + (high - low) / 2;
        *(write_level(rank, middle, &scratch, sketch) <= room.step_bytes ? &high : &low) = middle;
        arena_free(&scratch);
    }
    return write_level(rank, high, arena, sketch);
}

void job_sketch_write_within(const struct job_rank *rank, struct sketch_room room, struct arena *arena,
                             struct sketch *sketch)
{
    job_sketch_write(rank, arena, sketch);
    if (!rank->numbers->steps)
        return;
    int64_t bytes = packed_bytes(sketch) / rank->numbers->steps;
    if (bytes > room.step_bytes)
        bytes = round_to(rank, room, arena, sketch);
    sketch->step_bytes = bytes > room.step_bytes ? bytes : 0;
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
