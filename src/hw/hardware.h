/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One GPU with what it is attached to, as every prediction sees it: figures by
 * key. A figure that is not known is 0, never a guess. It comes from a row of
 * the catalogue, or from a file of the user's own, and single figures may be set:
 *
 *     --hw H100                  any usual spelling of a row of data/hw.csv
 *     --hw my-gpu.csv            the same columns, one row of kind gpu
 *     --set memory=4TB/s         one figure, with its unit
 *     --set memory=120%          one figure, as a share of what it was
 *     --set host_link=PCIe5      a link or network of the catalogue: rate and latency
 *
 * All figures are in base units (bytes, bytes/s, FLOP/s, Hz, s, W, counts); the
 * catalogue and --set read and write the usual multiples.
 */
#ifndef HW_HARDWARE_H
#define HW_HARDWARE_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* What a peak of arithmetic is for. Peaks are dense: without structured sparsity. */
enum precision {
    PRECISION_FP32,        /* vector units */
    PRECISION_FP32_MATRIX, /* products of fp32 matrices; above the vector peak on AMD's matrix cores */
    PRECISION_TF32,        /* fp32 matrices rounded by NVIDIA's tensor cores */
    PRECISION_FP16,        /* matrix units */
    PRECISION_BF16,
    PRECISION_FP8,
    PRECISION_FP4,
    PRECISION_INT8, /* operations, not floating-point ones */
    PRECISIONS,
};

enum hw_key {
    /* Arithmetic, FLOP/s, dense; in the order of enum precision. */
    HW_FP32,
    HW_FP32_MATRIX,
    HW_TF32,
    HW_FP16,
    HW_BF16,
    HW_FP8,
    HW_FP4,
    HW_INT8,
    /* The chip. */
    HW_SMS,            /* multiprocessors, compute units */
    HW_LANES_PER_SM,   /* fp32 lanes */
    HW_THREADS_PER_SM, /* resident at once */
    HW_CLOCK,          /* Hz, boost */
    HW_L2_BYTES,
    HW_L2_RATE, /* bytes/s */
    HW_SHARED_BYTES_PER_SM,
    HW_MEMORY_BYTES, /* 0 too where several sizes are sold */
    HW_MATRIX_SHARE, /* of the peaks of matrix units, what large products were measured to reach */
    HW_MEMORY_RATE,  /* bytes/s */
    HW_STREAM_SHARE, /* of it that long streams were measured to reach */
    HW_POWER,        /* W */
    /* What it is attached to: bytes/s one way, seconds a message. 0: it has none, or it is not known. */
    HW_HOST_LINK, /* between host memory and the GPU (PCIe) */
    HW_GPU_LINK,  /* between the GPUs of a server (NVLink, xGMI) */
    HW_NETWORK,   /* between servers, per server */
    HW_HOST_LATENCY,
    HW_GPU_LATENCY,
    HW_NETWORK_LATENCY,
    HW_GPUS_PER_SERVER,
    HW_KEYS,
};

struct hardware {
    str name; /* of the catalogue: "NVIDIA Tesla V100 SXM2"; else as given */
    double figure[HW_KEYS];
    str source[HW_KEYS]; /* where the figure comes from; "" where it is not known */
    int capability;      /* 10 times NVIDIA's number of its generation: 90; 0: not known, or of another vendor */
    bool catalogued;     /* a row of data/hw.csv */
};

/*
 * A row of the catalogue in any usual spelling, or, where `name` names a file, that file's row. Of several variants that
 * the name fits it is the most common one, where that is known; who shows figures of it shows hardware_remark too.
 * False with STEPTIME_USAGE and the nearest names where nothing fits, or several rows do.
 */
bool hardware_find(str name, struct arena *arena, struct hardware *hardware, struct steptime_error *err);

/* The same for a name that a recording gives: no variant is taken for granted. */
bool hardware_recorded(str name, struct arena *arena, struct hardware *hardware, struct steptime_error *err);

/*
 * 10 times NVIDIA's number of the generation, from the catalogue; where that has none, by the formats of the matrix units: the
 * oldest generation that has them.
 */
int hardware_capability(const struct hardware *hardware);

/*
 * GPUs of a server of these: of the catalogue's usual server, or as they were set. Where that is not known, or `hardware` is NULL,
 * eight, and hardware_server_remark says so; else that is "".
 */
int64_t hardware_server(const struct hardware *hardware);
str hardware_server_remark(const struct hardware *hardware, struct arena *arena);

/*
 * Bytes a second into and out of a GPU among so many, one way: over the links between those of a server, where it has none over the
 * host's; beyond a server its part of the network. 0: not known, or `hardware` is NULL.
 */
double hardware_link_rate(const struct hardware *hardware, int64_t ranks);

/* Which variant hardware_find takes for a name that fits several, and why; "" where it fits one, or none. */
str hardware_remark(str name, struct arena *arena);

/* "network=100Gbps", "memory=4TB/s", "l2=50MiB": one figure. False with STEPTIME_USAGE, naming key or unit. */
bool hardware_set(struct hardware *hardware, str setting, struct arena *arena, struct steptime_error *err);

/* The word of a key in --set, in the catalogue's sources and on the screen: "memory". */
str hw_key_word(enum hw_key key);

/* The peak of arithmetic of a precision, FLOP/s; 0 where the device lacks it. */
static inline double hardware_peak(const struct hardware *hardware, enum precision precision)
{
    return hardware->figure[HW_FP32 + (int)precision];
}

#endif
