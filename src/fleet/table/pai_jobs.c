/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs lie in the order in which they are met, their names behind one another in the same order. A slot of the index
 * holds the number of a job and half of its hash, so that a probe that fails rarely touches a job. It is at most three
 * quarters full, so that a free slot always ends a probe.
 */
#include "pai_jobs.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

enum { MACHINE_GPUS = 8, LEAST_SLOTS = 1024, AHEAD = 16 };

struct slot {
    uint32_t job_plus_1; /* 0: free */
    uint32_t tag;
};

struct pai_jobs {
    struct pai_tasks *at;
    size_t count, room, given;
    struct buf names;
    size_t name_given; /* bytes of names that were */
    struct slot *slots;
    uint32_t mask;      /* slots - 1 */
    uint64_t *machines; /* of each job's first instance; 0: none seen. NULL: no job has any */
};

struct pai_jobs *pai_jobs_new(void)
{
    struct pai_jobs *jobs = mem_zeroed(sizeof *jobs);
    jobs->slots = mem_zeroed(LEAST_SLOTS * sizeof *jobs->slots);
    jobs->mask = LEAST_SLOTS - 1;
    return jobs;
}

void pai_jobs_free(struct pai_jobs *jobs)
{
    if (!jobs)
        return;
    mem_free(jobs->slots);
    mem_free(jobs->machines);
    buf_free(&jobs->names);
    mem_free(jobs->at);
    mem_free(jobs);
}

/* ---- the index ---- */

void pai_jobs_expect(const struct pai_jobs *jobs, uint64_t job)
{
    __builtin_prefetch(&jobs->slots[hash_word(job) & jobs->mask]);
}

/* The slot that holds the job, or the free one where it belongs. */
static struct slot *probe(const struct pai_jobs *jobs, uint64_t job, uint32_t tag, uint64_t at)
{
    for (;; at++) {
        struct slot *const slot = &jobs->slots[at & jobs->mask];
        if (!slot->job_plus_1 || (slot->tag == tag && jobs->at[slot->job_plus_1 - 1].job == job))
            return slot;
    }
}

static struct slot *slot_of(const struct pai_jobs *jobs, uint64_t job)
{
    const uint64_t hash = hash_word(job);
    return probe(jobs, job, (uint32_t)(hash >> 32), hash);
}

static struct pai_tasks *find(const struct pai_jobs *jobs, uint64_t job)
{
    const struct slot *const slot = slot_of(jobs, job);
    return slot->job_plus_1 ? &jobs->at[slot->job_plus_1 - 1] : NULL;
}

static void take_slot(struct pai_jobs *jobs, size_t number)
{
    const uint64_t job = jobs->at[number].job;
    *slot_of(jobs, job) = (struct slot){(uint32_t)number + 1, (uint32_t)(hash_word(job) >> 32)};
}

static void grow_index(struct pai_jobs *jobs)
{
    mem_free(jobs->slots);
    jobs->mask = jobs->mask * 2 + 1;
    jobs->slots = mem_zeroed(((size_t)jobs->mask + 1) * sizeof *jobs->slots);
    for (size_t i = 0; i < jobs->count; i++) {
        if (i + AHEAD < jobs->count)
            pai_jobs_expect(jobs, jobs->at[i + AHEAD].job);
        take_slot(jobs, i);
    }
}

/* ---- filling ---- */

static double earlier(double a, double b)
{
    return a <= b || isnan(b) ? a : b;
}

static double later_of(double a, double b)
{
    return a >= b || isnan(b) ? a : b;
}

void pai_tasks_add(struct pai_tasks *tasks, const struct pai_tasks *later)
{
    tasks->has_ps |= later->has_ps;
    tasks->start_s = earlier(tasks->start_s, later->start_s);
    tasks->end_s = later_of(tasks->end_s, later->end_s);
    if (!tasks->cnodes && later->cnodes > 0) { /* the first with a GPU stands for the job */
        tasks->gpu = later->gpu;
        tasks->group = later->group;
    }
    tasks->instances += later->instances;
    tasks->cnodes += later->cnodes;
    tasks->most_gpus = tasks->most_gpus > later->most_gpus ? tasks->most_gpus : later->most_gpus;
}

static void add(struct pai_jobs *jobs, const struct pai_tasks *tasks, const char *name)
{
    jobs->at = mem_grow(jobs->at, &jobs->room, jobs->count + 1, sizeof *jobs->at);
    jobs->at[jobs->count++] = *tasks;
    buf_add(&jobs->names, (str){name, tasks->name_length});
    if (jobs->count > ((size_t)jobs->mask + 1) / 4 * 3)
        grow_index(jobs);
    else
        take_slot(jobs, jobs->count - 1);
}

/* Tasks of a job mostly stand together: the last one added is tried first. */
void pai_jobs_tasks(struct pai_jobs *jobs, const struct pai_tasks *tasks, const char *name)
{
    struct pai_tasks *const last = jobs->count ? &jobs->at[jobs->count - 1] : NULL;
    struct pai_tasks *const found = last && last->job == tasks->job ? last : find(jobs, tasks->job);
    if (found)
        pai_tasks_add(found, tasks);
    else
        add(jobs, tasks, name);
}

void pai_jobs_instance(struct pai_jobs *jobs, const struct pai_instance *instance)
{
    struct pai_tasks *job = find(jobs, instance->job);
    if (!job)
        return;
    if (!jobs->machines)
        jobs->machines = mem_zeroed(jobs->count * sizeof *jobs->machines);
    uint64_t *const machine = &jobs->machines[job - jobs->at];
    job->many_machines |= *machine && *machine != instance->machine;
    *machine = instance->machine;
}

void pai_jobs_group(struct pai_jobs *jobs, uint64_t hash, uint32_t group)
{
    struct pai_tasks *job = find(jobs, hash);
    if (job)
        job->group = group;
}

/* ---- as jobs ---- */

static bool on_one_machine(const struct pai_jobs *jobs, const struct pai_tasks *job)
{
    return jobs->machines && jobs->machines[job - jobs->at] ? !job->many_machines : job->cnodes <= MACHINE_GPUS;
}

static enum architecture architecture_of(const struct pai_jobs *jobs, const struct pai_tasks *job)
{
    if (job->has_ps)
        return ARCHITECTURE_PS_WORKER;
    if (job->instances <= 1)
        return job->most_gpus <= 1 ? ARCHITECTURE_1W1G : ARCHITECTURE_1WNG;
    return on_one_machine(jobs, job) ? ARCHITECTURE_ALLREDUCE_LOCAL : ARCHITECTURE_ALLREDUCE_CLUSTER;
}

bool pai_jobs_next(struct pai_jobs *jobs, struct job *job, struct pai_numbers *numbers)
{
    while (jobs->given < jobs->count && !(jobs->at[jobs->given].cnodes > 0))
        jobs->name_given += jobs->at[jobs->given++].name_length;
    if (jobs->given == jobs->count)
        return false;
    const struct pai_tasks *from = &jobs->at[jobs->given++];
    job->name = (str){jobs->names.at + jobs->name_given, from->name_length};
    jobs->name_given += from->name_length;
    job->architecture = architecture_of(jobs, from);
    job->field[JOB_CNODES] = from->cnodes;
    job->field[JOB_DURATION_S] = from->end_s > from->start_s ? from->end_s - from->start_s : NAN;
    *numbers = (struct pai_numbers){from->group, from->gpu};
    return true;
}
