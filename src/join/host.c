/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Savings where no device works: the training thread's time under the lines of a finding, the part of it that the rewrite
 * spares, and how far both can be trusted.
 */
#include "private.h"

#include <math.h>

#include "evidence/host_time.h"
#include "host_model.h"
#include "host_sight.h"
#include "inputs/step_times.h"

/* ---- one finding ---- */

struct estimate {
    bool is_known;
    struct host_time under; /* its lines, a step; its part where several share them */
    double low_ns, saving_ns, high_ns;
};

static double saved(double under_ns, double share, double put_ns)
{
    return under_ns * share - put_ns;
}

/* The spread of the steps and the doubt of the model are independent: their squares add. */
static struct estimate estimate_of(const struct host_clock *clock, const struct host_sight *sight,
                                   const struct host_model *model)
{
    struct estimate out = {.is_known = true, .under = host_time_of(clock, &sight->time)};
    const double part = sight->shared ? 1.0 / sight->shared : 1;
    const double calls = part * sight->calls / (out.under.steps ? out.under.steps : 1);
    out.under.ns *= part;
    out.under.low *= part;
    out.under.high *= part;
    const double share = fabs(model->share);
    out.saving_ns = saved(out.under.ns, model->share, calls * model->put_ns);
    const double less = out.saving_ns - saved(out.under.ns, model->share_low, calls * model->put_low_ns);
    const double more = saved(out.under.ns, model->share_high, calls * model->put_high_ns) - out.saving_ns;
    out.low_ns = out.saving_ns - hypot(less, share * (out.under.ns - out.under.low));
    out.high_ns = out.saving_ns + hypot(more, share * (out.under.high - out.under.ns));
    return out;
}

/* ---- words ---- */

static str in_time(struct arena *arena, double ns)
{
    const char *const sign = ns < 0 ? "-" : "";
    const double size = fabs(ns);
    if (size < 1e6)
        return str_printf(arena, "%s%.3g us", sign, size / 1e3);
    return size < 1e9 ? str_printf(arena, "%s%.3g ms", sign, size / 1e6)
                      : str_printf(arena, "%s%.3g s", sign, size / 1e9);
}

static str words_of(struct join *join, const struct host_sight *sight, const struct host_model *model,
                    const struct estimate *estimate)
{
    struct arena *const arena = join->arena;
    str text =
        str_printf(arena, "Host time under these lines: %s a step (%s to %s, %.0f %%, %u steps)",
                   in_time(arena, estimate->under.ns).at, in_time(arena, estimate->under.low).at,
                   in_time(arena, estimate->under.high).at, 100 * estimate->under.confidence, estimate->under.steps);
    if (sight->shared)
        text =
            str_printf(arena, "%s, its part of %u such calls that the trace cannot tell apart", text.at, sight->shared);
    if (!model)
        return str_printf(arena, "%s; what a rewrite would leave of it is not known.", text.at);
    return str_printf(arena, "%s. The rewrite %s: %s less a step (%s to %s).", text.at, model->words,
                      in_time(arena, estimate->saving_ns).at, in_time(arena, estimate->low_ns).at,
                      in_time(arena, estimate->high_ns).at);
}

/* ---- all of them ---- */

/*
 * Time that a finding with a larger saving has already taken away counts for no other. Of calls that the trace cannot tell apart each
 * has its part, so they take nothing from one another.
 */
static double together(struct join *join, const struct host_clock *clock, const struct host_sight *sights,
                       const struct estimate *estimates)
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
        const double more = estimate_of(clock, &alone, model).saving_ns;
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
                 const struct estimate *estimate, double step_ns)
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
    finding->note = words_of(join, sight, model, estimate);
    join_tell_events(join, &join->sightings[i], finding);
}

/* A function that ran, and whose calls do not say how long these lines took. */
static void tell_unknown(struct join *join, uint32_t i, const char *why)
{
    struct lint_finding *const finding = &join->lint->findings[i];
    if (finding->tier == TIER_STATIC && !finding->note.len)
        finding->note = str_printf(
            join->arena,
            "Host time under these lines is not known: this Python gives loops in brackets no frame, and %s.", why);
}

void join_host(struct join *join, struct joined *joined)
{
    const struct step_times times = step_times_beside(join->evidence.trace->info.path, &join->scratch);
    const struct host_pace pace = {times.bare_ns, times.recorded_ns, times.waited_ns, times.waited_count};
    const struct host_clock clock = host_clock_open(join->evidence.trace, &pace, &join->scratch);
    struct host_sight *const sights = host_sights(join);
    struct estimate *const estimates = arena_array(&join->scratch, join->finding_count, sizeof *estimates);
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct match *const match = join->lint->findings[i].match;
        if (sights[i].unknown)
            tell_unknown(join, i, sights[i].unknown);
        if (!match || !sights[i].calls)
            continue;
        const struct host_model *const model = host_model_of(join->lint, match);
        if (model)
            estimates[i] = estimate_of(&clock, &sights[i], model);
        else
            estimates[i].under = host_time_of(&clock, &sights[i].time);
        joined->under_lines++;
        tell(join, i, &sights[i], model, &estimates[i], clock.step_ns);
    }
    joined->saving_ns = (int64_t)together(join, &clock, sights, estimates);
    joined->host_step_ns = (int64_t)clock.step_ns;
    for (uint32_t i = 0; i < join->finding_count; i++)
        spans_free(&sights[i].time);
}
