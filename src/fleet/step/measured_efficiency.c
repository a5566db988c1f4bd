/* SPDX-License-Identifier: Apache-2.0 */
#include "measured_efficiency.h"

#define ENGINEERING "ml-engineering, 744d01e"

/* Products of large matrices, and all-reduces of 8 GiB along rings, by what the name of a device begins with. */
static const struct measured {
    const char *device;
    enum resource resource;
    int precision; /* of arithmetic; else ANY */
    double share;
    const char *source;
} table[] = {
    {"NVIDIA A100-SXM", RESOURCE_FLOPS, PRECISION_BF16, 0.869, "products of matrices, bf16: " ENGINEERING},
    {"NVIDIA H100 SXM", RESOURCE_FLOPS, PRECISION_BF16, 0.803, "products of matrices, bf16: " ENGINEERING},
    {"NVIDIA H100 SXM", RESOURCE_FLOPS, PRECISION_FP8, 0.709, "products of matrices, fp8: " ENGINEERING},
    {"NVIDIA H200 SXM", RESOURCE_FLOPS, PRECISION_FP8, 0.734, "products of matrices, fp8: " ENGINEERING},
    {"NVIDIA B200", RESOURCE_FLOPS, PRECISION_BF16, 0.776, "products of matrices, bf16: " ENGINEERING},
    {"NVIDIA B200", RESOURCE_FLOPS, PRECISION_FP8, 0.763, "products of matrices, fp8: " ENGINEERING},
    {"AMD Instinct MI300X", RESOURCE_FLOPS, PRECISION_BF16, 0.514, "products of matrices, bf16: " ENGINEERING},
    {"NVIDIA H200 SXM", RESOURCE_GPU_LINK, -1, 0.812, "all-reduce of 8 GiB, 365.6 of 450 GB/s: " ENGINEERING},
    {"NVIDIA B200", RESOURCE_GPU_LINK, -1, 0.758, "all-reduce of 8 GiB, 682 of 900 GB/s: " ENGINEERING},
};

static const double network_share = 0.8;

static const struct measured *find(const struct cluster *cluster, enum resource resource)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].resource == resource && str_starts(cluster->name, str_of(table[i].device)) &&
            (table[i].precision < 0 || table[i].precision == (int)cluster->precision))
            return &table[i];
    return NULL;
}

static void take(struct cluster *cluster, enum resource resource)
{
    const struct measured *found = find(cluster, resource);
    cluster->efficiency[resource] = found ? found->share : cluster_paper().efficiency[resource];
    cluster->source[resource] = found ? str_of(found->source) : S("not measured: the paper's 70 %");
}

void measured_arithmetic(struct cluster *cluster)
{
    take(cluster, RESOURCE_FLOPS);
}

void measured_efficiency(struct cluster *cluster)
{
    for (int i = 0; i < RESOURCES; i++)
        take(cluster, (enum resource)i);
    cluster->efficiency[RESOURCE_NETWORK] = network_share;
    cluster->source[RESOURCE_NETWORK] = S("rule of thumb for large messages: " ENGINEERING);
}
