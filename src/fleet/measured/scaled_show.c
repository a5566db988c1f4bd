/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "scaled.h"

/* ---- errors of some jobs ---- */

struct errors {
    double absolute, signed_sum, *sizes;
    uint32_t count, within;
};

static void add(struct errors *errors, double residual, double half_width)
{
    const double error = expm1(residual);
    errors->sizes[errors->count++] = fabs(error);
    errors->absolute += fabs(error);
    errors->signed_sum += error;
    errors->within += fabs(residual) <= half_width;
}

static int by_size(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(struct errors *errors)
{
    const uint32_t n = errors->count;
    qsort(errors->sizes, n, sizeof *errors->sizes, by_size);
    return n % 2 ? errors->sizes[n / 2] : (errors->sizes[n / 2 - 1] + errors->sizes[n / 2]) / 2;
}

static void put_errors(struct table *table, struct errors *errors)
{
    table_int(table, errors->count);
    table_real(table, errors->absolute / errors->count);
    table_real(table, median(errors));
    table_real(table, errors->signed_sum / errors->count);
    table_real(table, (double)errors->within / errors->count);
}

static bool scales(const struct scaled *scaled, uint32_t i)
{
    return job_figure(&scaled->jobs[i].job, JOB_CNODES, 1) > 1 && !isnan(scaled->halves[i]);
}

/* Of those with this many cNodes, or of this model; 0 and -1: all. */
static struct errors errors_of(const struct scaled *scaled, double cnodes, int64_t model, double *room)
{
    struct errors errors = {.sizes = room};
    for (uint32_t i = 0; i < scaled->count; i++)
        if (scales(scaled, i) && (cnodes <= 0 || scaled->jobs[i].job.field[JOB_CNODES] == cnodes) &&
            (model < 0 || scaled->jobs[i].model == model))
            add(&errors, scaled->halves[i], scaled->within[i]);
    return errors;
}

/* ---- tables ---- */

#define ERROR_COLUMNS \
    {"steps", "steps", UNIT_COUNT, 0, "measured steps of several cNodes"}, \
        {"error", "off by", UNIT_RATIO, 0, "mean of |modelled / measured - 1|, with constants of the other half"}, \
        {"median_error", "median", UNIT_RATIO, 0, "median of the same"}, \
        {"bias", "bias", UNIT_RATIO, 0, "mean of modelled / measured - 1"}, \
        {"covered", "within 90 % interval", UNIT_RATIO, 0, \
         "share of the steps within the interval that the other half gives"},

static void show_workers(const struct scaled *scaled, struct section *section, double *room, double *cnodes)
{
    static const struct column_spec columns[] = {{"cnodes", "cNodes", UNIT_COUNT, 0, "workers of a step"},
                                                 ERROR_COLUMNS{0}};
    struct table *table = section_table(section, "workers", "Models not fitted, by number of workers");
    table_columns(table, columns);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scaled->count; i++)
        if (scales(scaled, i))
            cnodes[count++] = scaled->jobs[i].job.field[JOB_CNODES];
    qsort(cnodes, count, sizeof *cnodes, by_size);
    for (uint32_t i = 0; i < count; i++) {
        if (i && cnodes[i] == cnodes[i - 1])
            continue;
        struct errors errors = errors_of(scaled, cnodes[i], -1, room);
        table_row(table);
        table_int(table, (int64_t)cnodes[i]);
        put_errors(table, &errors);
    }
}

static void show_models(const struct scaled *scaled, struct section *section, double *room)
{
    static const struct column_spec columns[] = {{"model", "model", UNIT_NONE, 0, "the group of the jobs"},
                                                 ERROR_COLUMNS{0}};
    struct table *table = section_table(section, "models", "By model, fitted on the other half of the models");
    table_columns(table, columns);
    for (uint32_t m = 0; m < scaled->models; m++) {
        struct errors errors = errors_of(scaled, 0, m, room);
        if (!errors.count)
            continue;
        table_row(table);
        table_text(table, scaled->model[m].len ? scaled->model[m] : S("(none)"));
        put_errors(table, &errors);
    }
}

static const struct column_spec constants_columns[] = {
    {"constant", "constant", UNIT_NONE, 0, "the figure of the cluster, as --set has it"},
    {"what", "of", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the constant in words"},
    {"given", "as given", UNIT_NONE, 0, "as given; shares and spreads as ratios, latencies in microseconds"},
    {"fitted", "fitted", UNIT_NONE, 0, "as fitted to all models; empty where no job tells of it"},
    {"first_half", "first half", UNIT_NONE, COLUMN_DETAIL, "as fitted to the first half of the models"},
    {"second_half", "second half", UNIT_NONE, COLUMN_DETAIL, "as fitted to the second half"},
    {0},
};

/* In the unit that people say it in. */
static double said(const struct cluster *cluster, enum scaling_constant constant)
{
    return (constant == SCALING_LATENCY ? 1e6 : 1) * scaling_value(cluster, constant);
}

static double fitted_value(const struct scaling_fit *fit, enum scaling_constant constant)
{
    return fit->fitted[constant] ? said(&fit->cluster, constant) : NAN;
}

static void show_constants(const struct scaled *scaled, const struct cluster *given, struct section *section)
{
    struct table *table = section_table(section, "constants", "");
    table_columns(table, constants_columns);
    for (int i = 0; i < SCALING_CONSTANTS; i++) {
        const enum scaling_constant constant = (enum scaling_constant)i;
        table_row(table);
        table_text(table, str_of(scaling_word(constant)));
        table_text(table, str_of(scaling_title(constant)));
        table_real(table, said(given, constant));
        table_real(table, fitted_value(&scaled->all, constant));
        for (int half = 0; half < 2; half++)
            table_real(table, scaled->parted ? fitted_value(&scaled->half[half], constant) : NAN);
    }
}

/* The words that give a command the same cluster. */
static str settings_of(const struct scaling_fit *fit, struct arena *arena)
{
    str words = str_printf(arena, "--set overlap=layers --set bucket=%.0fB%s", fit->cluster.bucket_bytes,
                           fit->cluster.host_link_is_shared ? " --set pcie_share=server" : "");
    for (int i = 0; i < SCALING_CONSTANTS; i++) {
        const enum scaling_constant constant = (enum scaling_constant)i;
        if (!fit->fitted[i])
            continue;
        const bool second = constant == SCALING_LATENCY, plain = constant == SCALING_TWO_SERVERS;
        words = str_printf(arena, "%.*s --set %s=%.6g%s", (int)words.len, words.at, scaling_word(constant),
                           (second || plain ? 1 : 100) * said(&fit->cluster, constant),
                           second  ? "us"
                           : plain ? ""
                                   : "%");
    }
    return words;
}

static double left_out_error(const struct scaled *scaled)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scaled->count; i++)
        if (!isnan(scaled->others[i]) && job_figure(&scaled->jobs[i].job, JOB_CNODES, 1) > 1) {
            sum += fabs(expm1(scaled->others[i]));
            count++;
        }
    return count ? sum / count : NAN;
}

static void show_errors(const struct scaled *scaled, struct section *section, struct report *report, double *room)
{
    const struct errors all = errors_of(scaled, 0, -1, room);
    const double n = all.count ? all.count : NAN;
    section_text(
        section,
        all.count ? str_printf(report_arena(report),
                               "Fitted to %u measured steps of %u models. Fitted to half of the models, steps "
                               "of the other half are off by %.3g %% in the mean, bias %+.2g %%.",
                               scaled->all.jobs, scaled->all.models, 100 * all.absolute / n, 100 * all.signed_sum / n)
                  : str_printf(report_arena(report),
                               "Fitted to %u measured steps. They are of one model, or of too few: how far off "
                               "steps of another would be is unknown.",
                               scaled->all.jobs));
    section_value(section, "steps", "measured steps", UNIT_COUNT, cell_int(scaled->all.jobs));
    section_value(section, "models", "models", UNIT_COUNT, cell_int(scaled->models));
    section_value(section, "held_out_error", "other half of the models off by", UNIT_RATIO,
                  cell_real(all.absolute / n));
    section_value(section, "held_out_bias", "(signed)", UNIT_RATIO, cell_real(all.signed_sum / n));
    section_value(section, "covered", "of them within 90 % intervals", UNIT_RATIO, cell_real(all.within / n));
    section_value(section, "left_out_error", "each model, fitted on all others, off by", UNIT_RATIO,
                  cell_real(left_out_error(scaled)));
    section_value(section, "interval", "steps of other models are within a factor of 1 +-", UNIT_RATIO,
                  cell_real(expm1(scaled->all.log_error)));
    section_value(section, "settings", "the fitted cluster elsewhere", UNIT_NONE,
                  cell_text(settings_of(&scaled->all, report_arena(report))));
}

void scaled_show(const struct scaled *scaled, const struct cluster *given, struct report *report)
{
    struct section *section = report_section(report, "scaling", "How steps grow with the workers");
    double *const room = arena_array(report_arena(report), scaled->count, sizeof *room);
    show_errors(scaled, section, report, room);
    show_constants(scaled, given, section);
    if (!scaled->parted)
        return;
    show_workers(scaled, section, room, arena_array(report_arena(report), scaled->count, sizeof *room));
    show_models(scaled, section, room);
}
