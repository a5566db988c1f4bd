/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_gather.h"

#include "base/sum.h"

static void add_traits(const struct summary_details *rank, struct summary_details *any)
{
    any->has_operators |= rank->has_operators;
    any->has_stacks |= rank->has_stacks;
    any->has_graphs |= rank->has_graphs;
    any->runs.compiled |= rank->runs.compiled;
    any->runs.cuda |= rank->runs.cuda;
    any->runs.calls |= rank->runs.calls;
    any->runs.reduced |= rank->runs.reduced;
    any->runs.hip |= rank->runs.hip;
}

static void take_traits(const struct summary_details *any, struct facts *facts)
{
    facts->operators = any->has_operators;
    facts->stacks = any->has_stacks;
    facts->graphs = any->has_graphs;
    facts->compiled = any->runs.compiled;
    facts->cuda = any->runs.cuda;
    facts->calls = any->runs.calls;
    facts->reduced = any->runs.reduced;
    facts->hip = any->runs.hip;
}

static void add_work(const struct work_figures *work, struct work_figures *sums)
{
    sums->kernels += work->kernels;
    sums->optimizer_kernels += work->optimizer_kernels;
    sum_to(&sums->kernel_ns, work->kernel_ns);
    sum_to(&sums->optimizer_ns, work->optimizer_ns);
    for (int c = 0; c < KERNEL_CLASSES; c++)
        sum_to(&sums->class_ns[c], work->class_ns[c]);
}

static void add_phases(const struct breakdown *breakdown, struct gathered *sums)
{
    for (uint32_t d = 0; d < breakdown->device_count; d++)
        for (int phase = PHASE_FORWARD; phase <= PHASE_OPTIMIZER; phase++) {
            sum_to(&sums->device_ns[phase], breakdown->devices[d].total[ACCOUNT_PHASE_DEVICE + phase]);
            sum_to(&sums->host_ns[phase], breakdown->devices[d].total[ACCOUNT_PHASE_HOST + phase]);
        }
}

static void add_rank(const struct summary_details *rank, struct facts_adding *adding, struct gathered *sums)
{
    facts_add(adding, &rank->breakdown);
    add_work(&rank->work, &sums->work);
    add_phases(&rank->breakdown, sums);
    tops_add(&sums->tops, &rank->operators, &rank->kernels);
    sums->ideal_ns += rank->ideal_ns;
    sums->sketched += rank->sketched;
}

static void take_work(const struct work_figures *work, struct facts *facts)
{
    const double steps = facts->steps ? facts->steps : 1;
    facts->kernels = (double)work->kernels / steps;
    facts->kernel_ns = (double)work->kernel_ns / steps;
    facts->optimizer_kernels = (double)work->optimizer_kernels / steps;
    facts->optimizer_ns = (double)work->optimizer_ns / steps;
    for (int c = 0; c < KERNEL_CLASSES; c++)
        facts->class_ns[c] = (double)work->class_ns[c] / steps;
}

struct gathered summary_gather(const struct summary *const *ranks, uint32_t count, struct arena *arena)
{
    struct gathered sums = {.tops = tops_open()};
    struct facts_adding *adding = facts_open(arena);
    struct summary_details any = {0};
    struct part_place places[PARTS];
    for (uint32_t r = 0; r < count; r++) {
        struct arena scratch = {0};
        const struct summary_details *rank = summary_details(ranks[r], &scratch);
        add_rank(rank, adding, &sums);
        add_traits(rank, &any);
        if (!r) {
            sums.device = str_copy(arena, rank->device);
            memcpy(places, rank->places, sizeof places);
        }
        arena_free(&scratch);
    }
    sums.facts = facts_close(adding);
    take_traits(&any, &sums.facts);
    take_work(&sums.work, &sums.facts);
    if (count == 1)
        memcpy(sums.facts.place, places, sizeof sums.facts.place);
    return sums;
}
