/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Step B from step A: with the overheads of A, and with the times of its kernels
 * where those are taken from the recording; where models make them, it is B's own
 * program that is walked. Nothing of B's times is used but to compare.
 */
#include <math.h>

#include "predict_private.h"

const struct overheads *overheads_of_step(const struct predict_source *source, uint32_t step, struct arena *arena)
{
    struct arena scratch = {0};
    const struct program program = predict_source_step(source, step, &scratch);
    const struct overheads *overheads = overheads_of_program(&program, arena);
    arena_free(&scratch);
    return overheads;
}

bool can_test_steps(const struct predict_source *source, const struct predict_asked *asked)
{
    for (uint32_t i = 0; i < source->count; i++)
        if (source->steps[i].finished_us <= 0)
            return false;
    return source->count > 1 && !asked->change;
}

/* In replay the step before tells all of a step; the first is told by the one after it. */
static bool replay_beside(const struct predict_source *source, uint32_t i, const struct program *program,
                          const struct predict_asked *asked, struct predicted_step *steps, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct overheads *given = asked->plan.overheads;
    double us;
    const bool good =
        predict_step_us(program, asked, given ? given : overheads_of_program(program, &scratch), &us, err);
    if (good && i + 1 < source->count)
        steps[i + 1].from_beside_us = us;
    if (good && i == 1)
        steps[0].from_beside_us = us;
    arena_free(&scratch);
    return good;
}

static bool model_beside(const struct predict_source *source, uint32_t i, const struct program *program,
                         const struct predict_asked *asked, struct predicted_step *steps, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct overheads *given = asked->plan.overheads;
    const bool good =
        predict_step_us(program, asked, given ? given : overheads_of_step(source, i ? i - 1 : 1, &scratch),
                        &steps[i].from_beside_us, err);
    arena_free(&scratch);
    return good;
}

bool test_from_step(const struct predict_source *source, uint32_t i, const struct program *program,
                    const struct predict_asked *asked, struct predicted_step *steps, struct steptime_error *err)
{
    return asked->plan.replay ? replay_beside(source, i, program, asked, steps, err)
                              : model_beside(source, i, program, asked, steps, err);
}

void sum_tests(const struct predicted_step *steps, uint32_t count, struct prediction *into)
{
    for (uint32_t i = 0; i < count; i++) {
        const double error = steps[i].from_beside_us / steps[i].finished_us - 1;
        into->error += fabs(error) / count;
        into->bias += error / count;
    }
    into->tests = count;
}
