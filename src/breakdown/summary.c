/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <math.h>

#include "advice.h"
#include "breakdown_show.h"

/* ---- one rank ---- */

static str device_name(const struct trace *trace, struct arena *arena)
{
    int64_t *devices;
    if (!trace_devices(trace, arena, &devices))
        return S("");
    for (uint32_t i = 0; i < trace->info.device_count; i++)
        if (trace->info.devices[i].id == devices[0])
            return str_copy(arena, trace->info.devices[i].name);
    return S("");
}

void summary_run(const struct trace *trace, const struct selection *selection, struct arena *arena, struct summary *out)
{
    breakdown_run(trace, selection, NULL, arena, &out->breakdown);
    out->work = work_figures_of(trace, selection);
    out->device_name = device_name(trace, arena);
    out->stacks = trace->kinds[EVENT_PYTHON] > 0;
}

/* ---- all ranks ---- */

static struct facts gather(const struct summary *const *ranks, uint32_t count, struct arena *arena)
{
    const struct breakdown **breakdowns = arena_array(arena, count, sizeof *breakdowns);
    for (uint32_t r = 0; r < count; r++)
        breakdowns[r] = &ranks[r]->breakdown;
    struct facts facts = facts_of(breakdowns, count, arena);
    const double steps = facts.steps ? facts.steps : 1;
    for (uint32_t r = 0; r < count; r++) {
        const struct work_figures *work = &ranks[r]->work;
        facts.stacks |= ranks[r]->stacks;
        facts.kernels += (double)work->kernels / steps;
        facts.kernel_ns += (double)work->kernel_ns / steps;
        facts.optimizer_kernels += (double)work->optimizer_kernels / steps;
        facts.optimizer_ns += (double)work->optimizer_ns / steps;
        for (int c = 0; c < KERNEL_CLASSES; c++)
            facts.class_ns[c] += (double)work->class_ns[c] / steps;
    }
    return facts;
}

static double share(const struct facts *facts, double ns)
{
    return facts->wall_ns > 0 ? ns / facts->wall_ns : NAN; /* null in the report */
}

static double busy_ns(const struct facts *facts)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++)
        if (part_is_work(part))
            sum += facts->part_ns[part];
    return sum;
}

/* ---- the screen ---- */

static void say_kind(const struct facts *facts, struct section *section)
{
    if (!facts->device)
        section_text(section, S("The trace has no device activity: its steps are split on the host."));
    if (facts->steps_from == STEPS_OPTIMIZER)
        section_text(section, S("Steps run from one optimizer step's end to the next; the trace annotates none."));
    if (facts->steps_from == STEPS_NONE)
        section_text(section, S("The trace marks no steps: all of it counts as one."));
}

/* The part that weighs most inside the group that bounds the step. */
static enum part heaviest(const struct facts *facts)
{
    enum part most = PARTS;
    for (int part = 0; part < PARTS; part++)
        if (bound_of_part(part, facts->device) == facts->bound &&
            (most == PARTS || facts->part_ns[part] > facts->part_ns[most]))
            most = part;
    return most;
}

static str why(const struct facts *facts, struct arena *arena)
{
    const enum part most = heaviest(facts);
    if (facts->bound == BOUND_UNKNOWN || most == PARTS)
        return S("What bounds the step is not recorded.");
    const str word = bound_word(facts->bound, facts->device);
    const double group = 100 * share(facts, facts->bound_ns[facts->bound]);
    const double single = 100 * share(facts, facts->part_ns[most]);
    if (group - single < 1)
        return str_printf(arena, "%.*s: %s takes %.0f %% of a step.", (int)word.len, word.at, part_title(most), single);
    return str_printf(arena, "%.*s: it takes %.0f %% of a step, most of it %s (%.0f %%).", (int)word.len, word.at, group,
                      part_title(most), single);
}

static void put_ns(struct section *section, const char *id, const char *title, double ns)
{
    section_value(section, id, title, UNIT_NS, isnan(ns) ? cell_null() : cell_int(llround(ns)));
}

static void put_share(struct section *section, const char *id, const char *title, double ratio)
{
    section_value(section, id, title, UNIT_RATIO, cell_real(ratio));
}

static void put_step(const struct facts *facts, struct section *section)
{
    put_ns(section, "step_mean", "step, mean", facts->wall_ns);
    put_ns(section, "step_p50", "step, median", facts->p50_ns);
    put_ns(section, "step_p95", "step, 95 %", facts->p95_ns);
    section_value(section, "steps", "steps of all ranks", UNIT_COUNT, cell_int(facts->steps));
    section_value(section, "ranks", "ranks", UNIT_COUNT, cell_int(facts->ranks));
    const double busy = facts->device ? share(facts, busy_ns(facts)) : NAN;
    put_share(section, "gpu_busy", "GPU busy", busy);
    put_share(section, "gpu_idle", "GPU idle", 1 - busy);
    put_ns(section, "loader_wait", "waiting for data, a step", facts->part_ns[PART_DATA_LOADING]);
    section_value(section, "bound", "bound", UNIT_NONE, cell_text(bound_word(facts->bound, facts->device)));
}

static void put_parts(const struct facts *facts, struct section *section)
{
    struct table *table = section_table(section, "step_parts", "");
    table_column(table, "part", "what", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "per_step_ns", "a step", UNIT_NS, COLUMN_PLAIN);
    table_column(table, "share", "share", UNIT_RATIO, COLUMN_BAR);
    for (int part = 0; part < PARTS; part++) {
        if (facts->part_ns[part] <= 0)
            continue;
        table_row(table);
        table_text(table, str_of(part_title(part)));
        table_int(table, llround(facts->part_ns[part]));
        table_real(table, share(facts, facts->part_ns[part]));
    }
    section_figure(section, "step_parts_bar", FIGURE_STACK, "step_parts", "part", "per_step_ns");
}

static int64_t total(const struct summary *const *ranks, uint32_t count, int account)
{
    int64_t sum = 0;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t d = 0; d < ranks[r]->breakdown.device_count; d++)
            sum += ranks[r]->breakdown.devices[d].total[account];
    return sum;
}

/* Forward, backward, optimizer: a row each, on the device and on the host. */
static void put_phases(const struct facts *facts, const struct summary *const *ranks, uint32_t count, struct section *section)
{
    struct table *table = section_table(section, "step_phases", "");
    table_column(table, "phase", "phase", UNIT_NONE, COLUMN_PLAIN);
    table_column(table, "device_per_step_ns", "device, a step", UNIT_NS, facts->device ? COLUMN_PLAIN : COLUMN_DETAIL);
    table_column(table, "host_per_step_ns", "host, a step", UNIT_NS, COLUMN_PLAIN);
    const double steps = facts->steps ? facts->steps : 1;
    for (int phase = PHASE_FORWARD; phase <= PHASE_OPTIMIZER; phase++) {
        table_row(table);
        table_text(table, phase_word(phase));
        if (facts->device)
            table_int(table, llround((double)total(ranks, count, ACCOUNT_PHASE_DEVICE + phase) / steps));
        else
            table_null(table);
        table_int(table, llround((double)total(ranks, count, ACCOUNT_PHASE_HOST + phase) / steps));
    }
}

static void put_findings(const struct facts *facts, uint32_t most, struct report *report)
{
    const uint32_t found = advise(facts, most, report);
    if (found <= most)
        return;
    struct section *section = report_section(report, "more", "");
    section_text(section, str_printf(report_arena(report), "%u more findings; --findings %u shows all.", found - most, found));
}

void summary_show(const struct summary *const *ranks, uint32_t count, uint32_t findings, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct facts facts = gather(ranks, count, arena);
    struct section *section = report_section(report, "summary", "What a step costs");
    say_kind(&facts, section);
    section_text(section, why(&facts, arena));
    put_step(&facts, section);
    put_parts(&facts, report_section(report, "parts", "What a step is made of"));
    put_phases(&facts, ranks, count, report_section(report, "phases", "Forward, backward, optimizer"));
    put_findings(&facts, findings, report);
}
