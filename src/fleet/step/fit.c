/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include "base/arena.h"
#include "model/fit/least_squares.h"

/* ---- figures that were measured ---- */

enum figure { FIGURE_STEP, FIGURE_INPUT, FIGURE_COMPUTE, FIGURE_WEIGHT, FIGURES };

static const enum job_field measured_fields[FIGURES] = {
    [FIGURE_STEP] = JOB_MEASURED_MS,
    [FIGURE_INPUT] = JOB_MEASURED_INPUT_MS,
    [FIGURE_COMPUTE] = JOB_MEASURED_COMPUTE_MS,
    [FIGURE_WEIGHT] = JOB_MEASURED_WEIGHT_MS,
};

static double modelled_ms(const struct job_step *step, enum figure figure)
{
    switch (figure) {
    case FIGURE_INPUT:
        return step->ms[PART_INPUT];
    case FIGURE_COMPUTE:
        return step->ms[PART_COMPUTE_BOUND] + step->ms[PART_MEMORY_BOUND];
    case FIGURE_WEIGHT:
        return step->ms[PART_WEIGHT];
    default:
        return step->step_ms;
    }
}

/* A part that the model, or the clock, does not see says nothing of rates. */
static bool counts(const struct job *job, const struct job_step *step, enum figure figure)
{
    return job->field[measured_fields[figure]] > 0 && modelled_ms(step, figure) > 0;
}

/* ---- the problem ---- */

enum { OVERLAP = RESOURCES, PARAMETERS };

struct problem {
    const struct job *jobs;
    uint32_t count, every;
    const struct cluster *cluster;
    int of[PARAMETERS]; /* resource, or OVERLAP, of each parameter */
    uint32_t parameters;
};

static struct cluster cluster_with(const struct problem *problem, const double *x)
{
    struct cluster cluster = *problem->cluster;
    for (uint32_t i = 0; i < problem->parameters; i++) {
        if (problem->of[i] == OVERLAP)
            cluster.overlap = x[i];
        else
            cluster.efficiency[problem->of[i]] = exp(x[i]);
    }
    return cluster;
}

static void residuals(const void *context, const double *x, double *residual)
{
    const struct problem *problem = context;
    const struct cluster cluster = cluster_with(problem, x);
    for (uint32_t i = 0; i < problem->count; i += problem->every) {
        const struct job *job = &problem->jobs[i];
        const struct job_step step = job_step(job, &cluster);
        for (int figure = 0; figure < FIGURES; figure++)
            if (counts(job, &step, (enum figure)figure))
                *residual++ = log(modelled_ms(&step, (enum figure)figure) / job->field[measured_fields[figure]]);
    }
}

/* Counts jobs and figures, and marks the resources that a measured part or step waits for. */
static void survey(const struct problem *problem, struct fit *fit, bool *used)
{
    for (uint32_t i = 0; i < problem->count; i += problem->every) {
        const struct job *job = &problem->jobs[i];
        const struct job_step step = job_step(job, problem->cluster);
        uint32_t figures = 0;
        for (int figure = 0; figure < FIGURES; figure++)
            figures += counts(job, &step, (enum figure)figure);
        fit->jobs += figures > 0;
        fit->figures += figures;
        const bool whole = counts(job, &step, FIGURE_STEP);
        const bool compute = whole || counts(job, &step, FIGURE_COMPUTE);
        const bool links = whole || counts(job, &step, FIGURE_WEIGHT) || counts(job, &step, FIGURE_INPUT);
        for (int r = 0; r < RESOURCES; r++)
            used[r] = used[r] || (step.by_resource_ms[r] > 0 && (r < RESOURCE_HOST_LINK ? compute : links));
    }
}

static double mean_error(const struct problem *problem, const double *x, double *room, uint32_t figures)
{
    residuals(problem, x, room);
    double sum = 0;
    for (uint32_t i = 0; i < figures; i++)
        sum += fabs(expm1(room[i]));
    return sum / figures;
}

/* ---- the fit ---- */

static const double least_share = 1e-3, knee = 0.3;

/* The parameters, where they begin, and how far they may go. */
static void choose(struct problem *problem, const bool *used, bool overlap, struct fit *fit, double *x, double *low,
                   double *high)
{
    for (int r = 0; r < RESOURCES; r++) {
        fit->fitted[r] = used[r] && !problem->cluster->table[r];
        if (!fit->fitted[r])
            continue;
        low[problem->parameters] = log(least_share);
        high[problem->parameters] = 0;
        x[problem->parameters] = log(problem->cluster->efficiency[r]);
        problem->of[problem->parameters++] = r;
    }
    if (!overlap)
        return;
    low[problem->parameters] = 0;
    high[problem->parameters] = 1;
    x[problem->parameters] = problem->cluster->overlap;
    problem->of[problem->parameters++] = OVERLAP;
}

bool fit_efficiencies(const struct job *jobs, uint32_t count, const struct cluster *cluster,
                      const struct fit_asked *asked, struct fit *fit)
{
    struct problem problem = {.jobs = jobs, .count = count, .every = 1 + count / FIT_JOBS, .cluster = cluster};
    bool used[RESOURCES] = {0};
    *fit = (struct fit){.cluster = *cluster};
    survey(&problem, fit, used);
    if (!fit->figures)
        return false;
    double x[PARAMETERS], low[PARAMETERS], high[PARAMETERS];
    choose(&problem, used, asked->overlap, fit, x, low, high);
    struct arena scratch = {0};
    double *room = arena_array(&scratch, fit->figures, sizeof *room);
    fit->error_before = mean_error(&problem, x, room, fit->figures);
    const struct least_squares least = {
        .rows = fit->figures,
        .parameters = problem.parameters,
        .low = low,
        .high = high,
        .knee = knee,
        .steps = 100,
        .residuals = residuals,
        .context = &problem,
    };
    if (problem.parameters)
        least_squares(&least, x);
    fit->error = mean_error(&problem, x, room, fit->figures);
    fit->cluster = cluster_with(&problem, x);
    for (int r = 0; r < RESOURCES; r++)
        if (fit->fitted[r])
            fit->cluster.source[r] = S("fitted on measured jobs");
    arena_free(&scratch);
    return true;
}
