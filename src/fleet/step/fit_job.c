/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of a job from its measured parts. */
#include "fit.h"
#include "layout.h"

/* Times are linear in amounts but for latencies, which are small beside what is measured of such an amount. */
static const double probe = 1e9;

/* The part of a step that has nothing else than this amount, on the cluster. */
static double probed_ms(const struct job *job, enum job_field field, enum part part, const struct cluster *cluster)
{
    static const enum job_field amounts[] = {JOB_INPUT_BYTES,  JOB_FLOPS,          JOB_MEMORY_BYTES, JOB_WEIGHT_BYTES,
                                             JOB_TENSOR_BYTES, JOB_PIPELINE_BYTES, JOB_EXPERT_BYTES};
    struct job alone = *job;
    alone.lacks_amounts = false;
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        alone.field[amounts[i]] = 0;
    alone.field[field] = probe;
    return job_step(&alone, cluster).ms[part];
}

/* Sets an amount that is missing to what takes so long; not where that is not known, or no amount of it takes time. */
static void take(struct job *job, enum job_field field, enum part part, double ms, const struct cluster *cluster)
{
    if (!isnan(job->field[field]) || isnan(ms))
        return;
    const double probe_ms = probed_ms(job, field, part, cluster);
    job->field[field] = probe_ms > 0 ? ms / probe_ms * probe : 0;
}

/* What one cNode alone takes is the time of its GPU, input being part of it, where nothing else is told of that. */
static void spell_out_alone(struct job *job, const struct scaling *scaling)
{
    const double slowest = scaling_slowest(scaling->step_spread, job_figure(job, JOB_CNODES, 1));
    job->field[JOB_MEASURED_COMPUTE_MS] = slowest * job->field[JOB_ALONE_MS];
    job->field[JOB_ALONE_MS] = NAN;
    job->field[JOB_INPUT_BYTES] = job_figure(job, JOB_INPUT_BYTES, 0);
}

bool fit_job(struct job *job, const struct cluster *cluster)
{
    struct job told = *job;
    told.lacks_amounts = false;
    if (!isnan(told.field[JOB_ALONE_MS]))
        spell_out_alone(&told, &cluster->scaling);
    if (isnan(told.field[JOB_MEMORY_BYTES]) && !isnan(told.field[JOB_MEASURED_COMPUTE_MS]))
        told.field[JOB_MEMORY_BYTES] = 0;
    const double memory_ms =
        told.field[JOB_MEMORY_BYTES] / probe * probed_ms(&told, JOB_MEMORY_BYTES, PART_MEMORY_BOUND, cluster);
    const double compute_ms = told.field[JOB_MEASURED_COMPUTE_MS];
    take(&told, JOB_FLOPS, PART_COMPUTE_BOUND, isnan(compute_ms) ? NAN : fmax(0, compute_ms - memory_ms), cluster);
    take(&told, JOB_INPUT_BYTES, PART_INPUT, told.field[JOB_MEASURED_INPUT_MS], cluster);
    take(&told, JOB_WEIGHT_BYTES, PART_WEIGHT, told.field[JOB_MEASURED_WEIGHT_MS], cluster);
    if (job_problem(&told))
        return false;
    *job = told;
    return true;
}
