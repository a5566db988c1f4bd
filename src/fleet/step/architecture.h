/* SPDX-License-Identifier: Apache-2.0 */
/* What tells one architecture from another, a row each: links, room, traffic, memory. doc/numbers/fleet.md has the table. */
#ifndef FLEET_ARCHITECTURE_H
#define FLEET_ARCHITECTURE_H

#include "cluster.h"
#include "job.h"
#include "lesser.h"

/* Where cNodes stand: how many may, and how many pass the PCIe of one server. */
enum room { ROOM_GPU, ROOM_SERVER, ROOM_WORKER_A_SERVER, ROOM_SERVERS };

/* How weights travel between replicas. */
enum traffic {
    TRAFFIC_NONE,
    TRAFFIC_CENTRAL, /* pulled from where they are kept, and their gradients pushed there */
    TRAFFIC_PARTED,  /* dense gradients along a ring; rows of tables in parts to who asked, gradients back */
    TRAFFIC_RING,    /* all gradients along rings, embedding rows gathered by all */
};

/* What one GPU keeps of the stored weights. */
enum stored { STORED_ELSEWHERE, STORED_WHOLE, STORED_EMBEDDINGS_PARTED, STORED_STATES_PARTED, STORED_ALL_PARTED };

struct architecture_row {
    const char *word;
    enum room room;
    bool today; /* its exchange follows its layout (exchange.h); else all of weight_bytes passes these links */
    bool link[RESOURCES]; /* one after the other: the paper's */
    enum traffic traffic;
    double passes; /* (n - 1) / n of the weights moves so often: 2, an all-reduce; 3 with FSDP's second gather */
    bool trees;    /* its collective between servers may run along a tree */
    enum stored stored;
    enum job_field whole; /* the degree that is all cNodes where it is not given; JOB_FIELDS: none */
};

extern const struct architecture_row architecture_rows[ARCHITECTURES];

/* GPUs of the job on one server. */
static inline double architecture_per_server(const struct job *job, double gpus_per_server)
{
    const double n = job_figure(job, JOB_CNODES, 1);
    switch (architecture_rows[job->architecture].room) {
    case ROOM_GPU:
    case ROOM_WORKER_A_SERVER:
        return 1;
    default:
        return lesser(n, job_figure(job, JOB_GPUS_PER_SERVER, gpus_per_server));
    }
}

#endif
