/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What jobs run on: peak rates of a GPU and its links, and the share of each that
 * work gets. `--hw paper` is the base configuration of the paper: 11 TFLOP/s,
 * 1 TB/s, 10 GB/s PCIe, 25 Gb/s Ethernet, 50 GB/s NVLink, 70 % of everything.
 * Otherwise figures come from the catalogue (hw/hardware.h), and efficiencies
 * from measured tables by message size and number of servers.
 */
#ifndef FLEET_CLUSTER_H
#define FLEET_CLUSTER_H

#include "base/arena.h"
#include "hw/hardware.h"
#include "scaling.h"
#include "steptime/error.h"

/* What a step waits for. */
enum resource {
    RESOURCE_FLOPS,     /* arithmetic of the GPU */
    RESOURCE_MEMORY,    /* its memory */
    RESOURCE_HOST_LINK, /* PCIe */
    RESOURCE_GPU_LINK,  /* NVLink */
    RESOURCE_NETWORK,   /* Ethernet, InfiniBand */
    RESOURCES,
};

/* Share of the line rate by size of a message and number of servers: rows of a measured table. */
struct efficiency_table;

struct cluster {
    str name;
    double rate[RESOURCES];                          /* FLOP/s, bytes/s; 0: there is none */
    double efficiency[RESOURCES];                    /* of the rate; in (0, 1] */
    str source[RESOURCES];                           /* of the efficiency, in words */
    bool assumed[RESOURCES];                         /* the rate is not known: it is the paper's */
    double latency_s[RESOURCES];                     /* a message of a link; 0 in the paper */
    const struct efficiency_table *table[RESOURCES]; /* of a link; NULL: the constant above */
    double peak[PRECISIONS];                         /* FLOP/s, for precision=...; all 0 in the paper */
    enum precision precision;                        /* whose peak the rate is */
    double memory_bytes;                             /* of a GPU; 0: not limited */
    double gpus_per_server;                          /* 8 in the paper */
    double overlap;           /* share of input and communication beside computing, 0 to 1: the paper's ideal */
    double host_link_shared;  /* replicas that share the PCIe of a server: divides its rate; 1: each has its own */
    bool host_link_is_shared; /* by as many as the architecture puts on a server, instead */
    bool duplex;              /* traffic that counts both directions passes both at a time (not in the paper) */
    double bucket_bytes;      /* gradients are sent in messages of so much; 0: in one */
    struct scaling scaling;   /* with the workers; none in the paper */
};

/* The paper's base configuration. */
struct cluster cluster_paper(void);

/* Of a device of the catalogue or a file, with its links; efficiencies per device where they were measured (doc/numbers/fleet.md). */
bool cluster_of_hardware(const struct hardware *hardware, struct arena *arena, struct cluster *cluster,
                         struct steptime_error *err);

/*
 * One figure: "ethernet=100Gbps", "pcie=50GB/s", "nvlink=300GB/s", "flops=64TFLOPS", "memory=4TB/s",
 * "efficiency=60%" (all), "efficiency.network=80%", "latency.network=5us", "overlap=50%", "pcie_share=4",
 * "spread=6%", "spread.network=20%", "two_servers=1.5", "overlap=layers",
 * "precision=fp16", "duplex=yes", "bucket=25MiB", "memory_size=32GiB", "gpus_per_server=4". A rate may also be a share of
 * what it was, "memory=200%", or a link of the catalogue, "ethernet=HDR". The words of hw/hardware.h name the same figures.
 * False with STEPTIME_USAGE, naming key or unit; the cluster is as before then.
 */
bool cluster_set(struct cluster *cluster, str setting, struct steptime_error *err);

/* A measured table (SimAI's *_ratio.csv, or size,servers,share): line-rate share by message size and servers. */
bool cluster_read_efficiency(struct cluster *cluster, enum resource link, const char *path, struct arena *arena,
                             struct steptime_error *err);

/* Share of a link's rate that a message of that size gets between the GPUs of `servers`. Interpolated in log size. */
double cluster_efficiency(const struct cluster *cluster, enum resource link, double message_bytes, double servers);

str resource_word(enum resource resource); /* "flops", "memory", "pcie", "nvlink", "ethernet" */

#endif
