/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A size is always "ns of a mean step that would be there to gain at most". The
 * thresholds are shares of the step: 5 % for data loading and 10 % for
 * communication are those of PyTorch's own former TensorBoard plug-in.
 */
#include "advice.h"

#include <stdlib.h>

struct rule {
    const char *id;
    double notable; /* share of the step from which it is a warning */
    double (*size_ns)(const struct facts *facts);
    str (*say)(const struct facts *facts, double ns, struct arena *arena);
    bool slower; /* the size is time that could be gained; otherwise it only informs */
};

static double share(const struct facts *f, double ns)
{
    return f->wall_ns > 0 ? ns / f->wall_ns : 0;
}

static double ms(double ns)
{
    return ns / 1e6;
}

static double percent(const struct facts *f, double ns)
{
    return 100 * share(f, ns);
}

/* ---- the device waits ---- */

static double loading_ns(const struct facts *f)
{
    return f->part_ns[PART_DATA_LOADING];
}

static str say_loading(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "%s waits %.2f ms a step (%.0f %%) for the next batch. Give the DataLoader more workers "
                      "(num_workers, prefetch_factor, persistent_workers), or prepare less per sample.",
                      f->device ? "The GPU" : "The training loop", ms(ns), percent(f, ns));
}

static double blocked_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_BLOCKED] : 0;
}

static str say_blocked(const struct facts *f, double ns, struct arena *arena)
{
    const str place = f->blocked_frame.len ? f->blocked_frame : f->blocked_operator;
    const char *where = place.len ? str_z(arena, place) : "the host";
    return str_printf(arena,
                      "The GPU idles %.2f ms a step (%.0f %%) after the host had waited for it, most in %.*s from %s. "
                      "Read results back less often (.item(), .cpu(), print), and copy with non_blocking=True.",
                      ms(ns), percent(f, ns), (int)f->blocked_call.len, f->blocked_call.at ? f->blocked_call.at : "",
                      where);
}

static double launch_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_LAUNCHING] + f->part_ns[PART_FRAMEWORK] + f->part_ns[PART_LAUNCH_LATENCY] : 0;
}

static str say_launch(const struct facts *f, double ns, struct arena *arena)
{
    const double mean_us = f->kernels > 0 ? f->kernel_ns / f->kernels / 1e3 : 0;
    return str_printf(
        arena,
        "The GPU waits %.2f ms a step (%.0f %%) for the host to launch its work: %.0f kernels a step of %.1f us "
        "each. Launch less: torch.compile, CUDA graphs, fused optimizers, or a larger batch.",
        ms(ns), percent(f, ns), f->kernels, mean_us);
}

static double between_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_BETWEEN_OPERATORS] : 0;
}

static str say_between(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "The GPU waits %.2f ms a step (%.0f %%) while the host is in no operator: Python between them. Move "
        "that work out of the step, vectorise it, or record with_stack=True to see which lines.",
        ms(ns), percent(f, ns));
}

static double exposed_communication_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_EXPOSED_COMMUNICATION] : 0;
}

static str say_communication(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Communication that no compute hides takes %.2f ms a step (%.0f %%). Overlap it (gradient buckets, "
        "prefetch), send less (bf16, accumulation), or see `steptime ranks` for who is late.",
        ms(ns), percent(f, ns));
}

static double dependency_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_DEPENDENCY] : 0;
}

static str say_dependency(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Launched work is held back %.2f ms a step (%.0f %%) by another stream or a collective, with nothing "
        "else running. Start what is independent of it earlier.",
        ms(ns), percent(f, ns));
}

static double copies_ns(const struct facts *f)
{
    return f->bound_ns[BOUND_COPIES] - f->part_ns[PART_MEMSET];
}

static str say_copies(const struct facts *f, double ns, struct arena *arena)
{
    const double pageable = f->part_ns[PART_COPY_H2D_PAGEABLE] + f->part_ns[PART_COPY_D2H_PAGEABLE];
    const char *advice = pageable > ns / 4 ? "Much of it is pageable memory: pin_memory=True and non_blocking=True."
                                           : "Overlap the copies with compute on a stream of their own.";
    return str_printf(arena, "Copies that nothing hides take %.2f ms a step (%.0f %%). %s", ms(ns), percent(f, ns),
                      advice);
}

/* ---- what the device does ---- */

static double optimizer_ns(const struct facts *f)
{
    const bool many_small = f->optimizer_kernels > 100 && f->optimizer_ns < f->optimizer_kernels * 20e3;
    return many_small ? f->optimizer_ns : 0;
}

static str say_optimizer(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "The optimizer runs %.0f kernels a step, %.2f ms (%.0f %%). fused=True or foreach=True makes them a few.",
        f->optimizer_kernels, ms(ns), percent(f, ns));
}

static double pointwise_ns(const struct facts *f)
{
    return f->class_ns[KERNEL_ELEMENTWISE] + f->class_ns[KERNEL_LAYOUT];
}

static str say_pointwise(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Element-wise and layout kernels take %.2f ms a step (%.0f %%), bound by memory. torch.compile fuses "
        "them; channels_last or contiguous inputs save transposes.",
        ms(ns), percent(f, ns));
}

/* ---- host-only ---- */

static double python_ns(const struct facts *f)
{
    return f->device ? 0 : f->part_ns[PART_PYTHON];
}

static str say_python(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Python outside of operators takes %.2f ms a step (%.0f %%). Vectorise loops over samples, build arrays "
        "once, move preparation into the DataLoader's workers.",
        ms(ns), percent(f, ns));
}

static double host_communication_ns(const struct facts *f)
{
    return f->device ? 0 : f->part_ns[PART_COMMUNICATION];
}

static double host_optimizer_ns(const struct facts *f)
{
    return f->device ? 0 : f->part_ns[PART_OPTIMIZER];
}

static str say_host_optimizer(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena, "The optimizer takes %.2f ms a step (%.0f %%). foreach=True or fused=True does it in fewer operators.",
        ms(ns), percent(f, ns));
}

/* ---- the recording ---- */

static double profiler_ns(const struct facts *f)
{
    return f->part_ns[PART_PROFILER];
}

static str say_profiler(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "The profiler's own work takes %.2f ms a step (%.0f %%); the step is faster without it. Record fewer "
        "steps, or without with_stack and profile_memory.",
        ms(ns), percent(f, ns));
}

static double spread_ns(const struct facts *f)
{
    return f->steps >= 3 ? f->p95_ns - f->p50_ns : 0;
}

static str say_spread(const struct facts *f, double ns, struct arena *arena)
{
    const bool warm = f->first_ns > 1.25 * f->p50_ns;
    return str_printf(arena, "Steps differ: the slow ones (p95) take %.2f ms more than the median (%.0f %%). %s",
                      ms(ns), percent(f, ns),
                      warm ? "The first recorded step is the slow one: look again with --skip-warmup."
                           : "See `steptime breakdown --table steps` for what grows in them.");
}

static double unstepped_ns(const struct facts *f)
{
    return f->steps_from == STEPS_NONE ? f->wall_ns : 0;
}

static str say_unstepped(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "The trace marks no steps, so all %.2f ms count as one. Call profiler.step() once a step, and the "
        "figures are per step.",
        ms(ns));
}

static const struct rule rules[] = {
    {"SM101", 0.05, loading_ns, say_loading, true},
    {"SM102", 0.05, blocked_ns, say_blocked, true},
    {"SM103", 0.15, launch_ns, say_launch, true},
    {"SM104", 0.10, between_ns, say_between, true},
    {"SM105", 0.10, exposed_communication_ns, say_communication, true},
    {"SM106", 0.03, copies_ns, say_copies, true},
    {"SM107", 0.05, dependency_ns, say_dependency, true},
    {"SM201", 0.05, optimizer_ns, say_optimizer, true},
    {"SM202", 0.25, pointwise_ns, say_pointwise, true},
    {"SM301", 0.15, python_ns, say_python, true},
    {"SM302", 0.10, host_communication_ns, say_communication, true},
    {"SM303", 0.15, host_optimizer_ns, say_host_optimizer, true},
    {"SM401", 0.05, profiler_ns, say_profiler, false},
    {"SM402", 0.25, spread_ns, say_spread, false},
    {"SM403", 0.50, unstepped_ns, say_unstepped, false},
};

enum { RULES = sizeof rules / sizeof *rules };

struct hit {
    const struct rule *rule;
    double ns;
};

/* Time to gain first, the largest first; remarks on the recording after. */
static int by_weight(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (x->rule->slower != y->rule->slower)
        return y->rule->slower - x->rule->slower;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return x->rule < y->rule ? -1 : 1;
}

static enum severity severity_of(const struct facts *facts, const struct hit *hit)
{
    if (!hit->rule->slower || share(facts, hit->ns) < hit->rule->notable)
        return SEVERITY_NOTE;
    return SEVERITY_WARNING;
}

static void put(const struct facts *facts, const struct hit *hit, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct finding finding = {
        .id = str_of(hit->rule->id), /* a rule applies once to a mean step */
        .rule = str_of(hit->rule->id),
        .severity = severity_of(facts, hit),
        .tier = S("trace"),
        .message = hit->rule->say(facts, hit->ns, arena),
        .per_step_host_blocked_ns = hit->rule->size_ns == blocked_ns ? (int64_t)hit->ns : -1,
        .per_step_saving_ns = hit->rule->slower ? (int64_t)hit->ns : -1,
        .fix = S("none"),
    };
    report_finding(report, &finding);
}

/* Half of what makes a rule a warning makes it a note. */
static bool applies(const struct facts *facts, const struct hit *hit)
{
    return hit->ns > 0 && share(facts, hit->ns) >= hit->rule->notable / (hit->rule->slower ? 2 : 1);
}

uint32_t advise(const struct facts *facts, uint32_t most, struct report *report)
{
    struct hit hits[RULES];
    uint32_t count = 0;
    for (size_t i = 0; i < RULES; i++) {
        const struct hit hit = {&rules[i], rules[i].size_ns(facts)};
        if (applies(facts, &hit))
            hits[count++] = hit;
    }
    qsort(hits, count, sizeof *hits, by_weight);
    for (uint32_t i = 0; i < count && i < most; i++)
        put(facts, &hits[i], report);
    return count;
}
