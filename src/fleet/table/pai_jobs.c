/* SPDX-License-Identifier: Apache-2.0 */
#include "pai_jobs.h"

#include "base/map.h"
#include "base/mem.h"

enum { MACHINE_GPUS = 8 };

struct pai_job {
    uint64_t hash; /* of its whole name: that is what tells it */
    char name[PAI_NAME];
    uint64_t machine; /* of the first instance; 0: none seen */
    double start_s, end_s;
    float instances, cnodes, most_gpus; /* of tasks with GPUs */
    uint32_t group, gpu;
    uint8_t name_length;
    bool has_ps, many_machines;
};

struct pai_jobs {
    struct pai_job *at;
    size_t count, room, given;
    struct map by_hash;
    bool knows_machines;
};

struct pai_jobs *pai_jobs_new(bool knows_machines)
{
    struct pai_jobs *jobs = mem_zeroed(sizeof *jobs);
    jobs->knows_machines = knows_machines;
    return jobs;
}

void pai_jobs_free(struct pai_jobs *jobs)
{
    if (!jobs)
        return;
    map_free(&jobs->by_hash);
    mem_free(jobs->at);
    mem_free(jobs);
}

/* ---- filling ---- */

static struct pai_job *find(const struct pai_jobs *jobs, uint64_t hash)
{
    const uint32_t at = map_get(&jobs->by_hash, (int64_t)hash);
    return at == MAP_NONE ? NULL : &jobs->at[at];
}

static struct pai_job *add(struct pai_jobs *jobs, const struct pai_task *task)
{
    jobs->at = mem_grow(jobs->at, &jobs->room, jobs->count + 1, sizeof *jobs->at);
    map_put(&jobs->by_hash, (int64_t)task->job, (uint32_t)jobs->count);
    struct pai_job *job = &jobs->at[jobs->count++];
    *job = (struct pai_job){.hash = task->job,
                            .start_s = NAN,
                            .end_s = NAN,
                            .group = task->group,
                            .gpu = task->gpu,
                            .name_length = task->name_length};
    memcpy(job->name, task->name, sizeof job->name);
    return job;
}

/* Tasks of a job mostly stand together: the last one added is tried first. */
static struct pai_job *job_of(struct pai_jobs *jobs, const struct pai_task *task)
{
    struct pai_job *last = jobs->count ? &jobs->at[jobs->count - 1] : NULL;
    if (last && last->hash == task->job)
        return last;
    struct pai_job *found = find(jobs, task->job);
    return found ? found : add(jobs, task);
}

void pai_jobs_task(struct pai_jobs *jobs, const struct pai_task *task)
{
    struct pai_job *job = job_of(jobs, task);
    job->has_ps |= task->is_ps;
    job->start_s = fmin(job->start_s, task->start_s);
    job->end_s = fmax(job->end_s, task->end_s);
    if (!(task->gpus > 0) || task->is_ps)
        return;
    if (!job->cnodes) { /* the first with a GPU stands for the job */
        job->gpu = task->gpu;
        job->group = task->group;
    }
    job->instances += (float)task->instances;
    job->cnodes += (float)(task->instances * fmax(1, task->gpus));
    job->most_gpus = fmaxf(job->most_gpus, (float)task->gpus);
}

void pai_jobs_instance(struct pai_jobs *jobs, const struct pai_instance *instance)
{
    struct pai_job *job = find(jobs, instance->job);
    if (!job)
        return;
    job->many_machines |= job->machine && job->machine != instance->machine;
    job->machine = instance->machine;
}

void pai_jobs_group(struct pai_jobs *jobs, uint64_t hash, uint32_t group)
{
    struct pai_job *job = find(jobs, hash);
    if (job)
        job->group = group;
}

/* ---- as jobs ---- */

static bool on_one_machine(const struct pai_jobs *jobs, const struct pai_job *job)
{
    return jobs->knows_machines && job->machine ? !job->many_machines : job->cnodes <= MACHINE_GPUS;
}

static enum architecture architecture_of(const struct pai_jobs *jobs, const struct pai_job *job)
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
        jobs->given++;
    if (jobs->given == jobs->count)
        return false;
    const struct pai_job *from = &jobs->at[jobs->given++];
    job->name = (str){from->name, from->name_length};
    job->architecture = architecture_of(jobs, from);
    job->field[JOB_CNODES] = from->cnodes;
    job->field[JOB_DURATION_S] = from->end_s > from->start_s ? from->end_s - from->start_s : NAN;
    *numbers = (struct pai_numbers){from->group, from->gpu};
    return true;
}
