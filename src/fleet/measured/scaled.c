/* SPDX-License-Identifier: Apache-2.0 */
#include "scaled.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "sample.h"

/* ---- jobs and their models ---- */

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* The names, sorted, each once; how many. */
static uint32_t names_of(const struct sample *sample, str *names)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < sample->count; i++)
        names[i] = sample->jobs[i].group;
    qsort(names, sample->count, sizeof *names, by_name);
    for (uint64_t i = 0; i < sample->count; i++)
        if (!count || !str_eq(names[i], names[count - 1]))
            names[count++] = names[i];
    return count;
}

static void take_jobs(const struct sample *sample, struct arena *arena, struct scaled *scaled)
{
    scaled->model = arena_array(arena, sample->count, sizeof *scaled->model);
    scaled->jobs = arena_array(arena, sample->count, sizeof *scaled->jobs);
    scaled->models = names_of(sample, scaled->model);
    scaled->count = (uint32_t)sample->count;
    for (uint32_t i = 0; i < scaled->count; i++) {
        const str *found =
            bsearch(&sample->jobs[i].group, scaled->model, scaled->models, sizeof *scaled->model, by_name);
        scaled->jobs[i] = (struct scaled_job){sample->jobs[i], (uint32_t)(found - scaled->model)};
    }
}

/* ---- models that are left out ---- */

/* Fits to the models not left out, and keeps the residuals of the others. */
static bool hold_out(struct scaled *scaled, const bool *left_out, const struct cluster *cluster, double *residual,
                     struct scaling_fit *fit)
{
    if (!scaling_fit(scaled->jobs, scaled->count, left_out, cluster, fit))
        return false;
    for (uint32_t i = 0; i < scaled->count; i++)
        if (left_out[scaled->jobs[i].model]) {
            residual[i] = scaling_residual(&scaled->jobs[i], &fit->cluster);
            if (residual == scaled->halves)
                scaled->within[i] = fit->log_error;
        }
    return true;
}

static void part_in_halves(struct scaled *scaled, const struct cluster *cluster, bool *left_out)
{
    scaled->parted = scaled->models > 1;
    for (uint32_t half = 0; half < 2 && scaled->parted; half++) {
        for (uint32_t m = 0; m < scaled->models; m++)
            left_out[m] = m % 2 != half;
        scaled->parted = hold_out(scaled, left_out, cluster, scaled->halves, &scaled->half[half]);
    }
}

static void leave_each_out(struct scaled *scaled, const struct cluster *cluster, bool *left_out)
{
    struct scaling_fit fit;
    for (uint32_t each = 0; each < scaled->models; each++) {
        for (uint32_t m = 0; m < scaled->models; m++)
            left_out[m] = m == each;
        hold_out(scaled, left_out, cluster, scaled->others, &fit);
    }
}

static double *unknown(uint32_t count, struct arena *arena)
{
    double *values = arena_array(arena, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = NAN;
    return values;
}

static bool fit_sample(const struct sample *sample, const struct cluster *given, const char *path, struct arena *arena,
                       struct scaled *scaled, struct steptime_error *err)
{
    const struct cluster cluster = scaling_cluster(given);
    take_jobs(sample, arena, scaled);
    if (scaled->models > SCALED_MODELS)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "its measured jobs are of more than %d models",
                       SCALED_MODELS);
    bool *const left_out = arena_array(arena, scaled->models + 1, sizeof *left_out);
    scaled->halves = unknown(scaled->count, arena);
    scaled->others = unknown(scaled->count, arena);
    scaled->within = unknown(scaled->count, arena);
    if (!scaling_fit(scaled->jobs, scaled->count, left_out, &cluster, &scaled->all))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no job of several cNodes has a measured_ms to fit to");
    part_in_halves(scaled, &cluster, left_out);
    leave_each_out(scaled, &cluster, left_out);
    return true;
}

/* Only steps that take time, on the cluster and on the clock. */
static void drop_empty(struct sample *sample, const struct cluster *cluster)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < sample->count; i++)
        if (!step_problem(&(struct job_step){.step_ms = job_step(&sample->jobs[i], cluster).step_ms}) &&
            !sample->jobs[i].lacks_amounts)
            sample->jobs[kept++] = sample->jobs[i];
    sample->count = kept;
}

bool scaled_fit(const struct job_table_asked *asked, const struct cluster *cluster, struct arena *arena,
                struct scaled *scaled, struct steptime_error *err)
{
    struct sample sample = {0};
    *scaled = (struct scaled){0};
    bool good = sample_read(asked, arena, &sample, err);
    drop_empty(&sample, cluster);
    good = good && fit_sample(&sample, cluster, asked->path, arena, scaled, err);
    sample_free(&sample);
    return good;
}
