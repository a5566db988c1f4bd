/* SPDX-License-Identifier: Apache-2.0 */
/* Public tables as jobs: what their columns become. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fleet/table/import.h"
#include "fleet/table/job_table.h"
#include "unit/shared_data.h"

static struct arena arena;

/* ---- jobs of a table, kept ---- */

enum { KEPT = 16 };
struct kept {
    uint64_t count;
    struct job jobs[KEPT];
};

static void *begin(void *context, unsigned thread)
{
    (void)thread;
    return context;
}

static const char *keep(void *context, void *block, const struct job *job, uint64_t line)
{
    struct kept *kept = block;
    (void)context;
    (void)line;
    if (kept->count < KEPT) {
        struct job *copy = &kept->jobs[kept->count];
        *copy = *job;
        copy->name = str_copy(&arena, job->name);
        copy->group = str_copy(&arena, job->group);
    }
    kept->count++;
    return NULL;
}

static bool joined(void *context, void *block, struct steptime_error *err)
{
    (void)context;
    (void)block;
    (void)err;
    return true;
}

static struct job_table_result read_path(const char *path, const char *group_by, struct kept *kept)
{
    const struct job_table_asked asked = {.path = path, .group_by = str_of(group_by), .threads = 1};
    const struct job_visitor visitor = {.context = kept, .begin = begin, .row = keep, .join = joined};
    struct job_table_result result = {0};
    struct steptime_error err;
    if (!job_table_read(&asked, &visitor, &arena, &result, &err))
        fail_msg("%s", err.message);
    return result;
}

static struct job_table_result read_text(const char *text, const char *group_by, struct kept *kept)
{
    char path[] = "/tmp/steptime-import-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const struct job_table_result result = read_path(path, group_by, kept);
    remove(path);
    return result;
}

/* ---- a job a row ---- */

static void muri_has_measured_parts(void **state)
{
    struct kept kept = {0};
    const struct job_table_result result = read_text(
        "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,"
        "resource_time_1,resource_time_2,priority\n"
        "7,8,0,10956,gpt2,4,5095000,91000,437,0.6,419,49,0\n"
        "8,1,0,10,vgg16,16,1000,1,107,117,68,0,0\n",
        "model_name", &kept);
    assert_true(str_eq(result.columns.format, S("muri")));
    assert_int_equal(kept.count, 2);
    const struct job *job = &kept.jobs[0];
    assert_true(str_eq(job->name, S("7")) && str_eq(job->group, S("gpt2")));
    assert_int_equal(job->architecture, ARCHITECTURE_ALLREDUCE_LOCAL);
    assert_float_equal(job->field[JOB_MEASURED_MS], 437, 0);
    assert_float_equal(job->field[JOB_MEASURED_INPUT_MS], 0.6, 0);
    assert_float_equal(job->field[JOB_MEASURED_WEIGHT_MS], 49, 0);
    assert_float_equal(job->field[JOB_DURATION_S], 5095, 0);
    assert_true(isnan(job->field[JOB_FLOPS]));
    assert_int_equal(kept.jobs[1].architecture, ARCHITECTURE_1W1G);
}

static void a_placement_is_replicas_a_server(void **state)
{
    struct kept kept = {0};
    const struct job_table_result result = read_text("placement,local_bsz,step_time,sync_time\n"
                                                     "1,4,0.5,0.01\n"
                                                     "4,4,0.5,0.1\n"
                                                     "42,4,0.75,0.25\n"
                                                     "4x,4,0.75,0.25\n",
                                                     "", &kept);
    assert_true(str_eq(result.columns.format, S("pollux")));
    assert_int_equal(result.dropped.count, 1);
    assert_int_equal(result.dropped.told[0].line, 5);
    assert_int_equal(kept.count, 3);
    assert_int_equal(kept.jobs[0].architecture, ARCHITECTURE_1W1G);
    assert_int_equal(kept.jobs[1].architecture, ARCHITECTURE_ALLREDUCE_LOCAL);
    assert_int_equal(kept.jobs[2].architecture, ARCHITECTURE_ALLREDUCE_CLUSTER);
    assert_float_equal(kept.jobs[2].field[JOB_CNODES], 6, 0);
    assert_float_equal(kept.jobs[2].field[JOB_MEASURED_COMPUTE_MS], 500, 1e-9);
}

static void jobs_without_a_gpu_are_passed_over(void **state)
{
    struct kept kept = {0};
    const struct job_table_result result =
        read_text("job_id,user,node_num,gpu_num,cpu_num,type,state,duration,queue,gpu_time\n"
                  "a,u1,1,8,128,Pretrain,FAILED,117,32,936.0\n"
                  "b,u1,1,0,128,Other,FAILED,117,32,0\n"
                  "c,u2,2,16,128,Pretrain,COMPLETED,,32,0\n",
                  "state", &kept);
    assert_true(str_eq(result.columns.format, S("acme")));
    assert_int_equal(kept.count, 2);
    assert_int_equal(result.dropped.count, 0);
    assert_true(str_eq(kept.jobs[0].group, S("FAILED")));
    assert_true(isnan(kept.jobs[1].field[JOB_DURATION_S]));
    assert_int_equal(kept.jobs[1].architecture, ARCHITECTURE_ALLREDUCE_CLUSTER);
}

/* ---- the tables themselves ---- */

static void published_tables_are_read_whole(void **state)
{
    static const struct {
        const char *path, *format;
        uint64_t jobs;
    } tables[] = {
        {"fleet/muri-sigcomm22/trace1.csv", "muri", 1494},
        {"fleet/pollux-osdi21/bert/placements.csv", "pollux", 540},
        {"fleet/pollux-osdi21/imagenet/scalability.csv", "pollux", 288},
        {"fleet/pollux-osdi21/philly.csv.gz", "philly", 82247},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct kept kept = {0};
        const struct job_table_result result = read_path(shared_path(tables[i].path), "", &kept);
        assert_true(str_eq(result.columns.format, str_of(tables[i].format)));
        assert_int_equal(result.dropped.count, 0);
        assert_int_equal(kept.count, tables[i].jobs);
    }
}

static int release(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muri_has_measured_parts),
        cmocka_unit_test(a_placement_is_replicas_a_server),
        cmocka_unit_test(jobs_without_a_gpu_are_passed_over),
        cmocka_unit_test(published_tables_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
