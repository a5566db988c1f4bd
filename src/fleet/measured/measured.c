/* SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "sample.h"

/* ---- fitting ---- */

/* Sums over the steps of jobs [0, count) on a cluster. */
static void add_errors(const struct job *jobs, uint32_t count, const struct cluster *cluster, double *absolute,
                       double *signed_sum)
{
    for (uint32_t i = 0; i < count; i++) {
        const double error = job_step(&jobs[i], cluster).step_ms / jobs[i].field[JOB_MEASURED_MS] - 1;
        *absolute += fabs(error);
        *signed_sum += error;
    }
}

/* Even jobs first, then odd ones: two halves that can be passed on as arrays. */
static uint32_t part_in_halves(const struct sample *sample, struct job *halves)
{
    uint32_t even = 0;
    for (uint64_t i = 0; i < sample->count; i += 2)
        halves[even++] = sample->jobs[i];
    for (uint64_t i = 1; i < sample->count; i += 2)
        halves[even + i / 2] = sample->jobs[i];
    return even;
}

static void hold_out(const struct sample *sample, const struct cluster *cluster, struct measured *measured)
{
    const struct fit_asked asked = {false};
    const uint32_t count = (uint32_t)sample->count;
    struct job *halves = mem_alloc(count * sizeof *halves);
    const uint32_t even = part_in_halves(sample, halves);
    double absolute = 0, signed_sum = 0, given = 0, unused = 0;
    struct fit fit;
    if (even < count && fit_efficiencies(halves, even, cluster, &asked, &fit))
        add_errors(halves + even, count - even, &fit.cluster, &absolute, &signed_sum);
    if (even < count && fit_efficiencies(halves + even, count - even, cluster, &asked, &fit))
        add_errors(halves, even, &fit.cluster, &absolute, &signed_sum);
    add_errors(halves, count, cluster, &given, &unused);
    measured->held_out_error = even < count ? absolute / count : NAN;
    measured->held_out_bias = even < count ? signed_sum / count : NAN;
    measured->given_error = given / count;
    mem_free(halves);
}

static bool fit_sample(const struct sample *sample, const struct cluster *cluster, struct measured *measured,
                       const char *path, struct steptime_error *err)
{
    const struct fit_asked asked = {false};
    measured->given = *cluster;
    if (!sample->count || !fit_efficiencies(sample->jobs, (uint32_t)sample->count, cluster, &asked, &measured->fit))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no job has a measured_ms to fit to");
    hold_out(sample, cluster, measured);
    return true;
}

bool measured_fit(const struct job_table_asked *asked, const struct cluster *cluster, struct arena *arena,
                  struct measured *measured, struct steptime_error *err)
{
    struct sample sample = {0};
    if (!strcmp(asked->path, "-"))
        return fail(err, STEPTIME_USAGE, "--measured reads the table twice: give a file, not standard input");
    const bool good =
        sample_read(asked, arena, &sample, err) && fit_sample(&sample, cluster, measured, asked->path, err);
    sample_free(&sample);
    return good;
}

/* ---- showing ---- */

static const struct column_spec efficiencies_columns[] = {
    {"resource", "resource", UNIT_NONE, 0, "resource of the cluster"},
    {"given", "as given", UNIT_RATIO, 0, "efficiency as given"},
    {"fitted", "fitted", UNIT_RATIO, COLUMN_BAR,
     "efficiency as fitted to measured jobs; empty where no job uses it or a table has it"},
    {0},
};

void measured_show(const struct measured *measured, struct report *report)
{
    struct section *section = report_section(report, "measured", "Efficiencies that the measured jobs have");
    section_text(section, str_printf(report_arena(report),
                                     "Fitted to %u jobs. Fitted on every other one, the steps of the rest are off by "
                                     "%.3g %% in the mean; with the efficiencies as given by %.3g %%.",
                                     measured->fit.jobs, 100 * measured->held_out_error, 100 * measured->given_error));
    section_value(section, "fitted_jobs", "jobs", UNIT_COUNT, cell_int(measured->fit.jobs));
    section_value(section, "given_error", "steps off by, as given", UNIT_RATIO, cell_real(measured->given_error));
    section_value(section, "held_out_error", "fitted on the others", UNIT_RATIO, cell_real(measured->held_out_error));
    section_value(section, "held_out_bias", "(signed)", UNIT_RATIO, cell_real(measured->held_out_bias));
    struct table *table = section_table(section, "efficiencies", "");
    table_columns(table, efficiencies_columns);
    for (int i = 0; i < RESOURCES; i++) {
        table_row(table);
        table_text(table, resource_word((enum resource)i));
        table_real(table, measured->given.efficiency[i]);
        table_real(table, measured->fit.fitted[i] ? measured->fit.cluster.efficiency[i] : NAN);
    }
}
