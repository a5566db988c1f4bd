/* SPDX-License-Identifier: Apache-2.0 */
#include "price_sums.h"

/* Bytes that all ranks of the job sum together: in forward(), and backwards or after it. */
struct summed {
    double forward, later;
};

static struct summed summed_by_all(const struct price_run *run, int64_t ranks)
{
    struct arena scratch = {0};
    const struct program program = predict_source_step(&run->source, 0, &scratch);
    struct summed summed = {0};
    for (uint32_t i = 0; i < program.collective_count; i++) {
        const struct collective *const c = &program.collectives[i];
        const bool of_all = c->kind == COLLECTIVE_ALL_REDUCE && program_group_of(&program, c)->size == ranks;
        if (!of_all || c->row >= program.count)
            continue;
        const bool forward = program.ops[c->row].phase == PHASE_FORWARD;
        *(forward ? &summed.forward : &summed.later) += (double)collective_bytes(c, ranks);
    }
    arena_free(&scratch);
    return summed;
}

bool price_sums_gradients(const struct price_run *run, int64_t ranks)
{
    const double parameters = (double)run->dry.memory.by_kind[DRY_PARAMETERS];
    if (ranks < 2)
        return false;
    const struct summed summed = summed_by_all(run, ranks);
    return summed.later > 0.4 * parameters && summed.forward < 0.1 * parameters;
}
