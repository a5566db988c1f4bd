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

void predict_source_set(struct predict_source *source, uint32_t i, const struct program *program,
                        struct program_texts *texts, struct arena *arena)
{
    source->texts = texts;
    source->timed = i ? source->timed : program->source == PROGRAM_TRACE || program->source == PROGRAM_JOINED;
    source->steps[i] = (struct source_step){
        .packed = program_pack(program, texts, arena),
        .number = program->step,
        .wall_ns = program->wall_ns,
        .fewest_met = fewest_met(program),
    };
}

struct program predict_source_step(const struct predict_source *source, uint32_t i, struct arena *arena)
{
    return program_unpack(source->steps[i].packed, source->texts, arena);
}
