/* SPDX-License-Identifier: Apache-2.0 */
#include "step.h"

#include "architecture.h"
#include "exchange.h"

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

/* Seconds of each link, and what a pipeline does with them. */
struct talk {
    double link_s[RESOURCES];
    double within_stage_s; /* that which other stages wait for too */
    double stages;
};

/* What the parts of a model exchange: tensors and experts within a stage, activations between stages. */
static void talk_of_parts(const struct job *job, const struct layout *layout, const struct cluster *cluster,
                          double sharers, struct talk *talk)
{
    if (layout->tensor > 1) {
        const struct exchange tensors = exchange_of_tensors(job, layout);
        exchange_add(&tensors, cluster, sharers, talk->link_s);
    }
    if (layout->expert > 1) {
        const struct exchange experts = exchange_of_experts(job, layout);
        exchange_add(&experts, cluster, sharers, talk->link_s);
    }
    for (int i = 0; i < RESOURCES; i++)
        talk->within_stage_s += talk->link_s[i];
    if (layout->pipeline > 1) {
        const struct exchange stages = exchange_of_stages(job, layout);
        exchange_add(&stages, cluster, sharers, talk->link_s);
    }
    talk->stages = layout->pipeline;
}

static struct talk talk_of(const struct job *job, const struct cluster *cluster, double sharers)
{
    const struct architecture_row *row = &architecture_rows[job->architecture];
    struct talk talk = {.stages = 1};
    if (row->traffic == TRAFFIC_NONE)
        return talk;
    const struct layout layout = layout_of(job, cluster->gpus_per_server);
    if (row->today)
        talk_of_parts(job, &layout, cluster, sharers, &talk);
    const struct exchange weights = exchange_of_weights(job, &layout, cluster);
    exchange_add(&weights, cluster, sharers, talk.link_s);
    return talk;
}

/* Of m micro-batches through p stages (p - 1) / m of the work is waited for (Huang et al., "GPipe", 2019). */
static double bubble_ms(const struct job *job, double stages, double work_ms)
{
    return stages > 1 ? work_ms * (stages - 1) / job_figure(job, JOB_MICRO_BATCHES, 1) : 0;
}

static double overlapped(const double *ms, const struct cluster *cluster)
{
    const double overlap = cluster->overlap;
    const double computing = ms[PART_COMPUTE_BOUND] + ms[PART_MEMORY_BOUND] + ms[PART_BUBBLE];
    const double input = ms[PART_INPUT], weight = ms[PART_WEIGHT];
    if (cluster->scaling.by_layer)
        return input + computing + greater(0, weight - scaling_beside * computing);
    if (overlap <= 0)
        return input + computing + weight;
    return greater(computing, overlap * greater(input, weight)) + (1 - overlap) * (input + weight);
}

static enum part longest(const double *ms)
{
    int most = 0;
    for (int part = 1; part < PARTS; part++)
        most = ms[part] > ms[most] ? part : most;
    return (enum part)most;
}

/* Communication as measured, or what the model gives for its bytes; NaN where neither is told. */
static double told_weight_ms(const struct job *job, const struct cluster *cluster)
{
    const bool talks = architecture_rows[job->architecture].traffic != TRAFFIC_NONE;
    if (!isnan(job->field[JOB_MEASURED_WEIGHT_MS]) || !talks || isnan(job->field[JOB_WEIGHT_BYTES]))
        return job_figure(job, JOB_MEASURED_WEIGHT_MS, talks ? NAN : 0);
    const struct talk talk = talk_of(job, cluster, host_sharers(job, cluster));
    double seconds_of_links = 0;
    for (int i = RESOURCE_HOST_LINK; i < RESOURCES; i++)
        seconds_of_links += talk.link_s[i];
    return 1e3 * seconds_of_links;
}

/* Parts as measured, NaN where they are not. The time of the GPU is not split: all is told as compute-bound. */
static struct job_step measured_step(const struct job *job, const struct cluster *cluster)
{
    struct job_step step = {0};
    step.ms[PART_INPUT] = job->field[JOB_MEASURED_INPUT_MS];
    step.ms[PART_COMPUTE_BOUND] = job->field[JOB_MEASURED_COMPUTE_MS];
    step.ms[PART_WEIGHT] = told_weight_ms(job, cluster);
    for (int i = 0; i < RESOURCES; i++)
        step.by_resource_ms[i] = NAN;
    const bool whole = !isnan(step.ms[PART_INPUT] + step.ms[PART_COMPUTE_BOUND] + step.ms[PART_WEIGHT]);
    step.step_ms = whole ? overlapped(step.ms, cluster) : NAN;
    step.ms[PART_MEMORY_BOUND] = step.ms[PART_BUBBLE] = whole ? 0 : NAN;
    step.bottleneck = longest(step.ms);
    return step;
}

/*
 * Input and computing of a worker. What one alone was measured to take has its own input in it: on a server it shares, the
 * others' comes to that.
 */
static void own_work(const struct job *job, const struct cluster *cluster, double sharers, double *ms)
{
    const double slowest = scaling_slowest(cluster->scaling.step_spread, job_figure(job, JOB_CNODES, 1));
    const double input_ms = 1e3 * seconds(cluster, RESOURCE_HOST_LINK, job_figure(job, JOB_INPUT_BYTES, 0));
    const double alone_ms = job->field[JOB_ALONE_MS];
    if (!isnan(alone_ms)) {
        ms[PART_INPUT] = (sharers - 1) * input_ms;
        ms[PART_COMPUTE_BOUND] = slowest * alone_ms;
        return;
    }
    ms[PART_INPUT] = sharers * input_ms;
    ms[PART_COMPUTE_BOUND] = 1e3 * slowest * seconds(cluster, RESOURCE_FLOPS, job_figure(job, JOB_FLOPS, 0));
    ms[PART_MEMORY_BOUND] = 1e3 * slowest * seconds(cluster, RESOURCE_MEMORY, job_figure(job, JOB_MEMORY_BYTES, 0));
}

static struct job_step modelled_step(const struct job *job, const struct cluster *cluster)
{
    struct job_step step = {0};
    const double sharers = host_sharers(job, cluster);
    const struct talk talk = talk_of(job, cluster, sharers);
    for (int i = RESOURCE_HOST_LINK; i < RESOURCES; i++) {
        step.by_resource_ms[i] = 1e3 * talk.link_s[i];
        step.ms[PART_WEIGHT] += step.by_resource_ms[i];
    }
    own_work(job, cluster, sharers, step.ms);
    step.by_resource_ms[RESOURCE_HOST_LINK] += step.ms[PART_INPUT];
    step.by_resource_ms[RESOURCE_FLOPS] = step.ms[PART_COMPUTE_BOUND];
    step.by_resource_ms[RESOURCE_MEMORY] = step.ms[PART_MEMORY_BOUND];
    const double work_ms = step.ms[PART_COMPUTE_BOUND] + step.ms[PART_MEMORY_BOUND] + 1e3 * talk.within_stage_s;
    step.ms[PART_BUBBLE] = bubble_ms(job, talk.stages, work_ms);
    step.step_ms = overlapped(step.ms, cluster);
    step.bottleneck = longest(step.ms);
    return step;
}

struct job_step job_step(const struct job *job, const struct cluster *cluster)
{
    return job->lacks_amounts ? measured_step(job, cluster) : modelled_step(job, cluster);
}
