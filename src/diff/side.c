/* SPDX-License-Identifier: Apache-2.0 */
#include "side.h"

#include <math.h>

#include "base/hash.h"
#include "base/stat.h"
#include "breakdown/summary/runs_on.h"
#include "breakdown/summary/summary_job.h"

struct diff_loaders diff_loaders_of(const struct trace *trace)
{
    struct diff_loaders loaders = {.known = true};
    for (uint32_t id = 0; id < trace_text_count(trace); id++) {
        const str name = trace_text(trace, id);
        loaders.in_loop |= str_has(name, S("_SingleProcessDataLoaderIter"));
        loaders.workers |= str_has(name, S("_MultiProcessingDataLoaderIter"));
    }
    return loaders;
}

/* ---- steps ---- */

static const struct breakdown *breakdown_of(const struct diff_side *side, uint32_t r)
{
    return &side->details[r]->breakdown;
}

/* As many as every rank has. */
static uint32_t steps_of_all(const struct diff_side *side)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t r = 0; r < side->rank_count; r++)
        for (uint32_t d = 0; d < breakdown_of(side, r)->device_count; d++)
            if (breakdown_of(side, r)->devices[d].step_count < fewest)
                fewest = breakdown_of(side, r)->devices[d].step_count;
    return fewest == UINT32_MAX ? 0 : fewest;
}

static struct diff_step mean_over_ranks(const struct diff_side *side, uint32_t i)
{
    struct diff_step out = {0};
    double rows = 0;
    for (uint32_t r = 0; r < side->rank_count; r++)
        for (uint32_t d = 0; d < breakdown_of(side, r)->device_count; d++, rows++) {
            const struct breakdown_step *step = &breakdown_of(side, r)->devices[d].steps[i];
            out.wall_ns += (double)step->wall_ns;
            for (int part = 0; part < PARTS; part++)
                out.part_ns[part] += (double)step->part_ns[part];
        }
    out.wall_ns /= rows;
    for (int part = 0; part < PARTS; part++)
        out.part_ns[part] /= rows;
    return out;
}

static bool compiles(const struct diff_step *step)
{
    return step->part_ns[PART_COMPILATION] > 0.05 * step->wall_ns;
}

/* Where all steps compile, none is left out: then that is what they are. */
static void take_steps(struct diff_side *side, struct arena *arena)
{
    const uint32_t all = steps_of_all(side);
    side->steps = arena_array(arena, all, sizeof *side->steps);
    for (uint32_t i = 0; i < all; i++) {
        side->steps[side->count] = mean_over_ranks(side, i);
        if (compiles(&side->steps[side->count]))
            side->compiling++;
        else
            side->count++;
    }
    if (side->count)
        return;
    for (uint32_t i = 0; i < all; i++)
        side->steps[i] = mean_over_ranks(side, i);
    side->count = all;
    side->compiling = 0;
}

static void take_stat_median(struct diff_side *side)
{
    struct arena scratch = {0};
    double *values = arena_array(&scratch, side->count, sizeof *values);
    for (uint32_t i = 0; i < side->count; i++) {
        values[i] = side->steps[i].wall_ns;
        side->mean.wall_ns += side->steps[i].wall_ns / side->count;
        for (int part = 0; part < PARTS; part++)
            side->mean.part_ns[part] += side->steps[i].part_ns[part] / side->count;
    }
    side->median_ns = stat_median(values, side->count);
    for (uint32_t i = 0; i < side->count; i++)
        values[i] = fabs(values[i] - side->median_ns);
    side->spread_ns = stat_median(values, side->count);
    arena_free(&scratch);
}

/* ---- what stands behind them ---- */

static void take_copies(struct diff_side *side)
{
    double steps = 0;
    for (uint32_t r = 0; r < side->rank_count; r++)
        for (uint32_t d = 0; d < breakdown_of(side, r)->device_count; d++) {
            const struct breakdown_device *device = &breakdown_of(side, r)->devices[d];
            steps += device->step_count;
            for (int copy = 0; copy < COPY_PARTS; copy++) {
                side->copies[copy].times += (double)device->copies[copy];
                side->copies[copy].bytes += (double)device->total[ACCOUNT_COPY_BYTES + copy];
                side->copies[copy].ns += (double)device->total[ACCOUNT_COPY_TIME + copy];
            }
        }
    for (int copy = 0; copy < COPY_PARTS && steps > 0; copy++) {
        side->copies[copy].times /= steps;
        side->copies[copy].bytes /= steps;
        side->copies[copy].ns /= steps;
    }
}

static void take_kernels(struct diff_side *side)
{
    for (uint32_t r = 0; r < side->rank_count; r++) {
        const struct tops *kernels = &side->details[r]->kernels;
        for (uint32_t k = 0; k < kernels->count; k++) {
            const double ns = (double)kernels->at[k].device_ns / (side->facts.steps ? side->facts.steps : 1);
            side->kernel_ns += ns;
            side->reduced_ns += kernel_is_reduced(kernels->at[k].name) ? ns : 0;
            side->single_ns += kernel_is_single(kernels->at[k].name) ? ns : 0;
        }
    }
}

static void take_facts(struct diff_side *side, struct arena *arena)
{
    struct facts_adding *adding = facts_open(arena);
    for (uint32_t r = 0; r < side->rank_count; r++)
        facts_add(adding, breakdown_of(side, r));
    side->facts = facts_close(adding);
    summary_take_lateness(&side->job, &side->facts);
}

static void take_loaders(struct diff_side *side)
{
    for (uint32_t r = 0; r < side->rank_count; r++) {
        const struct diff_loaders *loaders = &side->ranks[r]->loaders;
        side->loaders.known |= loaders->known;
        side->loaders.in_loop |= loaders->in_loop;
        side->loaders.workers |= loaders->workers;
    }
}

static void take_quickest(struct diff_side *side)
{
    struct quickest all = {.steps = UINT32_MAX};
    for (uint32_t r = 0; r < side->rank_count; r++) {
        const struct quickest *one = &side->ranks[r]->quickest;
        all.steps = one->steps < all.steps ? one->steps : all.steps;
        all.order = hash_add(all.order, one->order);
        all.ns += one->ns / side->rank_count;
    }
    if (side->rank_count && all.steps)
        side->quickest = all;
}

void diff_side_of(const struct diff_rank *const *ranks, uint32_t count, struct arena *arena, struct diff_side *side)
{
    const struct summary **summaries = arena_array(arena, count, sizeof *summaries);
    *side = (struct diff_side){.ranks = ranks, .rank_count = count};
    side->details = arena_array(arena, count, sizeof *side->details);
    for (uint32_t r = 0; r < count; r++) {
        summaries[r] = &ranks[r]->summary;
        side->details[r] = summary_details(summaries[r], arena);
    }
    take_steps(side, arena);
    take_stat_median(side);
    summary_job(summaries, count, arena, &side->job);
    take_facts(side, arena);
    side->marked = side->facts.steps_from != STEPS_NONE;
    for (uint32_t r = 0; r < count; r++)
        side->operators |= ranks[r]->paths.count > 0;
    take_copies(side);
    take_kernels(side);
    take_loaders(side);
    take_quickest(side);
}
