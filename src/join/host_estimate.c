/* SPDX-License-Identifier: Apache-2.0 */
#include "host_estimate.h"

#include <math.h>

#include "inputs/step_times.h"

static double saved(double under_ns, double share, double put_ns)
{
    return under_ns * share - put_ns;
}

/* The spread of the steps and the doubt of the model are independent: their squares add. */
struct host_estimate host_estimate_of(const struct host_clock *clock, const struct host_sight *sight,
                                      const struct host_model *model)
{
    struct host_estimate out = {.is_known = true, .under = host_time_of(clock, &sight->time)};
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

str host_estimate_words(struct arena *arena, const struct host_sight *sight, const struct host_model *model,
                        const struct host_estimate *estimate)
{
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

/* ---- the trace ---- */

struct host_clock host_clock_beside(struct join *join)
{
    const struct step_times times = step_times_beside(join->evidence.trace->info.path, &join->scratch);
    const struct host_pace pace = {times.bare_ns, times.recorded_ns, times.waited_ns, times.waited_count};
    return host_clock_open(join->evidence.trace, &pace, &join->scratch);
}

void host_tell_unknown(struct join *join, uint32_t finding, const struct host_sight *sight)
{
    struct lint_finding *const told = &join->lint->findings[finding];
    if (sight->unknown && told->tier == TIER_STATIC && !told->note.len)
        told->note = str_printf(
            join->arena,
            "Host time under these lines is not known: this Python gives loops in brackets no frame, and %s.",
            sight->unknown);
}
