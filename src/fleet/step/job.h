/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A training job as the analytical model sees it: what one step of one cNode
 * moves and computes. A cNode is one GPU that carries one replica of the model,
 * or its shard of one. After Wang et al., "Characterizing Deep Learning Training
 * Workloads on Alibaba-PAI", IISWC 2019, section II; doc/numbers/fleet.md has
 * every field with its unit.
 *
 * A figure that is not known is NaN, never a guess and never 0.
 */
#ifndef FLEET_JOB_H
#define FLEET_JOB_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* How replicas are laid out and their weights kept the same. */
enum architecture {
    ARCHITECTURE_1W1G,              /* one GPU */
    ARCHITECTURE_1WNG,              /* one server, weights in host memory */
    ARCHITECTURE_PS_WORKER,         /* one worker a server, weights on parameter servers */
    ARCHITECTURE_ALLREDUCE_LOCAL,   /* one server whose GPUs are linked */
    ARCHITECTURE_ALLREDUCE_CLUSTER, /* several such servers */
    ARCHITECTURE_PEARL,           /* one linked server; embedding tables in parts over its GPUs, the rest replicated */
    ARCHITECTURE_DATA_PARALLEL,   /* replicas over any number of linked servers, hierarchical rings or trees */
    ARCHITECTURE_ZERO1,           /* the same, optimizer states in parts */
    ARCHITECTURE_ZERO2,           /* and gradients */
    ARCHITECTURE_FSDP,            /* and weights: ZeRO 3 */
    ARCHITECTURE_TENSOR_PARALLEL, /* each layer in parts over the GPUs of a server */
    ARCHITECTURE_PIPELINE_PARALLEL, /* layers in stages */
    ARCHITECTURE_EXPERT_PARALLEL,   /* experts over the GPUs, tokens exchanged */
    ARCHITECTURES,
};

/* Numbers of a job: columns of its table. "A step" is one of one cNode unless said. */
enum job_field {
    JOB_CNODES,
    JOB_BATCH,                  /* samples of a cNode and step */
    JOB_INPUT_BYTES,            /* from host to GPU */
    JOB_FLOPS,                  /* of compute-bound operators */
    JOB_MEMORY_BYTES,           /* of memory-bound operators */
    JOB_WEIGHT_BYTES,           /* of weights and gradients, sent and received: what T_w divides by one bandwidth */
    JOB_DENSE_WEIGHT_BYTES,     /* stored, with the optimizer's slots */
    JOB_EMBEDDING_WEIGHT_BYTES, /* the same, of embedding tables */
    JOB_MEASURED_MS,            /* a step, on the clock */
    JOB_MEASURED_INPUT_MS,      /* parts of it, where a table has them */
    JOB_MEASURED_COMPUTE_MS,
    JOB_MEASURED_WEIGHT_MS,
    JOB_ALONE_MS,   /* a step of one cNode alone, measured: its input and computing, in the place of their amounts */
    JOB_DURATION_S, /* of the whole job: weighs it in sums by GPU-time */
    JOB_PRODUCTIVE_S, /* of that, in steps whose result was kept: not waiting, starting, saving, nor done again after a failure */
    JOB_STEPS, /* whose result was kept */
    JOB_GPUS_PER_SERVER,
    JOB_SERVERS,           /* that it stands on; as many as it fills where not given */
    JOB_TENSOR_PARALLEL,   /* ranks that share a layer; 1 where not given */
    JOB_PIPELINE_PARALLEL, /* stages */
    JOB_EXPERT_PARALLEL,   /* ranks that share the experts */
    JOB_MICRO_BATCHES,     /* a step */
    JOB_TENSOR_BYTES,      /* of activations exchanged by tensor parallelism, as JOB_WEIGHT_BYTES counts */
    JOB_PIPELINE_BYTES,    /* the same, between stages */
    JOB_EXPERT_BYTES,      /* the same, of tokens to experts and back */
    JOB_WEIGHT_COPIES, /* stored bytes over bytes of weights: 1 plain, 2 with momentum, 3 with Adam's; 3 where not given */
    JOB_FIELDS,
};

struct job {
    str name; /* column `job` */
    enum architecture architecture;
    double field[JOB_FIELDS]; /* NaN: not given */
    bool lacks_amounts; /* of a public table, which tells at most measured parts: bytes and FLOPs may all be missing */
    str gpu, network;   /* as the table writes them; "" */
    str group;          /* the value of the --group-by column; "" */
};

/* "ps-worker" and its usual other spellings; false where the word is none. */
bool architecture_of_word(str word, enum architecture *architecture);
str architecture_word(enum architecture architecture);

/* The column's name and unit: "input_bytes", "bytes". */
str job_field_word(enum job_field field);

/*
 * NULL, or what cannot be of it, in words: "cnodes is below 1", "flops is negative",
 * "weight_bytes is missing for ps-worker". A job that passes gives finite times.
 * A job that lacks_amounts need have but cnodes. The words live until the next call on the same thread.
 */
const char *job_problem(const struct job *job);

/* The figure, or `otherwise` where it is not given. */
static inline double job_figure(const struct job *job, enum job_field field, double otherwise)
{
    return isnan(job->field[field]) ? otherwise : job->field[field];
}

#endif
