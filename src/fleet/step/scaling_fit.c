/* SPDX-License-Identifier: Apache-2.0 */
#include "scaling_fit.h"

#include <stdlib.h>

#include "architecture.h"
#include "base/arena.h"
#include "model/fit/least_squares.h"

/* ---- the constants ---- */

/* PyTorch's default (DistributedDataParallel, bucket_cap_mb). */
static const double usual_bucket = 25.0 * (1 << 20);

static const struct constant {
    const char *word, *title;
    double start, low, high; /* shares are fitted as logarithms, latencies in ms */
} constants[SCALING_CONSTANTS] = {
    [SCALING_GPU_LINK] = {"efficiency.nvlink", "share of the GPU links' rate", 0.3, 1e-3, 1},
    [SCALING_NETWORK] = {"efficiency.ethernet", "share of the network's rate", 0.3, 1e-3, 1},
    [SCALING_HOST_LINK] = {"efficiency.pcie", "share of PCIe's rate that a server's inputs get", 0.5, 1e-3, 1},
    [SCALING_STEP_SPREAD] = {"spread", "spread of the workers' own work", 0.05, 0, 0.5},
    [SCALING_NETWORK_SPREAD] = {"spread.network", "spread of what they pass over the network", 0.15, 0, 1},
    [SCALING_LATENCY] = {"latency.network", "latency of a hop between servers", 0.1, 0, 20},
    [SCALING_TWO_SERVERS] = {"two_servers", "time of bytes between two servers alone, over among more", 1.5, 1, 3},
};

const char *scaling_word(enum scaling_constant constant)
{
    return constants[constant].word;
}

const char *scaling_title(enum scaling_constant constant)
{
    return constants[constant].title;
}

static bool is_share(enum scaling_constant constant)
{
    return constant <= SCALING_HOST_LINK;
}

/* Where the cluster keeps it. */
static double *place_of(struct cluster *cluster, enum scaling_constant constant)
{
    static const enum resource links[] = {RESOURCE_GPU_LINK, RESOURCE_NETWORK, RESOURCE_HOST_LINK};
    switch (constant) {
    case SCALING_STEP_SPREAD:
        return &cluster->scaling.step_spread;
    case SCALING_NETWORK_SPREAD:
        return &cluster->scaling.network_spread;
    case SCALING_LATENCY:
        return &cluster->latency_s[RESOURCE_NETWORK];
    case SCALING_TWO_SERVERS:
        return &cluster->scaling.two_servers;
    default:
        return &cluster->efficiency[links[constant]];
    }
}

double scaling_value(const struct cluster *cluster, enum scaling_constant constant)
{
    struct cluster copy = *cluster;
    return *place_of(&copy, constant);
}

static void put(struct cluster *cluster, enum scaling_constant constant, double x)
{
    *place_of(cluster, constant) = is_share(constant) ? exp(x) : constant == SCALING_LATENCY ? x / 1e3 : x;
}

struct cluster scaling_cluster(const struct cluster *cluster)
{
    struct cluster scaled = *cluster;
    if (scaled.bucket_bytes <= 0)
        scaled.bucket_bytes = usual_bucket;
    if (scaled.host_link_shared <= 1)
        scaled.host_link_is_shared = true;
    if (scaled.overlap <= 0)
        scaled.scaling.by_layer = true;
    return scaled;
}

/* ---- the problem ---- */

struct problem {
    const struct scaled_job *jobs;
    uint32_t count;
    const bool *left_out;
    const struct cluster *cluster;
    enum scaling_constant of[SCALING_CONSTANTS];
    uint32_t parameters, rows;
    double *weight; /* of each row */
};

static bool counts(const struct problem *problem, uint32_t i)
{
    return !problem->left_out[problem->jobs[i].model];
}

static struct cluster cluster_with(const struct problem *problem, const double *x)
{
    struct cluster cluster = *problem->cluster;
    for (uint32_t i = 0; i < problem->parameters; i++)
        put(&cluster, problem->of[i], x[i]);
    return cluster;
}

double scaling_residual(const struct scaled_job *job, const struct cluster *cluster)
{
    return log(job_step(&job->job, cluster).step_ms / job->job.field[JOB_MEASURED_MS]);
}

static void residuals(const void *context, const double *x, double *residual)
{
    const struct problem *problem = context;
    const struct cluster cluster = cluster_with(problem, x);
    uint32_t row = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (counts(problem, i)) {
            residual[row] = problem->weight[row] * scaling_residual(&problem->jobs[i], &cluster);
            row++;
        }
}

/* ---- weights: each model at each number of workers the same ---- */

struct kind {
    uint32_t model;
    double cnodes;
};

static int by_kind(const void *a, const void *b)
{
    const struct kind *left = a, *right = b;
    if (left->model != right->model)
        return left->model < right->model ? -1 : 1;
    return (left->cnodes > right->cnodes) - (left->cnodes < right->cnodes);
}

static struct kind kind_of(const struct scaled_job *job)
{
    return (struct kind){job->model, job_figure(&job->job, JOB_CNODES, 1)};
}

/* How many of the sorted kinds are this one. */
static uint32_t count_of(const struct kind *kinds, uint32_t count, const struct kind *kind)
{
    const struct kind *found = bsearch(kind, kinds, count, sizeof *kinds, by_kind), *first = found, *last = found;
    while (first > kinds && !by_kind(first - 1, kind))
        first--;
    while (last + 1 < kinds + count && !by_kind(last + 1, kind))
        last++;
    return (uint32_t)(last - first) + 1;
}

/* The mean square is 1, so that the knee keeps its meaning. */
static void normalise(double *weight, uint32_t rows)
{
    double squares = 0;
    for (uint32_t i = 0; i < rows; i++)
        squares += weight[i] * weight[i];
    for (uint32_t i = 0; i < rows; i++)
        weight[i] *= sqrt(rows / squares);
}

static void weigh(struct problem *problem, struct arena *arena)
{
    struct kind *kinds = arena_array(arena, problem->rows, sizeof *kinds);
    problem->weight = arena_array(arena, problem->rows, sizeof *problem->weight);
    uint32_t row = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (counts(problem, i))
            kinds[row++] = kind_of(&problem->jobs[i]);
    qsort(kinds, problem->rows, sizeof *kinds, by_kind);
    row = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (counts(problem, i)) {
            const struct kind kind = kind_of(&problem->jobs[i]);
            problem->weight[row++] = 1 / sqrt(count_of(kinds, problem->rows, &kind));
        }
    normalise(problem->weight, problem->rows);
}

/* ---- which constants the jobs tell of ---- */

static void mark(const struct problem *problem, bool *used)
{
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct job *job = &problem->jobs[i].job;
        const struct job_step step = job_step(job, problem->cluster);
        if (!counts(problem, i) || job_figure(job, JOB_CNODES, 1) <= 1)
            continue;
        const bool network = step.by_resource_ms[RESOURCE_NETWORK] > 0;
        const double servers =
            job_figure(job, JOB_SERVERS,
                       ceil(job->field[JOB_CNODES] / architecture_per_server(job, problem->cluster->gpus_per_server)));
        used[SCALING_STEP_SPREAD] = true;
        used[SCALING_GPU_LINK] |= step.by_resource_ms[RESOURCE_GPU_LINK] > 0;
        used[SCALING_HOST_LINK] |= step.ms[PART_INPUT] > 0;
        used[SCALING_TWO_SERVERS] |= network && servers == 2;
        used[SCALING_NETWORK] |= network;
        used[SCALING_NETWORK_SPREAD] |= network;
        used[SCALING_LATENCY] |= network;
    }
    used[SCALING_GPU_LINK] &= !problem->cluster->table[RESOURCE_GPU_LINK];
    used[SCALING_NETWORK] &= !problem->cluster->table[RESOURCE_NETWORK];
}

static void begin(struct problem *problem, const bool *used, double *x, double *low, double *high)
{
    for (int i = 0; i < SCALING_CONSTANTS; i++) {
        const struct constant *constant = &constants[i];
        const uint32_t at = problem->parameters;
        if (!used[i])
            continue;
        const bool share = is_share((enum scaling_constant)i);
        x[at] = share ? log(constant->start) : constant->start;
        low[at] = share ? log(constant->low) : constant->low;
        high[at] = share ? log(constant->high) : constant->high;
        problem->of[problem->parameters++] = (enum scaling_constant)i;
    }
}

/* ---- how far off it is elsewhere ---- */

/*
 * The spread of the models' means, shrunk to what models of clusters have (a tenth; chosen after two clusters were seen,
 * whose models have .03 to .09), and of jobs about the mean of their model: a model not fitted has both.
 */
static const double usual_spread = 0.1;
enum { USUAL_MODELS = 3 };

static int by_size(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double log_error(const struct problem *problem, const struct cluster *cluster, uint32_t models, double *room,
                        double *mean, uint32_t *count)
{
    for (uint32_t i = 0; i < problem->count; i++)
        if (counts(problem, i)) {
            mean[problem->jobs[i].model] += scaling_residual(&problem->jobs[i], cluster);
            count[problem->jobs[i].model]++;
        }
    double between = USUAL_MODELS * usual_spread * usual_spread;
    uint32_t seen = 0, row = 0;
    for (uint32_t m = 0; m < models; m++) {
        mean[m] /= count[m] ? count[m] : 1;
        between += mean[m] * mean[m];
        seen += count[m] > 0;
    }
    for (uint32_t i = 0; i < problem->count; i++)
        if (counts(problem, i))
            room[row++] = fabs(scaling_residual(&problem->jobs[i], cluster) - mean[problem->jobs[i].model]);
    qsort(room, row, sizeof *room, by_size);
    const double within = room[(uint32_t)(0.9 * (row - 1))];
    return sqrt(1.645 * 1.645 * between / (USUAL_MODELS + seen) + within * within);
}

static uint32_t models_of(const struct problem *problem, bool fitted)
{
    uint32_t models = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (!fitted || counts(problem, i))
            models = problem->jobs[i].model >= models ? problem->jobs[i].model + 1 : models;
    return models;
}

/* ---- the fit ---- */

static const double knee = 0.3;

static void solve(struct problem *problem, struct scaling_fit *fit)
{
    double x[SCALING_CONSTANTS], low[SCALING_CONSTANTS], high[SCALING_CONSTANTS];
    begin(problem, fit->fitted, x, low, high);
    const struct least_squares least = {
        .rows = problem->rows,
        .parameters = problem->parameters,
        .low = low,
        .high = high,
        .knee = knee,
        .steps = 200,
        .residuals = residuals,
        .context = problem,
    };
    least_squares(&least, x);
    fit->cluster = cluster_with(problem, x);
}

bool scaling_fit(const struct scaled_job *jobs, uint32_t count, const bool *model_left_out,
                 const struct cluster *cluster, struct scaling_fit *fit)
{
    struct problem problem = {.jobs = jobs, .count = count, .left_out = model_left_out, .cluster = cluster};
    *fit = (struct scaling_fit){.cluster = *cluster};
    for (uint32_t i = 0; i < count; i++)
        problem.rows += counts(&problem, i);
    mark(&problem, fit->fitted);
    if (!fit->fitted[SCALING_STEP_SPREAD])
        return false;
    struct arena arena = {0};
    const uint32_t models = models_of(&problem, false);
    weigh(&problem, &arena);
    solve(&problem, fit);
    fit->jobs = problem.rows;
    uint32_t *const of_model = arena_array(&arena, models, sizeof *of_model);
    fit->log_error = log_error(&problem, &fit->cluster, models, arena_array(&arena, problem.rows, sizeof(double)),
                               arena_array(&arena, models, sizeof(double)), of_model);
    for (uint32_t m = 0; m < models; m++)
        fit->models += of_model[m] > 0;
    arena_free(&arena);
    return true;
}
