/* SPDX-License-Identifier: Apache-2.0 */
#include "curves.h"

#include <string.h>

#include "base/sum.h"
#include "experiment.h"
#include "verdict.h"

const int curve_percent[CURVE_PACES] = {0, 25, 50, 75, 100, 150, 200};

enum { RUNS_MOST = RESOURCES * CURVE_PACES };

struct pace {
    enum resource resource;
    int at; /* of curve_percent */
};

struct paces {
    struct pace run[RUNS_MOST];
    uint32_t count;
};

/* ---- the replays ---- */

static int64_t paced(const struct lab *lab, const struct spent *spent, struct pace pace)
{
    if (!resource_has(pace.resource, (enum resource)spent->resource, lab->hostwork != NULL))
        return spent->ns;
    const int64_t percent = curve_percent[pace.at];
    if (percent == 50) /* as the verdict halves it: each time that was added up is rounded down */
        return (spent->ns - spent->odd) / 2;
    return spent->ns / 100 * percent + spent->ns % 100 * percent / 100;
}

static void fill(const struct lab *lab, const struct spending *spending, const struct pace *some, uint32_t count)
{
    memset(lab_works(lab, 0), 0, (size_t)lab->joined.net.count * ABREAST * sizeof(int64_t));
    for (size_t i = 0; i < spending->count; i++) {
        const struct spent *spent = &spending->at[i];
        int64_t *const works = lab_works(lab, spent->node);
        for (uint32_t run = 0; run < ABREAST; run++)
            works[run] += paced(lab, spent, some[run < count ? run : count - 1]);
    }
}

static void run_abreast(const struct lab *lab, const struct spending *spending, const struct pace *some, uint32_t count,
                        struct curves *out)
{
    int64_t saved_ns[ABREAST];
    fill(lab, spending, some, count);
    lab_save(lab, &lab->judged, 0, saved_ns);
    for (uint32_t run = 0; run < count; run++)
        out->taken_ns[some[run].resource][some[run].at] = out->step_ns - saved_ns[run];
}

/* Of a host alone what it is made of has curves, as in the verdict; start-up and stalls are there or not. */
static bool has_curve(const struct lab *lab, enum resource resource, int64_t time_ns)
{
    if (time_ns <= 0 || resource == RESOURCE_START || resource == RESOURCE_STALLS)
        return false;
    return !lab->hostwork || (resource != RESOURCE_HOST && resource != RESOURCE_OPERATORS);
}

static struct paces paces_of(const struct lab *lab, struct curves *out)
{
    struct paces paces = {.count = 0};
    for (int r = 0; r < RESOURCE_NONE; r++) {
        if (!has_curve(lab, (enum resource)r, out->time_ns[r]))
            out->time_ns[r] = 0;
        for (int at = 0; at < CURVE_PACES && out->time_ns[r]; at++)
            if (at == CURVE_AS_IS)
                out->taken_ns[r][at] = out->step_ns;
            else
                paces.run[paces.count++] = (struct pace){(enum resource)r, at};
    }
    return paces;
}

static void run_in(const struct lab *lab, struct curves *out)
{
    out->steps = lab->judged.range.count;
    out->device = !lab->hostwork;
    out->step_ns = lab->judged.bare_ns;
    if (!out->steps)
        return;
    struct spending spending = spending_of(lab, lab->judged.steps.from_ns);
    experiment_times(lab, &lab->judged, &spending, out->time_ns);
    const struct paces paces = paces_of(lab, out);
    for (uint32_t first = 0; first < paces.count; first += ABREAST)
        run_abreast(lab, &spending, &paces.run[first], paces.count - first < ABREAST ? paces.count - first : ABREAST,
                    out);
    spending_free(&spending);
}

void curves_run(const struct trace *trace, const struct selection *selection, struct curves *out)
{
    struct arena scratch = {0};
    *out = (struct curves){0};
    const struct judged_rows rows = rows_judge(trace, &scratch);
    struct lab *lab = lab_open_sampled(trace, NULL, &rows, selection, &scratch);
    run_in(lab, out);
    lab_close(lab);
    arena_free(&scratch);
}

/* ---- shown ---- */

static struct curves sum_of(const struct curves *const *ranks, uint32_t count)
{
    struct curves sums = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct curves *rank = ranks[i];
        sums.steps += rank->steps;
        sums.device |= rank->device;
        sum_to(&sums.step_ns, rank->step_ns);
        for (int r = 0; r < RESOURCES; r++) {
            sum_to(&sums.time_ns[r], rank->time_ns[r]);
            for (int at = 0; at < CURVE_PACES; at++) /* who has none of it stays as recorded */
                sum_to(&sums.taken_ns[r][at], rank->time_ns[r] ? rank->taken_ns[r][at] : rank->step_ns);
        }
    }
    return sums;
}

static int64_t per_step(const struct curves *curves, int64_t ns)
{
    return curves->steps ? ns / curves->steps : 0;
}

/* Of what takes a hundredth of the steps: that its line may be flat is what it is drawn for. */
static bool is_drawn(const struct curves *curves, int resource)
{
    return curves->time_ns[resource] && curves->time_ns[resource] >= curves->step_ns / 100;
}

static void put_columns(const struct curves *curves, struct table *table)
{
    table_column(table, (struct column_spec){"pace", "share of its time", UNIT_RATIO, COLUMN_PLAIN,
                                             "what a resource takes in the replay / what it took in the recording"});
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (is_drawn(curves, r))
            table_column(table,
                         (struct column_spec){resource_id((enum resource)r), resource_title((enum resource)r), UNIT_NS,
                                              COLUMN_PLAIN,
                                              "a mean step, replayed with this resource at that share of its time"});
}

static void put_rows(const struct curves *curves, struct table *table)
{
    for (int at = 0; at < CURVE_PACES; at++) {
        table_row(table);
        table_real(table, curve_percent[at] / 100.0);
        for (int r = 0; r < RESOURCE_NONE; r++)
            if (is_drawn(curves, r))
                table_int(table, per_step(curves, curves->taken_ns[r][at]));
    }
}

void curves_show(const struct curves *const *ranks, uint32_t count, struct report *report)
{
    const struct curves curves = sum_of(ranks, count);
    bool any = false;
    for (int r = 0; r < RESOURCE_NONE; r++)
        any |= is_drawn(&curves, r);
    if (!curves.steps || !any)
        return;
    struct section *section = report_section(report, "curves", "What if");
    section_text(
        section,
        S("A mean step of those that the verdict is of, replayed with one resource faster (left of 100 %) or slower (right of it) and "
          "all else as recorded. Where a line is flat the step waits for something else."));
    if (count > 1)
        section_text(section, S("Each rank was replayed by itself: what one gains those who wait for it do not."));
    struct table *table = section_table(section, "curves", "a mean step by what one resource takes of its time");
    put_columns(&curves, table);
    put_rows(&curves, table);
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (is_drawn(&curves, r))
            section_page_figure(section, resource_id((enum resource)r), FIGURE_LINE, "curves", "pace",
                                resource_id((enum resource)r));
}
