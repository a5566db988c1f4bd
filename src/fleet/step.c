/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/step.h"

#include "fleet/architecture.h"
#include "fleet/exchange.h"

str part_word(enum part part)
{
    static const char *const words[PARTS] = {
        [PART_INPUT] = "input",
        [PART_COMPUTE_BOUND] = "compute_bound",
        [PART_MEMORY_BOUND] = "memory_bound",
        [PART_WEIGHT] = "weight",
        [PART_BUBBLE] = "bubble",
    };
    return str_of(words[part]);
}

/* Seconds of an amount at the full rate, less what is lost. */
static double seconds(const struct cluster *cluster, enum resource resource, double amount)
{
    return amount / (cluster->efficiency[resource] * cluster->rate[resource]);
}

/* Replicas among whom the PCIe of a server is divided. */
static double host_sharers(const struct job *job, const struct cluster *cluster)
{
    return cluster->host_link_is_shared ? architecture_per_server(job, cluster->gpus_per_server)
                                        : cluster->host_link_shared;
}

/* Seconds of all communication by what it waits for; *beside is that which the stages of a pipeline wait for too. */
static void communicate(const struct job *job, const struct cluster *cluster, double sharers, double *by_resource_s,
                        double *beside_s, double *stages)
{
    const struct layout layout = layout_of(job, cluster->gpus_per_server);
    const struct exchange weights = exchange_of_weights(job, &layout, cluster);
    *stages = 1;
    if (architecture_rows[job->architecture].today) {
        const struct exchange tensors = exchange_of_tensors(job, &layout), experts = exchange_of_experts(job, &layout);
        const struct exchange between = exchange_of_stages(job, &layout);
        exchange_add(&tensors, cluster, sharers, by_resource_s);
        exchange_add(&experts, cluster, sharers, by_resource_s);
        for (int i = 0; i < RESOURCES; i++)
            *beside_s += by_resource_s[i];
        exchange_add(&between, cluster, sharers, by_resource_s);
        *stages = layout.pipeline;
    }
    exchange_add(&weights, cluster, sharers, by_resource_s);
}

/* Of m micro-batches through p stages (p - 1) / m of the work is waited for (Huang et al., "GPipe", 2019). */
static double bubble_ms(const struct job *job, double stages, double work_ms)
{
    return stages > 1 ? work_ms * (stages - 1) / job_figure(job, JOB_MICRO_BATCHES, 1) : 0;
}

static double overlapped(const double *ms, double overlap)
{
    const double computing = ms[PART_COMPUTE_BOUND] + ms[PART_MEMORY_BOUND] + ms[PART_BUBBLE];
    const double input = ms[PART_INPUT], weight = ms[PART_WEIGHT];
    if (overlap <= 0)
        return input + computing + weight;
    return fmax(computing, overlap * fmax(input, weight)) + (1 - overlap) * (input + weight);
}

static enum part longest(const double *ms)
{
    int most = 0;
    for (int part = 1; part < PARTS; part++)
        most = ms[part] > ms[most] ? part : most;
    return (enum part)most;
}

struct job_step job_step(const struct job *job, const struct cluster *cluster)
{
    struct job_step step = {0};
    double link_s[RESOURCES] = {0}, beside_s = 0, stages;
    const double sharers = host_sharers(job, cluster);
    communicate(job, cluster, sharers, link_s, &beside_s, &stages);
    for (int i = RESOURCE_HOST_LINK; i < RESOURCES; i++) {
        step.by_resource_ms[i] = 1e3 * link_s[i];
        step.ms[PART_WEIGHT] += step.by_resource_ms[i];
    }
    step.ms[PART_INPUT] = 1e3 * sharers * seconds(cluster, RESOURCE_HOST_LINK, job_figure(job, JOB_INPUT_BYTES, 0));
    step.ms[PART_COMPUTE_BOUND] = 1e3 * seconds(cluster, RESOURCE_FLOPS, job_figure(job, JOB_FLOPS, 0));
    step.ms[PART_MEMORY_BOUND] = 1e3 * seconds(cluster, RESOURCE_MEMORY, job_figure(job, JOB_MEMORY_BYTES, 0));
    step.by_resource_ms[RESOURCE_HOST_LINK] += step.ms[PART_INPUT];
    step.by_resource_ms[RESOURCE_FLOPS] = step.ms[PART_COMPUTE_BOUND];
    step.by_resource_ms[RESOURCE_MEMORY] = step.ms[PART_MEMORY_BOUND];
    const double work_ms = step.ms[PART_COMPUTE_BOUND] + step.ms[PART_MEMORY_BOUND] + 1e3 * beside_s;
    step.ms[PART_BUBBLE] = bubble_ms(job, stages, work_ms);
    step.step_ms = overlapped(step.ms, cluster->overlap);
    step.bottleneck = longest(step.ms);
    return step;
}

double job_throughput(const struct job *job, const struct job_step *step)
{
    return job_figure(job, JOB_CNODES, 1) * job->field[JOB_BATCH] / (step->step_ms / 1e3);
}
