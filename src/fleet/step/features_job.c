/* SPDX-License-Identifier: Apache-2.0 */
/* From what ranks did to what kind of job they are. */
#include <stddef.h>

#include "features.h"

enum { SERVER_GPUS = 8 }; /* where hosts are not recorded, a server is taken to hold so many ranks */

static uint32_t hosts_of(const struct rank_features *ranks, uint32_t count)
{
    uint32_t hosts = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seen = 0;
        while (seen < i && !str_eq(ranks[seen].host, ranks[i].host))
            seen++;
        hosts += ranks[i].host.len && seen == i;
    }
    return hosts;
}

static double cnodes_of(const struct rank_features *ranks, uint32_t count)
{
    int64_t most = count;
    for (uint32_t i = 0; i < count; i++) {
        most = ranks[i].world_size > most ? ranks[i].world_size : most;
        most = ranks[i].largest_group > most ? ranks[i].largest_group : most;
    }
    if (most == 1 && ranks[0].devices > 1)
        most = ranks[0].devices;
    return (double)most;
}

/* The mean over the ranks, without those that recorded no step. */
static double mean_of(const struct rank_features *ranks, uint32_t count, size_t offset)
{
    double sum = 0;
    uint32_t had = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!ranks[i].steps)
            continue;
        sum += *(const double *)((const char *)&ranks[i] + offset);
        had++;
    }
    return had ? sum / had : NAN;
}
#define MEAN(field) mean_of(ranks, count, offsetof(struct rank_features, field))

/*
 * Alone: 1w1g, or 1wng where one process drives several GPUs. Together by what takes most of the time of exchanges: what is
 * parted (gathered and scattered) is FSDP; tables that are looked up and exchanged in one server are PEARL; else all-reduce.
 */
static enum architecture architecture_of(const struct rank_features *ranks, uint32_t count, double cnodes)
{
    const bool local = hosts_of(ranks, count) <= 1 && cnodes <= SERVER_GPUS;
    const double reduced = MEAN(exchange_ns[USE_REDUCED]), parted = MEAN(exchange_ns[USE_PARTED]);
    const double tensor = MEAN(exchange_ns[USE_TENSOR]), exchanged = MEAN(exchange_ns[USE_EXCHANGED]);
    if (cnodes <= 1)
        return ARCHITECTURE_1W1G;
    if (count == 1 && ranks[0].devices > 1 && !ranks[0].largest_group)
        return ARCHITECTURE_1WNG;
    if (exchanged > 0 && ranks[0].looks_up && local)
        return ARCHITECTURE_PEARL;
    if (exchanged > reduced + parted)
        return ARCHITECTURE_EXPERT_PARALLEL;
    if (MEAN(exchange_ns[USE_PASSED_ON]) > reduced + parted + tensor)
        return ARCHITECTURE_PIPELINE_PARALLEL;
    if (tensor > reduced + parted)
        return ARCHITECTURE_TENSOR_PARALLEL;
    if (parted > reduced)
        return ARCHITECTURE_FSDP;
    return local ? ARCHITECTURE_ALLREDUCE_LOCAL : ARCHITECTURE_ALLREDUCE_CLUSTER;
}

/*
 * Those of the paper pass all that is exchanged over the same links; those of today tell it apart. Not known where there were
 * exchanges of no recorded size alone.
 */
static void set_traffic(struct job *job, const struct rank_features *ranks, uint32_t count)
{
    double traffic = 0, ns = 0;
    for (int use = 0; use < EXCHANGE_USES; use++) {
        traffic += MEAN(traffic[use]);
        ns += MEAN(exchange_ns[use]);
    }
    if (traffic == 0 && (ns > 0 || job->field[JOB_CNODES] > 1))
        return;
    const bool today = job->architecture >= ARCHITECTURE_DATA_PARALLEL;
    job->field[JOB_WEIGHT_BYTES] = today ? MEAN(traffic[USE_REDUCED]) + MEAN(traffic[USE_PARTED]) : traffic;
    if (!today)
        return;
    job->field[JOB_TENSOR_BYTES] = MEAN(traffic[USE_TENSOR]);
    job->field[JOB_EXPERT_BYTES] = MEAN(traffic[USE_EXCHANGED]);
    job->field[JOB_PIPELINE_BYTES] = MEAN(traffic[USE_PASSED_ON]);
}

static void set_weights(struct job *job, const struct rank_features *ranks, uint32_t count)
{
    const double gradients = MEAN(reduced_bytes), slots = MEAN(optimizer_slots), tables = MEAN(table_bytes);
    job->field[JOB_WEIGHT_COPIES] = 1 + slots;
    if (gradients > 0)
        job->field[JOB_DENSE_WEIGHT_BYTES] = gradients * (1 + slots);
    if (tables > 0)
        job->field[JOB_EMBEDDING_WEIGHT_BYTES] = tables * (1 + slots);
}

struct job job_of_features(const struct rank_features *ranks, uint32_t count, str name)
{
    struct job job = {.name = name, .gpu = ranks[0].gpu};
    const double cnodes = cnodes_of(ranks, count);
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.architecture = architecture_of(ranks, count, cnodes);
    job.field[JOB_CNODES] = cnodes;
    job.field[JOB_MEASURED_MS] = MEAN(step_ms);
    job.field[JOB_INPUT_BYTES] = MEAN(input_bytes);
    if (MEAN(flops) + MEAN(memory_bytes) > 0) { /* else no operator has known shapes */
        job.field[JOB_FLOPS] = MEAN(flops);
        job.field[JOB_MEMORY_BYTES] = MEAN(memory_bytes);
    }
    job.field[JOB_BATCH] = ranks[0].batch > 0 ? (double)ranks[0].batch : NAN;
    set_traffic(&job, ranks, count);
    set_weights(&job, ranks, count);
    return job;
}
