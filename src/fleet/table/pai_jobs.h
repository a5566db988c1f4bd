/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of the PAI 2020 trace (Weng et al., NSDI 2022), put together from the rows
 * of its tables: a task a row, and where the table of instances is there, the
 * machine of each instance.
 *
 *     a task of role ps                                  ps-worker
 *     one instance of at most one GPU                     1w1g
 *     one instance of several                             1wng
 *     several instances, all on one machine               allreduce-local
 *     several instances                                   allreduce-cluster
 *
 * cNodes are the GPUs of tasks that have any, a part of a GPU counting as one.
 * Without the table of instances those with at most eight GPUs are taken to be on
 * one machine: machines of the trace have at most eight.
 */
#ifndef FLEET_PAI_JOBS_H
#define FLEET_PAI_JOBS_H

#include "fleet/step/job.h"

enum { PAI_NAME = 40 }; /* bytes of a job's name that are kept; names of the trace have 24 */

/* Rows of the task table, of one job. Of many jobs at once: small. */
struct pai_tasks {
    uint64_t job;                       /* hash of its whole name: that is what tells it */
    double start_s, end_s;              /* of the first, of the last; NaN: not told */
    float instances, cnodes, most_gpus; /* of tasks with GPUs */
    uint32_t group, gpu;                /* texts of the first of those, as the caller numbers them */
    bool has_ps, many_machines;         /* the latter of instances */
    uint8_t name_length;
};

/* Adds those that come later in the table. */
void pai_tasks_add(struct pai_tasks *tasks, const struct pai_tasks *later);

/* A row of the instance table. */
struct pai_instance {
    uint64_t job, machine;
};

struct pai_jobs;

struct pai_jobs *pai_jobs_new(void);
void pai_jobs_free(struct pai_jobs *jobs);

/* That a job is asked for soon: its place is fetched meanwhile. */
void pai_jobs_expect(const struct pai_jobs *jobs, uint64_t job);

void pai_jobs_tasks(struct pai_jobs *jobs, const struct pai_tasks *tasks, const char *name);
void pai_jobs_instance(struct pai_jobs *jobs, const struct pai_instance *instance); /* after all tasks */
void pai_jobs_group(struct pai_jobs *jobs, uint64_t job, uint32_t group); /* of the table of jobs, after all tasks */

/* The next job with a GPU; false at the end. Its name lives as long as the jobs; group and gpu are those of its first task with one. */
struct pai_numbers {
    uint32_t group, gpu;
};
bool pai_jobs_next(struct pai_jobs *jobs, struct job *job, struct pai_numbers *numbers);

#endif
