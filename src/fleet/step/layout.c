/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "architecture.h"

/* All cNodes where the architecture is named for it, else 1, where the job does not say. */
static double degree(const struct job *job, enum job_field field)
{
    const bool all = architecture_rows[job->architecture].whole == field;
    return job_figure(job, field, all ? job_figure(job, JOB_CNODES, 1) : 1);
}

struct layout layout_of(const struct job *job, double gpus_per_server)
{
    const double n = job_figure(job, JOB_CNODES, 1);
    const double tensor = degree(job, JOB_TENSOR_PARALLEL), pipeline = degree(job, JOB_PIPELINE_PARALLEL);
    return (struct layout){
        .cnodes = n,
        .per_server = architecture_per_server(job, gpus_per_server),
        .tensor = tensor,
        .pipeline = pipeline,
        .data = greater(1, n / (tensor * pipeline)),
        .servers = job_figure(job, JOB_SERVERS, 0),
        .expert = degree(job, JOB_EXPERT_PARALLEL),
    };
}

bool layout_fits(const struct job *job)
{
    const double n = job_figure(job, JOB_CNODES, 1);
    return degree(job, JOB_TENSOR_PARALLEL) * degree(job, JOB_PIPELINE_PARALLEL) <= n &&
           degree(job, JOB_EXPERT_PARALLEL) <= n;
}

static bool lacks(const struct job *job, enum job_field field)
{
    return isnan(job->field[field]);
}

enum job_field layout_lacks(const struct job *job)
{
    const struct architecture_row *row = &architecture_rows[job->architecture];
    if (row->traffic == TRAFFIC_NONE)
        return JOB_FIELDS;
    if (!row->today)
        return lacks(job, JOB_WEIGHT_BYTES) ? JOB_WEIGHT_BYTES : JOB_FIELDS;
    const struct layout layout = layout_of(job, 1);
    if (layout.data > 1 && lacks(job, JOB_WEIGHT_BYTES))
        return JOB_WEIGHT_BYTES;
    if (layout.tensor > 1 && lacks(job, JOB_TENSOR_BYTES))
        return JOB_TENSOR_BYTES;
    if (layout.pipeline > 1 && lacks(job, JOB_PIPELINE_BYTES))
        return JOB_PIPELINE_BYTES;
    if (layout.pipeline > 1 && lacks(job, JOB_MICRO_BATCHES))
        return JOB_MICRO_BATCHES;
    return layout.expert > 1 && lacks(job, JOB_EXPERT_BYTES) ? JOB_EXPERT_BYTES : JOB_FIELDS;
}
