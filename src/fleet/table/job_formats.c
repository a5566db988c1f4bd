/* SPDX-License-Identifier: Apache-2.0 */
/* The public tables with a job a row, in the order in which they are tried. */
#include "job_format.h"

#include "import.h"
#include "base/real.h"

/* GPUs of a server, of all whose tables do not say: that of the machines of these clusters. */
enum { PER_SERVER = 8 };

/* Jobs that have no GPU are no training jobs. */
static const char *shape_by_gpus(const struct import_columns *columns, const struct csv_row *row, struct job *job)
{
    (void)columns;
    (void)row;
    if (job->field[JOB_CNODES] == 0)
        return JOB_NONE;
    job->architecture = import_architecture(job->field[JOB_CNODES], PER_SERVER);
    return NULL;
}

/* ---- Muri (Zhao et al., SIGCOMM 2022): milliseconds of an iteration waiting for input, on the GPU, on the network ---- */

static const struct import_format muri = {
    .needs = {"iteration_time", "resource_time_0", "resource_time_1", "resource_time_2"},
    .job = "job_id",
    .maps = {{"num_gpu", JOB_CNODES, 1},
             {"batch_size", JOB_BATCH, 1},
             {"iteration_time", JOB_MEASURED_MS, 1},
             {"resource_time_0", JOB_MEASURED_INPUT_MS, 1},
             {"resource_time_1", JOB_MEASURED_COMPUTE_MS, 1},
             {"resource_time_2", JOB_MEASURED_WEIGHT_MS, 1},
             {"duration", JOB_DURATION_S, 1e-3}},
    .shape = shape_by_gpus,
};

/* ---- Pollux (Qiao et al., OSDI 2021): seconds of a step, and of them from the last gradient to the end of the sum ---- */

/* What of the step is no synchronisation is computing, input being hidden behind it. */
static void split_step(struct job *job)
{
    job->field[JOB_MEASURED_COMPUTE_MS] = job->field[JOB_MEASURED_MS] - job->field[JOB_MEASURED_WEIGHT_MS];
    job->field[JOB_MEASURED_INPUT_MS] = 0;
}

/* "4321": replicas on each of four servers. */
static const char *shape_placement(const struct import_columns *columns, const struct csv_row *row, struct job *job)
{
    const str placement = str_trim(csv_field(row, columns->needs[0]));
    double replicas = 0;
    for (size_t i = 0; i < placement.len; i++) {
        if (placement.at[i] < '1' || placement.at[i] > '9')
            return "its placement is no list of replicas, a digit a server";
        replicas += placement.at[i] - '0';
    }
    if (replicas == 0)
        return "its placement is empty";
    job->field[JOB_CNODES] = replicas;
    job->architecture = import_architecture(replicas, placement.len > 1 ? 1 : replicas);
    split_step(job);
    return NULL;
}

static const struct import_format placements = {
    .needs = {"placement", "local_bsz", "step_time", "sync_time"},
    .job = "placement",
    .maps = {{"local_bsz", JOB_BATCH, 1},
             {"step_time", JOB_MEASURED_MS, 1e3},
             {"sync_time", JOB_MEASURED_WEIGHT_MS, 1e3}},
    .shape = shape_placement,
};

static const char *shape_scaled(const struct import_columns *columns, const struct csv_row *row, struct job *job)
{
    double servers;
    if (!real_read(csv_field(row, columns->needs[0]), &servers) || servers < 1)
        return "num_nodes is no number from 1 on";
    const double replicas = job->field[JOB_CNODES];
    job->architecture = import_architecture(replicas, servers > 1 ? 1 : replicas);
    split_step(job);
    return NULL;
}

static const struct import_format scalability = {
    .needs = {"num_nodes", "num_replicas", "step_time", "sync_time"},
    .maps = {{"num_replicas", JOB_CNODES, 1},
             {"local_bsz", JOB_BATCH, 1},
             {"step_time", JOB_MEASURED_MS, 1e3},
             {"sync_time", JOB_MEASURED_WEIGHT_MS, 1e3}},
    .shape = shape_scaled,
};

/* ---- job lists without a step: Philly (Jeon et al., ATC 2019), Acme (Hu et al., NSDI 2024) ---- */

static const struct import_format philly = {
    .needs = {"timestamp", "duration", "num_gpus", "gpu_time"},
    .maps = {{"num_gpus", JOB_CNODES, 1}, {"duration", JOB_DURATION_S, 1}},
    .shape = shape_by_gpus,
};

static const struct import_format acme = {
    .needs = {"job_id", "gpu_num", "cpu_num", "duration"},
    .job = "job_id",
    .maps = {{"gpu_num", JOB_CNODES, 1}, {"duration", JOB_DURATION_S, 1}},
    .shape = shape_by_gpus,
};

/* ---- all of them ---- */

static bool fits(const void *of, const struct csv_row *header, const char *path)
{
    (void)path;
    return import_fits_header(of, header);
}

static void *prepare(const void *of, const struct csv_row *header, const char *path, struct arena *arena)
{
    (void)path;
    return import_prepare(of, header, arena);
}

static const struct job_format rows_of_muri = {"muri", false, &muri, fits, prepare, import_row};
static const struct job_format rows_of_placements = {"pollux", false, &placements, fits, prepare, import_row};
static const struct job_format rows_of_scalability = {"pollux", false, &scalability, fits, prepare, import_row};
static const struct job_format rows_of_philly = {"philly", false, &philly, fits, prepare, import_row};
static const struct job_format rows_of_acme = {"acme", false, &acme, fits, prepare, import_row};

const struct job_format *const job_formats[] = {&rows_of_muri, &rows_of_placements, &rows_of_scalability,
                                                &rows_of_philly, &rows_of_acme};
const uint32_t job_format_count = sizeof job_formats / sizeof *job_formats;
