/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Step B from step A: with the overheads of A, and with the times of its kernels
 * where those are taken from the recording; where models make them, it is B's own
 * program that is walked. Nothing of B's times is used but to compare.
 */
#include <math.h>

#include "predict_private.h"

static const struct overheads *overheads_of_program(const struct program *program, struct arena *arena)
{
    struct overhead_samples *samples = overhead_samples_new();
    overhead_samples_add(samples, program);
    const struct overheads *overheads = overheads_of(samples, arena);
    overhead_samples_free(samples);
    return overheads;
}

const struct overheads *overheads_of_step(const struct predict_source *source, uint32_t step, struct arena *arena)
{
    struct arena scratch = {0};
    const struct program program = predict_source_step(source, step, &scratch);
    const struct overheads *overheads = overheads_of_program(&program, arena);
    arena_free(&scratch);
    return overheads;
}

static bool test_step(const struct predict_source *source, uint32_t from, uint32_t to,
                      const struct predict_asked *asked, double *us, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct overheads *overheads =
        asked->plan.overheads ? asked->plan.overheads : overheads_of_step(source, from, &scratch);
    const struct program program = predict_source_step(source, asked->plan.replay ? from : to, &scratch);
    const bool good = predict_step_us(&program, asked, overheads, us, err);
    arena_free(&scratch);
    return good;
}

static bool comparable(const struct predicted_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].finished_us <= 0)
            return false;
    return count > 1;
}

bool test_steps(const struct predict_source *source, const struct predict_asked *asked, struct predicted_step *steps,
                struct prediction *into, struct steptime_error *err)
{
    if (asked->change || !comparable(steps, source->count))
        return true;
    for (uint32_t i = 0; i < source->count; i++) {
        if (!test_step(source, i ? i - 1 : 1, i, asked, &steps[i].from_beside_us, err))
            return false;
        const double error = steps[i].from_beside_us / steps[i].finished_us - 1;
        into->error += fabs(error) / source->count;
        into->bias += error / source->count;
    }
    into->tests = source->count;
    return true;
}
