/* SPDX-License-Identifier: Apache-2.0 */
/* Savings where no device works: what the rewrite spares of the training thread's time (host_estimate.h). */
#include "private.h"

#include "host_estimate.h"

/* ---- all of them ---- */

/*
 * Time that a finding with a larger saving has already taken away counts for no other. Of calls that the trace cannot tell apart each
 * has its part, so they take nothing from one another.
 */
static double together(struct join *join, const struct host_clock *clock, const struct host_sight *sights,
                       const struct host_estimate *estimates)
{
    struct spans taken = {0}, rest = {0}, both = {0};
    bool *const done = arena_array(&join->scratch, join->finding_count, sizeof *done);
    double saving = 0;
    for (;;) {
        uint32_t best = FINDING_NONE;
        for (uint32_t i = 0; i < join->finding_count; i++)
            if (!done[i] && estimates[i].is_known && estimates[i].saving_ns > 0 &&
                (best == FINDING_NONE || estimates[i].saving_ns > estimates[best].saving_ns))
                best = i;
        if (best == FINDING_NONE)
            break;
        done[best] = true;
        spans_minus(&sights[best].time, &taken, &rest);
        struct host_sight alone = sights[best];
        alone.time = rest;
        alone.calls = spans_length(&alone.time) ? alone.calls : 0;
        const struct host_model *const model = host_model_of(join->lint, join->lint->findings[best].match);
        const double more = host_estimate_of(clock, &alone, model).saving_ns;
        saving += more > 0 ? more : 0;
        if (sights[best].shared)
            continue;
        spans_union(&taken, &sights[best].time, &both);
        const struct spans swapped = taken;
        taken = both;
        both = swapped;
    }
    spans_free(&taken);
    spans_free(&rest);
    spans_free(&both);
    return saving;
}

static void tell(struct join *join, uint32_t i, const struct host_sight *sight, const struct host_model *model,
                 const struct host_estimate *estimate, double step_ns)
{
    struct lint_finding *const finding = &join->lint->findings[i];
    const int64_t saving = estimate->is_known ? (int64_t)estimate->saving_ns : -1;
    if (finding->tier != TIER_STATIC || (finding->estimate.is_known && finding->estimate.ns >= estimate->saving_ns))
        return; /* another trace of the same run shows more */
    finding->saving_ns = saving > 0 ? saving : estimate->is_known ? 0 : -1;
    finding->estimate = (struct lint_estimate){.is_known = estimate->is_known,
                                               .ns = estimate->saving_ns,
                                               .low_ns = estimate->low_ns,
                                               .high_ns = estimate->high_ns,
                                               .step_ns = step_ns};
    finding->note = host_estimate_words(join->arena, sight, model, estimate);
    join_tell_events(join, &join->sightings[i], finding);
}

void join_host(struct join *join, struct joined *joined)
{
    const struct host_clock clock = host_clock_beside(join);
    struct host_sight *const sights = host_sights(join);
    struct host_estimate *const estimates = arena_array(&join->scratch, join->finding_count, sizeof *estimates);
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct match *const match = join->lint->findings[i].match;
        host_tell_unknown(join, i, &sights[i]);
        if (!match || !sights[i].calls)
            continue;
        const struct host_model *const model = host_model_of(join->lint, match);
        if (model)
            estimates[i] = host_estimate_of(&clock, &sights[i], model);
        else
            estimates[i].under = host_time_of(&clock, &sights[i].time);
        joined->under_lines++;
        tell(join, i, &sights[i], model, &estimates[i], clock.step_ns);
    }
    joined->saving_ns = (int64_t)together(join, &clock, sights, estimates);
    joined->bare_step_ns = (int64_t)clock.step_ns;
    for (uint32_t i = 0; i < join->finding_count; i++)
        spans_free(&sights[i].time);
}
