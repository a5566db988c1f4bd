/* SPDX-License-Identifier: Apache-2.0 */
#include "job_sketch.h"

#include "bound_sketch.h"
#include "rank_sketch.h"
#include "strip_sketch.h"

void job_sketch_write(const struct job_rank *rank, struct arena *arena, struct sketch *sketch)
{
    sketch->sections[SKETCH_RANKS] = rank_sketch_write(rank->numbers, arena);
    sketch->sections[SKETCH_STRIP] = strip_sketch_write(rank->strip, rank->numbers, arena);
    sketch->sections[SKETCH_BOUND] = bound_sketch_write(rank->verdict, rank->holdups, arena);
}

bool job_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct job_numbers *out,
                     struct steptime_error *err)
{
    if (!rank_sketch_read(sketch, rank, arena, &out->numbers, err) ||
        !strip_sketch_read(sketch, &out->numbers, arena, &out->strip, err) ||
        !bound_sketch_read(sketch, arena, &out->verdict, &out->holdups, err))
        return false;
    out->verdict.among = out->numbers.steps;
    return true;
}
