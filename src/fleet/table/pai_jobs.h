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

/* A row of the task table. */
struct pai_task {
    uint64_t job;                           /* hash of its name */
    double instances, gpus, start_s, end_s; /* of each instance; NaN: not told */
    uint32_t group, gpu;                    /* as the caller numbers texts */
    bool is_ps;
    uint8_t name_length;
    char name[PAI_NAME]; /* last, so that what is put aside ends with its end */
};

/* A row of the instance table. */
struct pai_instance {
    uint64_t job, machine;
};

struct pai_jobs;

struct pai_jobs *pai_jobs_new(bool knows_machines);
void pai_jobs_free(struct pai_jobs *jobs);

void pai_jobs_task(struct pai_jobs *jobs, const struct pai_task *task);
void pai_jobs_instance(struct pai_jobs *jobs, const struct pai_instance *instance); /* after all tasks */
void pai_jobs_group(struct pai_jobs *jobs, uint64_t job, uint32_t group); /* of the table of jobs, after all tasks */

/* The next job with a GPU; false at the end. Its name lives as long as the jobs; group and gpu are those of its first task with one. */
struct pai_numbers {
    uint32_t group, gpu;
};
bool pai_jobs_next(struct pai_jobs *jobs, struct job *job, struct pai_numbers *numbers);

#endif
