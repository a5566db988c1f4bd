/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster.h"

#include "base/error.h"
#include "efficiency_table.h"
#include "measured_efficiency.h"

str resource_word(enum resource resource)
{
    static const char *const words[RESOURCES] = {
        [RESOURCE_FLOPS] = "flops",     [RESOURCE_MEMORY] = "memory",    [RESOURCE_HOST_LINK] = "pcie",
        [RESOURCE_GPU_LINK] = "nvlink", [RESOURCE_NETWORK] = "ethernet",
    };
    return str_of(words[resource]);
}

/* ---- the paper's ---- */

static const double paper_share = 0.7;

struct cluster cluster_paper(void)
{
    struct cluster cluster = {
        .name = S("paper"),
        .rate = {[RESOURCE_FLOPS] = 11e12,
                 [RESOURCE_MEMORY] = 1e12,
                 [RESOURCE_HOST_LINK] = 10e9,
                 [RESOURCE_GPU_LINK] = 50e9,
                 [RESOURCE_NETWORK] = 25e9 / 8},
        .gpus_per_server = 8,
        .host_link_shared = 1,
    };
    for (int i = 0; i < RESOURCES; i++) {
        cluster.efficiency[i] = paper_share;
        cluster.source[i] = S("the paper's 70 %");
    }
    return cluster;
}

/* ---- of a device ---- */

/*
 * What training on it usually computes in: 16 bits where it has matrix units for them, else plain fp32. Vector units do 16
 * bits at most twice as fast as 32.
 */
static enum precision usual_precision(const struct hardware *hardware)
{
    const double fp16 = hardware_peak(hardware, PRECISION_FP16), fp32 = hardware_peak(hardware, PRECISION_FP32);
    if (hardware_peak(hardware, PRECISION_BF16) > 0)
        return PRECISION_BF16;
    return fp16 > 2.5 * fp32 ? PRECISION_FP16 : PRECISION_FP32;
}

static void take_rates(struct cluster *cluster, const struct hardware *hardware)
{
    static const enum hw_key keys[RESOURCES] = {
        [RESOURCE_MEMORY] = HW_MEMORY_RATE,
        [RESOURCE_HOST_LINK] = HW_HOST_LINK,
        [RESOURCE_GPU_LINK] = HW_GPU_LINK,
        [RESOURCE_NETWORK] = HW_NETWORK,
    };
    for (int i = 0; i < PRECISIONS; i++)
        cluster->peak[i] = hardware_peak(hardware, (enum precision)i);
    cluster->precision = usual_precision(hardware);
    cluster->rate[RESOURCE_FLOPS] = cluster->peak[cluster->precision];
    for (int i = RESOURCE_MEMORY; i < RESOURCES; i++)
        cluster->rate[i] = hardware->figure[keys[i]];
    cluster->latency_s[RESOURCE_HOST_LINK] = hardware->figure[HW_HOST_LATENCY];
    cluster->latency_s[RESOURCE_GPU_LINK] = hardware->figure[HW_GPU_LATENCY];
    cluster->latency_s[RESOURCE_NETWORK] = hardware->figure[HW_NETWORK_LATENCY];
}

/* GPUs without links between them talk over PCIe; every server has that, and a network. */
static void assume_rates(struct cluster *cluster)
{
    static const enum resource needed[] = {RESOURCE_HOST_LINK, RESOURCE_NETWORK};
    const struct cluster paper = cluster_paper();
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (cluster->rate[needed[i]] <= 0) {
            cluster->rate[needed[i]] = paper.rate[needed[i]];
            cluster->assumed[needed[i]] = true;
        }
}

bool cluster_of_hardware(const struct hardware *hardware, struct arena *arena, struct cluster *cluster,
                         struct steptime_error *err)
{
    struct cluster of = {
        .name = str_copy(arena, hardware->name),
        .memory_bytes = hardware->figure[HW_MEMORY_BYTES],
        .gpus_per_server = hardware->figure[HW_GPUS_PER_SERVER],
        .host_link_shared = 1,
        .duplex = true,
    };
    take_rates(&of, hardware);
    assume_rates(&of);
    const bool good = of.rate[RESOURCE_FLOPS] > 0 && of.rate[RESOURCE_MEMORY] > 0;
    if (!good)
        return fail(err, STEPTIME_INPUT, "%.*s: its arithmetic or its memory is not known", (int)of.name.len,
                    of.name.at);
    if (of.gpus_per_server < 1)
        of.gpus_per_server = cluster_paper().gpus_per_server;
    measured_efficiency(&of);
    *cluster = of;
    return true;
}

/* ---- measured tables ---- */

bool cluster_read_efficiency(struct cluster *cluster, enum resource link, const char *path, struct arena *arena,
                             struct steptime_error *err)
{
    if (!efficiency_table_read(path, arena, &cluster->table[link], err))
        return false;
    cluster->source[link] = str_printf(arena, "table %s", path);
    return true;
}

double cluster_efficiency(const struct cluster *cluster, enum resource link, double message_bytes, double servers)
{
    const struct efficiency_table *table = cluster->table[link];
    return table ? efficiency_table_at(table, message_bytes, servers) : cluster->efficiency[link];
}
