/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "predict/plan/meetings.h"

static int64_t fewest_met(const struct program *program)
{
    int64_t fewest = INT32_MAX;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const uint32_t at = program->launches[i].collective;
        if (at >= program->collective_count ||
            !collective_is_blocking((enum collective_kind)program->collectives[at].kind))
            continue;
        const int64_t size = meeting_size(program, &program->collectives[at]);
        fewest = size < fewest ? size : fewest;
    }
    return fewest;
}

/* A host that runs ahead ends its steps before the device does; what is predicted is the time from end to end. */
static double finished_us(const struct program *program)
{
    int64_t end_ns = program->wall_ns;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const struct program_launch *launch = &program->launches[i];
        if (launch->dur_ns >= 0 && launch->start_ns + launch->dur_ns > end_ns)
            end_ns = launch->start_ns + launch->dur_ns;
    }
    const int64_t ns = end_ns - program->behind_ns - program->held_ns;
    return program->wall_ns > 0 && ns > 0 ? (double)ns / 1e3 : -1;
}

void predict_source_set(struct predict_source *source, uint32_t i, const struct program *program,
                        struct program_texts *texts, struct arena *arena)
{
    source->texts = texts;
    source->timed = i ? source->timed : program->source == PROGRAM_TRACE || program->source == PROGRAM_JOINED;
    source->steps[i] = (struct source_step){
        .packed = program_pack(program, texts, arena),
        .number = program->step,
        .wall_ns = program->wall_ns,
        .finished_us = finished_us(program),
        .fewest_met = fewest_met(program),
    };
}

struct program predict_source_step(const struct predict_source *source, uint32_t i, struct arena *arena)
{
    return program_unpack(source->steps[i].packed, source->texts, arena);
}
