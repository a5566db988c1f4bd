/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster of each job: that of --hw for all, else the one that the job's own
 * row names by its gpu and network. One a thread: names are looked up once.
 */
#ifndef FLEET_MACHINES_H
#define FLEET_MACHINES_H

#include "base/arena.h"
#include "fleet/step/cluster.h"
#include "fleet/step/job.h"

/* How a cluster is changed after it was looked up: --set, tables of efficiency, overlap. */
struct machine_changes {
    bool (*apply)(const void *context, struct cluster *cluster, struct arena *arena, struct steptime_error *err);
    const void *context;
};

/* At most so many threads read a table; machines are one a thread. */
enum { FLEET_THREADS = 256 };

struct machines;

/*
 * `given` is of all jobs; NULL: each has its own, and those whose rows name none have `otherwise`, NULL too. All live as
 * long.
 */
struct machines *machines_new(const struct cluster *given, const struct cluster *otherwise,
                              const struct machine_changes *changes);
void machines_free(struct machines *machines);

/* NULL with *why where the row's names lead to none. */
const struct cluster *machines_of_job(struct machines *machines, const struct job *job, const char **why);

#endif
