/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a table of jobs: an error that says something, or jobs without a
 * problem and rows that are all accounted for, the same by one thread and by
 * several, as a whole and in shares.
 */
#include <assert.h>

#include "base/mem.h"
#include "fleet/table/job_table.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is compared. */
struct sums {
    uint64_t jobs, names;
    double flops;
};

static void *begin(void *context, unsigned thread)
{
    (void)context;
    (void)thread;
    return mem_zeroed(sizeof(struct sums));
}

static const char *row(void *context, void *block, const struct job *job, uint64_t line)
{
    (void)context;
    (void)line;
    struct sums *sums = block;
    assert(!job_problem(job) && job->architecture < ARCHITECTURES);
    sums->jobs++;
    for (size_t i = 0; i < job->name.len; i++)
        sums->names += (unsigned char)job->name.at[i];
    sums->names += job->group.len + job->gpu.len + job->network.len;
    sums->flops += job_figure(job, JOB_FLOPS, 0);
    return sums->jobs % 7 ? NULL : "the seventh of a block";
}

static bool join(void *context, void *block, struct steptime_error *err)
{
    (void)err;
    struct sums *all = context, *sums = block;
    all->jobs += sums->jobs;
    all->names += sums->names;
    all->flops += sums->flops;
    mem_free(sums);
    return true;
}

static void drop(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

static void check_result(const struct job_table_result *result)
{
    assert(result->taken + result->dropped.count <= result->rows);
    for (uint64_t i = 0; i < result->dropped.count && i < DROPPED_TOLD; i++)
        assert(result->dropped.told[i].why.len);
}

/* Adds to the sums and the rows. */
static bool read_share(struct job_table_asked asked, struct sums *sums, uint64_t *rows)
{
    struct arena arena = {0};
    struct steptime_error err = {0};
    struct job_table_result result;
    const struct job_visitor visitor = {.context = sums, .begin = begin, .row = row, .join = join, .drop = drop};
    const bool read = job_table_read(&asked, &visitor, &arena, &result, &err);
    assert(read || (err.code && err.message[0]));
    if (read)
        check_result(&result);
    *rows += result.rows;
    arena_free(&arena);
    return read;
}

static struct job_table_asked asked_of(const char *path, str group_by, bool strict, unsigned threads, unsigned share,
                                       unsigned shares)
{
    return (struct job_table_asked){
        .path = path, .group_by = group_by, .strict = strict, .threads = threads, .share = share, .shares = shares};
}

static void check_same(const char *path, str group_by)
{
    struct sums one = {0}, several = {0}, shares = {0};
    uint64_t rows = 0, other = 0, shared = 0;
    const bool read = read_share(asked_of(path, group_by, false, 1, 0, 1), &one, &rows);
    assert(read_share(asked_of(path, group_by, false, 3, 0, 1), &several, &other) == read);
    assert(one.jobs == several.jobs && one.names == several.names && one.flops == several.flops && rows == other);
    for (unsigned share = 0; share < 3; share++)
        assert(read_share(asked_of(path, group_by, false, 1, share, 3), &shares, &shared) == read);
    assert(!read || (one.jobs == shares.jobs && one.names == shares.names && rows == shared));
    struct sums strict = {0};
    read_share(asked_of(path, group_by, true, 2, 0, 1), &strict, &other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *const path = memory_file(bytes, size);
    check_same(path, S(""));
    check_same(path, S("team"));
    return 0;
}
