/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include "base/mem.h"

static bool was_measured(const struct job *job)
{
    return job->field[JOB_MEASURED_MS] > 0;
}

static void halve(struct sample *sample)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < sample->count; i += 2)
        sample->jobs[kept++] = sample->jobs[i];
    sample->count = kept;
    sample->stride *= 2;
}

static void sample_add(struct sample *sample, const struct job *job, struct arena *arena)
{
    if (sample->seen++ % sample->stride)
        return;
    sample->jobs = mem_grow(sample->jobs, &sample->room, sample->count + 1, sizeof *sample->jobs);
    sample->jobs[sample->count] = *job;
    sample->jobs[sample->count].name = sample->jobs[sample->count].gpu = S("");
    sample->jobs[sample->count].network = S("");
    sample->jobs[sample->count].group = str_copy(arena, job->group);
    if (++sample->count == 2 * (uint64_t)FIT_JOBS)
        halve(sample);
}

/* ---- reading: a block keeps its measured jobs, which join the sample in order ---- */

struct block {
    struct job *jobs;
    size_t count, room;
    struct arena groups; /* a row's texts end with it */
};

struct reading {
    struct sample *sample;
    struct arena *arena;
};

static void *begin_block(void *context, unsigned thread)
{
    (void)context;
    (void)thread;
    return mem_zeroed(sizeof(struct block));
}

static const char *add_job(void *context, void *at, const struct job *job, uint64_t line)
{
    (void)context;
    (void)line;
    struct block *block = at;
    if (!was_measured(job))
        return NULL;
    block->jobs = mem_grow(block->jobs, &block->room, block->count + 1, sizeof *block->jobs);
    block->jobs[block->count] = *job;
    block->jobs[block->count++].group = str_copy(&block->groups, job->group);
    return NULL;
}

static void drop_block(void *context, void *at)
{
    (void)context;
    struct block *block = at;
    arena_free(&block->groups);
    mem_free(block->jobs);
    mem_free(block);
}

static bool join_block(void *context, void *at, struct steptime_error *err)
{
    (void)err;
    const struct block *block = at;
    const struct reading *reading = context;
    for (size_t i = 0; i < block->count; i++)
        sample_add(reading->sample, &block->jobs[i], reading->arena);
    drop_block(context, at);
    return true;
}

bool sample_read(const struct job_table_asked *asked, struct arena *arena, struct sample *sample,
                 struct steptime_error *err)
{
    *sample = (struct sample){.stride = 1};
    struct reading reading = {sample, arena};
    struct job_table_result result = {0};
    const struct job_visitor visitor = {
        .context = &reading, .begin = begin_block, .row = add_job, .join = join_block, .drop = drop_block};
    return job_table_read(asked, &visitor, arena, &result, err);
}

void sample_free(struct sample *sample)
{
    mem_free(sample->jobs);
    *sample = (struct sample){0};
}
