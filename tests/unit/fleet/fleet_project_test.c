/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs elsewhere: the ceilings of the paper's equations, and what stands in the way. */
#include "unit/cmocka_first.h"

#include <math.h>

#include "fleet/project/project.h"

/* ---- jobs and targets ---- */

static struct job job_of(enum architecture architecture, double cnodes, double weight_bytes)
{
    struct job job = {.architecture = architecture};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.field[JOB_CNODES] = cnodes;
    job.field[JOB_BATCH] = 64;
    job.field[JOB_FLOPS] = job.field[JOB_MEMORY_BYTES] = job.field[JOB_INPUT_BYTES] = 0;
    job.field[JOB_WEIGHT_BYTES] = weight_bytes;
    assert_null(job_problem(&job));
    return job;
}

static struct target to(enum architecture architecture)
{
    return (struct target){.moves = true, .architecture = architecture, .cluster = cluster_paper()};
}

static struct target with(const char *setting)
{
    struct target target = {.cluster = cluster_paper()};
    assert_true(cluster_set(&target.cluster, str_of(setting), NULL));
    return target;
}

static struct projected project(const struct job *job, const struct target *target)
{
    const struct cluster paper = cluster_paper();
    return job_project(job, &paper, target);
}

static void near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%.12g, not %.12g", got, wanted);
}

/* ---- the paper ---- */

/* A job that only communicates gains what the links do. */
static void ceilings_are_those_of_the_links(void **state)
{
    const struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 1e9);
    const struct target local = to(ARCHITECTURE_ALLREDUCE_LOCAL), cluster = to(ARCHITECTURE_ALLREDUCE_CLUSTER);
    const struct target network = with("ethernet=100Gbps");
    near(project(&job, &local).speedup, 21.0, 1e-12);
    near(project(&job, &cluster).speedup, 0.42 / 0.34, 1e-12);
    near(project(&job, &network).speedup, 0.42 / 0.18, 1e-12);
}

static void cnodes_are_capped_at_a_server(void **state)
{
    const struct job job = job_of(ARCHITECTURE_PS_WORKER, 16, 1e9);
    const struct target local = to(ARCHITECTURE_ALLREDUCE_LOCAL);
    const struct projected projected = project(&job, &local);
    near(projected.cnodes, 8, 0);
    near(projected.cnode_speedup, 21.0, 1e-12);
    near(projected.speedup, 10.5, 1e-12);
    struct job small = job;
    small.field[JOB_GPUS_PER_SERVER] = 4;
    near(project(&small, &local).speedup, 5.25, 1e-12);
    const double samples_a_second = job.field[JOB_CNODES] * small.field[JOB_BATCH] / (projected.before.step_ms / 1e3);
    near(project(&small, &local).speedup * samples_a_second, 4 * 64 / (1e9 / 35e9), 1e-6);
}

/* Input of eight replicas through one PCIe: an input-bound job loses what it had alone. */
static void replicas_that_share_pcie_may_slow_down(void **state)
{
    struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 0);
    job.field[JOB_INPUT_BYTES] = 1e9;
    struct target local = to(ARCHITECTURE_ALLREDUCE_LOCAL);
    near(project(&job, &local).speedup, 1, 1e-12);
    local.cluster.host_link_is_shared = true;
    near(project(&job, &local).speedup, 1 / 8.0, 1e-12);
}

static void gcn_on_parameter_servers_is_communication(void **state)
{
    struct job gcn = job_of(ARCHITECTURE_PEARL, 8, 3e9);
    gcn.field[JOB_FLOPS] = 330.7e9;
    gcn.field[JOB_MEMORY_BYTES] = 25.79e9;
    gcn.field[JOB_INPUT_BYTES] = 1.2e6;
    const struct target servers = to(ARCHITECTURE_PS_WORKER);
    const struct projected projected = project(&gcn, &servers);
    near(projected.after.ms[PART_WEIGHT] / projected.after.step_ms, 0.957, 0.0005);
    assert_int_equal(projected.after.bottleneck, PART_WEIGHT);
}

static void a_job_that_stays_is_as_it_was(void **state)
{
    const struct job job = job_of(ARCHITECTURE_PS_WORKER, 16, 1e9);
    const struct target same = {.cluster = cluster_paper()};
    const struct projected projected = project(&job, &same);
    near(projected.speedup, 1, 0);
    near(projected.cnodes, 16, 0);
    assert_int_equal(projected.obstacle, OBSTACLE_NONE);
}

/* ---- obstacles ---- */

static void obstacle_is(const struct job *job, const struct target *target, enum obstacle wanted)
{
    const struct projected projected = project(job, target);
    assert_string_equal(obstacle_word(projected.obstacle).at, obstacle_word(wanted).at);
    assert_true(isnan(projected.speedup) == (wanted != OBSTACLE_NONE));
    assert_true(projected.before.step_ms > 0);
}

/* 239 GB of tables: no GPU holds them whole; eight of 32 GiB hold them in parts, no; of 40 GiB, yes. */
static void tables_that_fit_no_gpu_are_an_obstacle(void **state)
{
    struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 122e6);
    job.field[JOB_DENSE_WEIGHT_BYTES] = 1.19e6;
    job.field[JOB_EMBEDDING_WEIGHT_BYTES] = 239.45e9;
    struct target whole = to(ARCHITECTURE_ALLREDUCE_LOCAL), parted = to(ARCHITECTURE_PEARL);
    obstacle_is(&job, &whole, OBSTACLE_NONE);
    assert_true(cluster_set(&whole.cluster, S("memory_size=32GiB"), NULL));
    assert_true(cluster_set(&parted.cluster, S("memory_size=27GiB"), NULL));
    obstacle_is(&job, &whole, OBSTACLE_MEMORY);
    obstacle_is(&job, &parted, OBSTACLE_MEMORY);
    assert_true(cluster_set(&parted.cluster, S("memory_size=28GiB"), NULL));
    obstacle_is(&job, &parted, OBSTACLE_NONE);
    const struct target sharded = to(ARCHITECTURE_FSDP);
    obstacle_is(&job, &sharded, OBSTACLE_NONE);
}

static void a_link_that_is_not_there_is_an_obstacle(void **state)
{
    const struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 1e9);
    struct target local = to(ARCHITECTURE_ALLREDUCE_LOCAL), today = to(ARCHITECTURE_DATA_PARALLEL);
    assert_true(cluster_set(&local.cluster, S("nvlink=0GB/s"), NULL));
    obstacle_is(&job, &local, OBSTACLE_LINK);
    today.cluster = local.cluster;
    obstacle_is(&job, &today, OBSTACLE_NONE);
}

static void traffic_that_nobody_knows_is_an_obstacle(void **state)
{
    struct job job = job_of(ARCHITECTURE_1W1G, 1, NAN);
    job.field[JOB_FLOPS] = 1e12;
    struct target servers = to(ARCHITECTURE_PS_WORKER), tensors = to(ARCHITECTURE_TENSOR_PARALLEL);
    obstacle_is(&job, &servers, OBSTACLE_FIELD);
    job.field[JOB_WEIGHT_BYTES] = 1e9;
    obstacle_is(&job, &servers, OBSTACLE_NONE);
    tensors.cnodes = 8;
    obstacle_is(&job, &tensors, OBSTACLE_FIELD);
}

/* ---- traffic elsewhere ---- */

static double bytes_there(const struct job *job, const struct target *target)
{
    struct job moved;
    enum obstacle obstacle;
    assert_true(job_moved(job, target, &moved, &obstacle));
    return moved.field[JOB_WEIGHT_BYTES];
}

/* ResNet50: 204 MB stored with momentum, 357 MB on a ring of eight; BERT: 1.284 GB with Adam's, 1.498 GB. */
static void traffic_follows_from_the_weights(void **state)
{
    struct job resnet = job_of(ARCHITECTURE_1W1G, 1, NAN);
    resnet.field[JOB_FLOPS] = 1;
    resnet.field[JOB_DENSE_WEIGHT_BYTES] = 204e6;
    resnet.field[JOB_WEIGHT_COPIES] = 2;
    struct target local = to(ARCHITECTURE_ALLREDUCE_LOCAL), servers = to(ARCHITECTURE_PS_WORKER);
    struct target sharded = to(ARCHITECTURE_FSDP);
    local.traffic_of_weights = servers.traffic_of_weights = sharded.traffic_of_weights = true;
    local.cnodes = servers.cnodes = sharded.cnodes = 8;
    near(bytes_there(&resnet, &local), 357e6, 1);
    near(bytes_there(&resnet, &servers), 204e6, 1);
    near(bytes_there(&resnet, &sharded), 1.5 * 357e6, 1);
    struct job bert = resnet;
    bert.field[JOB_DENSE_WEIGHT_BYTES] = 1.284e9;
    bert.field[JOB_WEIGHT_COPIES] = NAN;
    near(bytes_there(&bert, &local), 1.498e9, 1e6);
    local.cnodes = 100;
    near(bytes_there(&bert, &local), 1.498e9, 1e6);
}

/* Measured parts stand for the amounts that a table lacks. */
static void measured_parts_scale_with_what_they_wait_for(void **state)
{
    struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 0);
    for (int i = JOB_BATCH; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.lacks_amounts = true;
    assert_null(job_problem(&job));
    const struct target network = with("ethernet=100Gbps");
    assert_true(isnan(project(&job, &network).before.step_ms));
    assert_int_equal(project(&job, &network).obstacle, OBSTACLE_FIELD);
    job.field[JOB_MEASURED_INPUT_MS] = 10;
    job.field[JOB_MEASURED_COMPUTE_MS] = 100;
    job.field[JOB_MEASURED_WEIGHT_MS] = 420;
    const struct projected projected = project(&job, &network);
    near(projected.before.step_ms, 530, 1e-9);
    near(projected.after.step_ms, 10 + 100 + 180, 1e-9);
    near(projected.speedup, 530 / 290.0, 1e-12);
}

/* What the dense weights leave over are rows of tables: to all where tables are whole, to who asked where they are not. */
static void touched_rows_go_where_they_are_wanted(void **state)
{
    struct job job = job_of(ARCHITECTURE_PS_WORKER, 8, 2 * (100e6 + 30e6));
    job.field[JOB_DENSE_WEIGHT_BYTES] = 300e6;
    job.field[JOB_EMBEDDING_WEIGHT_BYTES] = 3e9;
    struct target whole = to(ARCHITECTURE_ALLREDUCE_LOCAL), parted = to(ARCHITECTURE_PEARL);
    near(bytes_there(&job, &whole), 260e6, 0);
    whole.traffic_of_weights = parted.traffic_of_weights = true;
    near(bytes_there(&job, &whole), 3.5 * 100e6 + 2 * 7 * 30e6, 1);
    near(bytes_there(&job, &parted), 3.5 * 130e6, 1);
    job.field[JOB_DENSE_WEIGHT_BYTES] = NAN;
    near(bytes_there(&job, &parted), 260e6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_are_those_of_the_links),
        cmocka_unit_test(cnodes_are_capped_at_a_server),
        cmocka_unit_test(replicas_that_share_pcie_may_slow_down),
        cmocka_unit_test(gcn_on_parameter_servers_is_communication),
        cmocka_unit_test(a_job_that_stays_is_as_it_was),
        cmocka_unit_test(tables_that_fit_no_gpu_are_an_obstacle),
        cmocka_unit_test(a_link_that_is_not_there_is_an_obstacle),
        cmocka_unit_test(traffic_that_nobody_knows_is_an_obstacle),
        cmocka_unit_test(traffic_follows_from_the_weights),
        cmocka_unit_test(measured_parts_scale_with_what_they_wait_for),
        cmocka_unit_test(touched_rows_go_where_they_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
