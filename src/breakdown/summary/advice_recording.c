/* SPDX-License-Identifier: Apache-2.0 */
#include "advice_recording.h"

#include "span_text.h"

static double percent(const struct facts *f, double ns)
{
    return f->wall_ns > 0 ? 100 * ns / f->wall_ns : 0;
}

double recording_profiler_ns(const struct facts *f)
{
    return f->part_ns[PART_PROFILER];
}

str say_profiler(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "The profiler's own work takes %s a step (%.0f %%); the step is faster without it. Record fewer "
                      "steps, or without with_stack and profile_memory.",
                      span_text(arena, ns), percent(f, ns));
}

double recording_spread_ns(const struct facts *f)
{
    return f->steps >= 3 ? f->p95_ns - f->p50_ns : 0;
}

str say_spread(const struct facts *f, double ns, struct arena *arena)
{
    const bool warm = f->first_ns > 1.25 * f->p50_ns;
    return str_printf(arena, "Steps differ: the slow ones (p95) take %s more than the median (%.0f %%). %s",
                      span_text(arena, ns), percent(f, ns),
                      warm ? "The first recorded step is the slow one: look again with --skip-warmup."
                           : "See `steptime breakdown --table steps` for what grows in them.");
}

double recording_unstepped_ns(const struct facts *f)
{
    return f->steps_from == STEPS_NONE ? f->wall_ns : 0;
}

str say_unstepped(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "All %s count as one step. Call profiler.step() once a step: then the figures are per step.",
                      span_text(arena, ns));
}
