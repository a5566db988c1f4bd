/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <math.h>

#include "advice.h"
#include "parallel/par.h"
#include "base/sum.h"
#include "breakdown/ranks/ranks_show.h"
#include "breakdown/job/job.h"
#include "breakdown/kernels/kernels.h"
#include "breakdown/kernels/operators.h"
#include "places.h"
#include "summary_gather.h"
#include "summary_job.h"

/* ---- one rank ---- */

enum { RUNS = 5, JUDGES = 2, OF_RANK = RUNS, ARENAS };

struct one {
    const struct trace *trace;
    const struct selection *selection;
    bool of_job;
    struct judgements judgements;
    const struct cause_track *tracks;
    struct arena arenas[ARENAS]; /* an analysis allocates in its own, on whatever thread it runs */
    struct summary *out;
    struct summary_details *details;
};

/* What lies outside of all steps is no part of a mean step. */
static struct selection steps_only(const struct selection *selection)
{
    struct selection steps = *selection;
    if (!steps.limited) {
        steps.first = INT64_MIN;
        steps.last = INT64_MAX;
    }
    steps.limited = true;
    return steps;
}

static void judge(void *context, size_t i)
{
    struct one *one = context;
    struct arena *arena = &one->arenas[i];
    if (i == 0) {
        one->judgements.costs = op_costs_new(one->trace, arena);
        one->judgements.phases = phases_of(one->trace, arena);
        return;
    }
    one->judgements.classes = work_classes_new(one->trace, arena);
    one->tracks = cause_tracks_of(one->trace, one->judgements.classes, arena);
    if (one->of_job)
        rank_run_judged(one->trace, one->judgements.classes, NULL, one->selection, &one->arenas[OF_RANK],
                        &one->out->rank);
}

static void judge_bound(struct one *one, struct arena *arena)
{
    const struct judgements *j = &one->judgements;
    struct graph *graph = one->of_job ? graph_new_phased(one->trace, j->classes, j->phases) : NULL;
    struct arena scratch = {0};
    const struct collective_rows collectives = rank_collectives(&one->out->rank);
    const struct judged_rows rows = {j->classes, j->phases, one->tracks, one->of_job ? &collectives : NULL};
    struct lab *lab = lab_open_sampled(one->trace, graph, &rows, one->selection, &scratch);
    verdict_run(lab, &one->out->verdict);
    const bool device = verdict_worth(&one->out->verdict, RESOURCE_DEVICE);
    one->out->holdups = holdups_run(lab, j->phases, device, arena);
    if (one->of_job)
        responses_of_all(lab, graph, &rows, one->selection, arena, &one->out->responses);
    if (one->of_job)
        strip_of(graph, &rows, one->selection, &one->out->rank, arena, &one->out->strip);
    lab_close(lab);
    arena_free(&scratch);
    graph_free(graph);
}

static void take_operators(const struct one *one, const struct operators_asked *asked, struct arena *arena)
{
    struct arena scratch = {0};
    struct operators operators = {0};
    operators_run_judged(one->trace, &one->judgements, asked, &scratch, &operators);
    one->details->operators = tops_of_operators(&operators, arena);
    one->details->ideal_ns = operators.ideal_ns;
    one->details->device = str_copy(arena, operators.device);
    arena_free(&scratch);
}

static void take_kernels(const struct one *one, const struct kernels_asked *asked, struct arena *arena)
{
    struct arena scratch = {0};
    struct kernels kernels = {0};
    kernels_run_judged(one->trace, &one->judgements, asked, &scratch, &kernels);
    one->details->kernels = tops_of_kernels(&kernels, arena);
    arena_free(&scratch);
}

static void run_one(void *context, size_t i)
{
    struct one *one = context;
    struct arena *arena = &one->arenas[i];
    const struct selection steps = steps_only(one->selection);
    const struct kernels_asked kernels = {
        .by = KERNELS_BY_NAME, .selection = &steps, .device = S(""), .counts_only = true};
    const struct operators_asked operators = {
        .by = OPERATORS_BY_NAME, .selection = &steps, .device = S(""), .counts_only = true};
    const struct breakdown_asked breakdown = {
        .selection = one->selection,
        .wanted = places_wanted(advice_parts(), arena),
        .most_explained = MOST_PLACE_ROWS,
        .no_host_phases = true,
    };
    switch (i) { /* what takes longest first */
    case 0:
        judge_bound(one, arena);
        break;
    case 1:
        take_operators(one, &operators, arena);
        break;
    case 2:
        breakdown_run_judged(one->trace, &one->judgements, &breakdown, arena, &one->details->breakdown);
        places_find(one->trace, &one->details->breakdown, arena, one->details->places);
        break;
    case 3:
        take_kernels(one, &kernels, arena);
        break;
    case 4:
        one->details->work = work_figures_of(one->trace, &one->judgements, one->selection);
        break;
    }
}

void summary_run(const struct trace *trace, const struct selection *selection, bool of_job, struct arena *arena,
                 struct summary *out)
{
    struct summary_details *details = arena_alloc(arena, sizeof *details);
    struct one one = {.trace = trace, .selection = selection, .of_job = of_job, .out = out, .details = details};
    struct arena judged = {0};
    par_each(JUDGES, 0, judge, &one);
    for (int i = 0; i < JUDGES; i++)
        arena_adopt(&judged, &one.arenas[i]);
    par_each(RUNS, 0, run_one, &one);
    for (int i = 0; i < ARENAS; i++)
        arena_adopt(arena, &one.arenas[i]);
    details->has_operators = trace->kinds[EVENT_OPERATOR] > 0;
    details->has_stacks = trace->kinds[EVENT_PYTHON] > 0;
    details->has_graphs = trace_oddities(trace).graph_launches > 0;
    details->runs = runs_on(trace);
    out->details = details;
    arena_free(&judged);
}

const struct summary_details *summary_details(const struct summary *summary, struct arena *arena)
{
    if (summary->details)
        return summary->details;
    struct summary_details *details = arena_alloc(arena, sizeof *details);
    summary->source.read(summary->source.of, arena, details);
    return details;
}

/* ---- all ranks ---- */

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
}

static void say_sketched(uint32_t sketched, struct section *section)
{
    if (sketched)
        section_text(section,
                     S("Sketches hold the largest operators and kernels of a rank, not the small ones, and not the "
                       "events and lines of Python behind findings."));
}

/* The part that weighs most; of those of the bound where that has parts of its own. */
static enum part heaviest(const struct facts *facts, bool on_that_side)
{
    enum part most = PARTS;
    for (int part = 0; part < PARTS; part++)
        if ((!on_that_side || bound_of_part(part, facts->device) == facts->bound) &&
            (most == PARTS || facts->part_ns[part] > facts->part_ns[most]))
            most = part;
    return most;
}

static str why(const struct facts *facts, const struct verdict *verdict, struct arena *arena)
{
    const str said = verdict_say(verdict, facts->ranks, arena);
    if (facts->bound == BOUND_UNKNOWN) /* what fills a step need not be what it waits for */
        return said;
    const bool on_that_side = facts->bound < BOUND_UNKNOWN && facts->bound_ns[facts->bound] > 0;
    const enum part most = heaviest(facts, on_that_side);
    if (share(facts, facts->part_ns[most]) < 0.005) /* of what is left out the mean step holds most */
        return said;
    const bool waits = facts->late_ns > 0 && facts->waited_ns > facts->part_ns[most] / 2 &&
                       (most == PART_EXPOSED_COMMUNICATION || most == PART_COMMUNICATION);
    return str_printf(arena, "%.*s The largest part of a step%s: %s (%.0f %%%s).", (int)said.len, said.at,
                      on_that_side ? " on that side" : "", part_title(most), 100 * share(facts, facts->part_ns[most]),
                      waits ? ", most of it waiting for the late rank" : "");
}

static void put_ns(struct section *section, const char *id, const char *title, double ns)
{
    section_value(section, id, title, UNIT_NS, isnan(ns) ? cell_null() : cell_int(llround(ns)));
}

/* What only a device has is not shown where there is none. */
static void put_device_share(const struct facts *facts, struct section *section, const char *id, const char *title,
                             double ratio)
{
    (facts->device ? section_value : section_detail)(section, id, title, UNIT_RATIO, cell_real(ratio));
}

/* What the arithmetic of the steps would take at the device's peak, over what the steps took. */
static double mfu(const struct facts *facts, double ideal_ns)
{
    return ideal_ns > 0 && facts->steps ? share(facts, ideal_ns / facts->steps) : NAN;
}

static void put_device(const struct facts *facts, str device, struct section *section)
{
    (facts->device ? section_value : section_detail)(section, "device", "device", UNIT_NONE, cell_text_or_null(device));
}

static void put_step(const struct facts *facts, struct section *section)
{
    put_ns(section, "step_mean", "step, mean", facts->wall_ns);
    put_ns(section, "step_p50", "step, p50", facts->p50_ns);
    put_ns(section, "step_p95", "step, p95", facts->p95_ns);
    section_value(section, "steps", "steps of all ranks", UNIT_COUNT, cell_int(facts->steps));
    section_value(section, "ranks", "ranks", UNIT_COUNT, cell_int(facts->ranks));
    const double busy = facts->device ? share(facts, busy_ns(facts)) : NAN;
    put_device_share(facts, section, "gpu_busy", facts->cuda ? "GPU busy" : "device busy", busy);
    put_device_share(facts, section, "gpu_idle", facts->cuda ? "GPU idle" : "device idle", 1 - busy);
    put_ns(section, "loader_wait", "waiting for data, a step", facts->part_ns[PART_DATA_LOADING]);
    compilations_show(&facts->compilations, section);
    section_value(section, "bound", "bound", UNIT_NONE, cell_text(bound_word(facts->bound, facts->device)));
}

static const struct column_spec step_parts_columns[] = {
    {"part", "part", UNIT_NONE, COLUMN_DETAIL, "the part by its id, as in `parts` of `breakdown`"},
    {"title", "what", UNIT_NONE, COLUMN_WIDE, "the part in words"},
    {"per_step_ns", "a step", UNIT_NS, COLUMN_SUM, "sum of the part over all steps / steps"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "per_step_ns / step_mean"},
    {0},
};

static void put_parts(const struct facts *facts, struct section *section)
{
    struct table *table = section_table(section, "step_parts", "");
    table_columns(table, step_parts_columns);
    for (int part = 0; part < PARTS; part++) {
        if (facts->part_ns[part] <= 0)
            continue;
        table_row(table);
        table_text(table, str_of(part_id(part)));
        table_text(table, str_of(part_title(part)));
        table_int(table, llround(facts->part_ns[part]));
        table_real(table, share(facts, facts->part_ns[part]));
    }
    section_figure(section, "step_parts_bar", FIGURE_STACK, "step_parts", "title", "per_step_ns");
}

/* Of the device where there is one, else of the host. */
static void put_phases(const struct gathered *sums, struct section *section, struct report *report)
{
    const struct facts *facts = &sums->facts;
    const int64_t *ns = facts->device ? sums->device_ns : sums->host_ns;
    const double steps = facts->steps ? facts->steps : 1;
    for (int phase = PHASE_FORWARD; phase <= PHASE_OPTIMIZER; phase++) {
        const char *word = phase_word(phase).at;
        const char *title = str_printf(report_arena(report), "%s, on the %s", word,
                                       !facts->device ? "host"
                                       : facts->cuda  ? "GPU"
                                                      : "device")
                                .at;
        put_ns(section, word, title, facts->operators ? (double)ns[phase] / steps : NAN);
    }
}

static void say_more(uint32_t found, uint32_t most, struct section *section, struct report *report)
{
    if (found > most)
        section_text(section,
                     str_printf(report_arena(report), "The findings are the %u largest of %u; --findings %u shows all.",
                                most, found, found));
}

static struct holdups holdups_of(const struct summary *const *ranks, uint32_t count, struct arena *arena)
{
    const struct holdups **all = arena_array(arena, count, sizeof *all);
    for (uint32_t r = 0; r < count; r++)
        all[r] = &ranks[r]->holdups;
    return holdups_together(all, count, arena);
}

/* Where the operators are the work. */
static void take_host_work(const struct summary *of, struct facts *facts, struct arena *arena)
{
    const double steps = facts->steps ? facts->steps : 1;
    const struct tops *tops = &summary_details(of, arena)->operators;
    const struct top *most = NULL;
    for (uint32_t i = 0; i < tops->count; i++)
        if (!most || tops->at[i].host_ns > most->host_ns)
            most = &tops->at[i];
    if (most) {
        facts->own_operator = most->title;
        facts->own_operator_ns = (double)most->host_ns / steps;
    }
    if (of->verdict.steps)
        facts->copying_ns = (double)of->verdict.time_ns[RESOURCE_COPIES] / of->verdict.steps;
}

/* Of several ranks who is late comes first; in balance, and where no bound is named, nothing is known to help first. */
static bool has_first(const struct facts *facts)
{
    return facts->ranks == 1 && facts->bound != BOUND_BALANCED && facts->bound != BOUND_UNKNOWN;
}

/* What bounds a step; of one trace what to do first, where something is worth a warning, else what fills the step most. */
static void say_verdict(const struct facts *facts, const struct verdict *verdict, str first, struct section *section,
                        struct arena *arena)
{
    section_text(section, first.len ? verdict_say(verdict, facts->ranks, arena) : why(facts, verdict, arena));
    if (first.len)
        section_text(section, first);
}

/* What a mean step gains without compilation; NAN: not replayed. */
static double compilation_ns(const struct holdups *holdups)
{
    for (uint32_t i = 0; i < holdups->count; i++)
        if (holdups->at[i].cause == CAUSE_COMPILATION)
            return (double)holdups->at[i].saved_ns / (holdups->steps ? holdups->steps : 1);
    return NAN;
}

double summary_show(const struct summary *const *ranks, uint32_t count, uint32_t findings, struct again_told again,
                    struct report *report)
{
    struct arena *arena = report_arena(report);
    struct job job;
    summary_job(ranks, count, arena, &job);
    struct gathered sums = summary_gather(ranks, count, arena);
    struct facts facts = sums.facts;
    facts.bound = verdict_answer(&job.verdict).bound;
    facts.held = verdict_is_held(&job.verdict);
    facts.again = again;
    facts.unmet = job.verdict.unmet;
    summary_take_lateness(&job, &facts);
    if (count == 1 && !facts.device)
        take_host_work(ranks[0], &facts, arena);
    struct section *section = report_section(report, "summary", "What a step costs");
    say_kind(&facts, section);
    if (count > 1)
        section_text(section, job.sentence);
    const struct holdups holdups = holdups_of(ranks, count, arena);
    str first;
    const uint32_t found = advise(&(struct advice){&facts, &holdups, &job.verdict}, findings, report, &first);
    say_verdict(&facts, &job.verdict, has_first(&facts) ? first : S(""), section, arena);
    say_sketched(sums.sketched, section);
    if (count > 1)
        job_show_late(&job, section);
    if (count > 1)
        ranks_show_doubts(&job.ranks, report);
    put_step(&facts, section);
    put_phases(&sums, section, report);
    put_device_share(&facts, section, "mfu", "MFU", mfu(&facts, sums.ideal_ns));
    put_device(&facts, sums.device, section);
    if (count > 1)
        job_show_why(&job, report);
    verdict_show(&job.verdict, count, report);
    if (count == 1)
        holdups_show(&ranks[0]->holdups, report_section(report, "verdict", "What would make a step shorter"));
    put_parts(&facts, report_section(report, "parts", "What a step is made of"));
    tops_show(&sums.tops, facts.steps, facts.device, report);
    say_more(found, findings, section, report);
    return compilation_ns(&holdups);
}
