/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs joined from several tables, and schedules of collectives as one. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "fleet/table/import.h"
#include "fleet/table/schedule.h"
#include "unit/shared_data.h"

static struct arena arena;

/* ---- a folder of tables ---- */

static char folder[64];

static void write_table(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/steptime-pai-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"pai_task_table.csv", "pai_instance_table.csv", "pai_job_table.csv"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return rmdir(folder);
}

/* Headless, as published: a job's rows need not stand together. */
static const char tasks[] = "alone,tensorflow,1,Terminated,100,160,600,29,50,MISC\n"
                            "server,ps,2,Terminated,100,400,600,29,,\n"
                            "one,worker,4,Terminated,10,20,600,29,100,V100\n"
                            "server,worker,12,Terminated,150,500,600,29,25,T4\n"
                            "fat,PyTorchWorker,1,Running,10,,600,29,800,V100\n"
                            "many,PyTorchWorker,4,Failed,10,30,600,29,200,P100\n"
                            "cpu,worker,9,Failed,10,30,600,29,,\n"
                            "bad,worker,none,Failed,10,30,600,29,100,P100\n";

static const char instances[] = "one,worker,i1,w1,a,Terminated,10,20,m1\n"
                                "many,PyTorchWorker,i2,w2,b,Failed,10,30,m1\n"
                                "one,worker,i3,w3,a,Terminated,10,20,m1\n"
                                "many,PyTorchWorker,i4,w4,b,Failed,10,30,m2\n";

static const struct {
    const char *name, *gpu, *user;
    enum architecture architecture;
    double cnodes, duration_s;
} expected[] = {
    {"alone", "MISC", "ann", ARCHITECTURE_1W1G, 1, 60},
    {"server", "T4", "bob", ARCHITECTURE_PS_WORKER, 12, 400},
    {"one", "V100", "ann", ARCHITECTURE_ALLREDUCE_LOCAL, 4, 10},
    {"fat", "V100", "", ARCHITECTURE_1WNG, 8, NAN},
    {"many", "P100", "", ARCHITECTURE_ALLREDUCE_CLUSTER, 8, 20},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void check_job(const struct job *job, uint32_t i)
{
    assert_true(str_eq(job->name, str_of(expected[i].name)));
    assert_true(str_eq(job->gpu, str_of(expected[i].gpu)));
    assert_int_equal(job->architecture, expected[i].architecture);
    assert_float_equal(job->field[JOB_CNODES], expected[i].cnodes, 0);
    if (isnan(expected[i].duration_s))
        assert_true(isnan(job->field[JOB_DURATION_S]));
    else
        assert_float_equal(job->field[JOB_DURATION_S], expected[i].duration_s, 0);
}

static void tables_of_pai_are_joined(void **state)
{
    write_table("pai_task_table.csv", tasks);
    write_table("pai_instance_table.csv", instances);
    write_table("pai_job_table.csv", "job_name,inst_id,user,status,start_time,end_time\n"
                                     "one,a,ann,Terminated,1,2\nserver,b,bob,Terminated,1,2\nalone,c,ann,x,1,2\n");
    assert_true(import_fits(folder));
    struct import *import = import_open(folder, S("user"), 0, NULL);
    assert_non_null(import);
    struct job job;
    for (uint32_t i = 0; i < EXPECTED; i++) {
        assert_true(import_next(import, &job));
        check_job(&job, i);
        assert_true(str_eq(job.group, str_of(expected[i].user)));
    }
    assert_false(import_next(import, &job));
    assert_int_equal(import_dropped(import)->count, 1);
    assert_true(import_close(import, NULL));
}

/* Four GPUs and eight fit one machine, as far as is known without the table of instances. */
static void without_instances_the_number_of_gpus_decides(void **state)
{
    write_table("pai_task_table.csv", "job_name,task_name,plan_gpu,inst_num,status\n"
                                      "small,worker,100,8,x\nlarge,worker,100,9,x\n");
    struct import *import = import_open(folder, S("status"), 0, NULL);
    assert_non_null(import);
    struct job job;
    assert_true(import_next(import, &job));
    assert_int_equal(job.architecture, ARCHITECTURE_ALLREDUCE_LOCAL);
    assert_true(str_eq(job.group, S("x")));
    assert_true(import_next(import, &job));
    assert_int_equal(job.architecture, ARCHITECTURE_ALLREDUCE_CLUSTER);
    assert_true(import_close(import, NULL));
    struct steptime_error err;
    assert_null(import_open(folder, S("user"), 0, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
}

static void check_drop(const struct import_drop *drop, const char *table, uint64_t line, const char *why)
{
    assert_string_equal(drop->table, table);
    assert_int_equal(drop->line, line);
    if (!strstr(drop->why, why))
        fail_msg("'%s' is not in '%s'", why, drop->why);
}

static void every_row_that_is_passed_over_is_told(void **state)
{
    static char text[600 << 10];
    char *end = text + sprintf(text, "good,worker,1,x,1,2,3,4,100,T4\n"
                                     "\n"
                                     "\"brok,worker,16,x,1,2,3,4,100,T4\n"
                                     ",worker,1,x,1,2,3,4,100,T4\n"
                                     "g,worker,1,x,1,2,3,4,many,T4\n"
                                     ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
    memset(end, 'x', 520 << 10);
    strcpy(end + (520 << 10), "\nh,worker,,x,1,2,3,4,100,T4\nlast,worker,1,x,1,2,3,4,100,T4\n");
    write_table("pai_task_table.csv", text);
    write_table("pai_instance_table.csv", "good,worker,i,\"w\"x,a,x,1,2,m1\n");
    struct import *import = import_open(folder, S(""), 0, NULL);
    assert_non_null(import);
    const struct import_drops *drops = import_dropped(import);
    assert_int_equal(drops->count, 7);
    check_drop(&drops->told[0], "pai_task_table.csv", 3, "quote");
    check_drop(&drops->told[1], "pai_task_table.csv", 4, "job_name");
    check_drop(&drops->told[2], "pai_task_table.csv", 5, "plan_gpu");
    check_drop(&drops->told[3], "pai_task_table.csv", 6, "32 fields");
    check_drop(&drops->told[4], "pai_task_table.csv", 7, "512 KiB");
    check_drop(&drops->told[5], "pai_task_table.csv", 8, "inst_num");
    check_drop(&drops->told[6], "pai_instance_table.csv", 1, "quote");
    struct job job;
    assert_true(import_next(import, &job) && str_eq(job.name, S("good")));
    assert_true(import_next(import, &job) && str_eq(job.name, S("last")));
    assert_false(import_next(import, &job));
    assert_true(import_close(import, NULL));
}

/* Names are kept to their fortieth byte, and compared whole. */
static void jobs_whose_names_begin_alike_are_two(void **state)
{
    static const char begin[] = "a-name-of-more-than-forty-bytes-that-two-jobs-share";
    char text[256];
    snprintf(text, sizeof text, "%s-1,worker,1,x,1,2,3,4,100,T4\n%s-2,worker,1,x,1,2,3,4,100,T4\n", begin, begin);
    write_table("pai_task_table.csv", text);
    struct import *import = import_open(folder, S(""), 0, NULL);
    assert_non_null(import);
    struct job job;
    for (int i = 0; i < 2; i++) {
        assert_true(import_next(import, &job));
        assert_int_equal(job.architecture, ARCHITECTURE_1W1G);
        assert_float_equal(job.field[JOB_CNODES], 1, 0);
    }
    assert_false(import_next(import, &job));
    assert_true(import_close(import, NULL));
}

enum { FAR_JOBS = 20000 };

/* The rows of each job stand far apart, in blocks that different threads read; texts differ from block to block. */
static void write_far_apart(void)
{
    struct buf text = {0};
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < FAR_JOBS; i++)
            buf_printf(&text, "job-%05u,worker,%u,x,%u,%u,600,29.3,%s,G%u\n", i, 1 + round, 100 + i - 50 * round,
                       500 + i + 50 * round, round ? "100" : "50", i / 1000);
    buf_printf(&text, "bad,worker,none,x,1,2,3,4,100,T4\n");
    buf_char(&text, 0);
    write_table("pai_task_table.csv", text.at);
    buf_free(&text);
}

static void blocks_are_joined_in_the_order_of_the_file(void **state)
{
    write_far_apart();
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct import *import = import_open(folder, S("gpu_type"), threads, NULL);
        assert_non_null(import);
        struct job job;
        char name[16], gpu[16];
        for (unsigned i = 0; i < FAR_JOBS; i++) {
            assert_true(import_next(import, &job));
            snprintf(name, sizeof name, "job-%05u", i);
            snprintf(gpu, sizeof gpu, "G%u", i / 1000);
            assert_true(str_eq(job.name, str_of(name)) && str_eq(job.gpu, str_of(gpu)) && str_eq(job.group, job.gpu));
            assert_float_equal(job.field[JOB_CNODES], 3, 0);
            assert_float_equal(job.field[JOB_DURATION_S], 500, 0); /* from the first start to the last end */
        }
        assert_false(import_next(import, &job));
        assert_int_equal(import_dropped(import)->count, 1);
        check_drop(&import_dropped(import)->told[0], "pai_task_table.csv", 2 * FAR_JOBS + 1, "inst_num");
        assert_true(import_close(import, NULL));
    }
}

/* ---- schedules ---- */

static struct collective_schedule schedule_of(const char *text)
{
    char path[] = "/tmp/steptime-schedule-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct collective_schedule schedule;
    struct steptime_error err;
    const bool good = schedule_read(path, &schedule, &err);
    remove(path);
    if (!good)
        fail_msg("%s", err.message);
    return schedule;
}

#define AICB_HEADER \
    "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count\n"

static void a_measured_log_is_the_mean_of_its_steps(void **state)
{
    const struct collective_schedule schedule =
        schedule_of(AICB_HEADER "CommType.all_reduce,CommGroup.dp_group,4,8,init.model_setup,,,,9,0,0,1\n"
                                "CommType.epoch_end,None,None,0,,,,,500,0,0,1\n"
                                "CommType.all_reduce,CommGroup.tp_group,2,100,forward.X,,,,1,0,0,3\n"
                                "CommType.reduce_scatter,CommGroup.dp_group,4,400,step,,,,5,0,0,1\n"
                                "CommType.all_to_all,CommGroup.ep_group,None,64,forward.MoE,,,,2,0,0,1\n"
                                "CommType.epoch_end,None,None,0,,,,,30,0,0,1\n"
                                "CommType.all_reduce,CommGroup.tp_group,2,100,forward.X,,,,3,0,0,1\n"
                                "CommType.epoch_end,None,None,0,,,,,50,0,0,1\n"
                                "CommType.frobnicate,CommGroup.tp_group,2,100,forward.X,,,,3,0,0,1\n");
    assert_float_equal(schedule.steps, 2, 0);
    assert_float_equal(schedule.step_ms, 40, 0);
    assert_float_equal(schedule.ranks, 8, 0);
    assert_float_equal(schedule.of[GROUP_TENSOR].calls, 2, 0);
    assert_float_equal(schedule.of[GROUP_TENSOR].bytes, 2 * 100 * 2, 1e-9); /* 4 (n - 1) / n a byte, at two ranks 2 */
    assert_float_equal(schedule.of[GROUP_TENSOR].ms, 2, 0);
    assert_float_equal(schedule.of[GROUP_DATA].bytes, 400 * 2 * 0.75 / 2, 1e-9);
    assert_int_equal(schedule.dropped.count, 1);
    assert_int_equal(schedule.dropped.told[0].line, 10);
    const struct job job = job_of_schedule(&schedule, S("x"));
    assert_float_equal(job.field[JOB_TENSOR_PARALLEL], 2, 0);
    assert_float_equal(job.field[JOB_MEASURED_WEIGHT_MS], 2 + 2.5 + 1, 1e-9);
}

static void a_workload_has_traffic_of_all_groups(void **state)
{
    const struct collective_schedule schedule =
        schedule_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 3 vpp: 1 ga: 5 all_gpus: 48 "
                    "checkpoints: 0 checkpoint_initiates: 0 pp_comm 10\n4\n"
                    "grad_gather\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER\t800\t100\n"
                    "attention_column\t-1\t1000000\tALLGATHER\t100\t2000000\tREDUCESCATTER\t0\t3000000\tNONE\t0\t100\n"
                    "mlp_moelayer\t-1\t1\tALLTOALL_EP\t40\t1\tALLTOALL_EP\t40\t1\tNONE\t0\t100\n"
                    "moe_grad_norm1\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER_DP_EP\t64\t100\n"
                    "broken -1 1\n");
    assert_float_equal(schedule.ranks, 48, 0);
    assert_float_equal(schedule.compute_ms, 6, 1e-9);
    assert_float_equal(schedule.micro_batches, 5, 0);
    assert_float_equal(schedule.of[GROUP_DATA].bytes, 800 * 2 * 7 / 8., 1e-9);
    assert_float_equal(schedule.of[GROUP_TENSOR].bytes, 100 * 2 / 2., 1e-9);
    assert_float_equal(schedule.of[GROUP_EXPERT].bytes, 80 * 2 * 3 / 4., 1e-9);
    assert_float_equal(schedule.of[GROUP_DATA_OF_EXPERTS].bytes, 64 * 2 * 1 / 2., 1e-9);
    assert_float_equal(schedule.of[GROUP_PIPELINE].bytes, 2 * 5 * 10 * 2, 1e-9);
    assert_int_equal(schedule.dropped.count, 1);
    assert_int_equal(schedule.dropped.told[0].line, 7);
    assert_int_equal(job_of_schedule(&schedule, S("x")).architecture, ARCHITECTURE_EXPERT_PARALLEL);
}

/* Then a job is one replica, and groups of replicas are as large as groups can be. */
static void a_workload_need_not_tell_its_ranks(void **state)
{
    const struct collective_schedule schedule =
        schedule_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 checkpoints: 0\n1\n"
                    "mlp_layer\t-1\t1\tALLREDUCE\t40\t1\tNONE\t0\t1\tREDUCESCATTER\t100\t100\n");
    assert_float_equal(schedule.ranks, 8, 0);
    assert_float_equal(schedule.of[GROUP_TENSOR].bytes, 40 * 4 * 7 / 8., 1e-9);
    assert_float_equal(schedule.of[GROUP_DATA].bytes, 100 * 2, 1e-9);
    const struct collective_schedule least = schedule_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoints: 0\n0\n");
    assert_float_equal(least.ranks, 1, 0);
    assert_float_equal(job_of_schedule(&least, S("x")).field[JOB_CNODES], 1, 0);
}

/* ---- the published schedules ---- */

/* Llama 7B in parts over 128 ranks: weights of 2 bytes are gathered twice and gradients scattered once. */
static void a_fully_sharded_model_moves_its_weights(void **state)
{
    struct collective_schedule schedule;
    assert_true(schedule_read(shared_path("fleet/aicb/physical/L7B-D1-C02_Llama7B_zero3_mbs1.csv"), &schedule, NULL));
    const double weights = 2 * 6.738e9, elsewhere = 127 / 128.;
    assert_int_equal(job_of_schedule(&schedule, S("x")).architecture, ARCHITECTURE_FSDP);
    assert_float_equal(schedule.ranks, 128, 0);
    assert_float_equal(schedule.of[GROUP_DATA].bytes / (3 * weights * 2 * elsewhere), 1, 0.01);
}

static int release(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_of_pai_are_joined, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(without_instances_the_number_of_gpus_decides, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(every_row_that_is_passed_over_is_told, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(jobs_whose_names_begin_alike_are_two, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(blocks_are_joined_in_the_order_of_the_file, make_folder, remove_folder),
        cmocka_unit_test(a_measured_log_is_the_mean_of_its_steps),
        cmocka_unit_test(a_workload_has_traffic_of_all_groups),
        cmocka_unit_test(a_workload_need_not_tell_its_ranks),
        cmocka_unit_test(a_fully_sharded_model_moves_its_weights),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
