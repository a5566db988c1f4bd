/* SPDX-License-Identifier: Apache-2.0 */
#include "device_parts.h"
#include "breakdown/parts/sweep.h"

struct walk {
    const struct device_run *run;
    struct step_cut steps;
};

static void take_piece(void *context, const struct sweep_piece *piece)
{
    struct walk *walk = context;
    if (!piece->active)
        return;
    int64_t inside = 0;
    for (uint32_t i = step_cut_first(&walk->steps, piece->start_ns);
         i < walk->steps.count && walk->steps.steps[i].start_ns < piece->end_ns; i++)
        inside += step_cut_inside(&walk->steps, i, piece->start_ns, piece->end_ns);
    const enum phase phase = (enum phase)__builtin_ctz(piece->active);
    if (inside)
        ledger_book(walk->run->ledger, ACCOUNT_PHASE_DEVICE + phase, piece->owner[phase], inside);
}

void device_phases_run(const struct device_run *run)
{
    struct arena scratch = {0};
    struct walk walk = {run, run->steps};
    uint8_t *phase_of = arena_array(&scratch, run->work.count, sizeof *phase_of);
    for (uint32_t i = 0; i < run->work.count; i++)
        phase_of[i] = run->phases[run->work.at[i]];
    sweep(run->trace, run->work, phase_of, run->start_ns, INT64_MAX, take_piece, &walk);
    arena_free(&scratch);
}
