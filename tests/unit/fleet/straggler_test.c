/* SPDX-License-Identifier: Apache-2.0 */
/* Stragglers by what-if: planted jobs whose answer is known, and the published results of real ones. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "fleet/straggler/straggler.h"
#include "unit/shared_data.h"

#define HEADER "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"

static struct arena arena;

static bool read_text(const char *text, struct operations *operations, struct steptime_error *err)
{
    char path[] = "/tmp/steptime-operations-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const bool good = operations_read(path, &arena, operations, err);
    remove(path);
    return good;
}

/* ---- the published job whose last stage is slow ---- */

static double slowdown_of(const struct what_ifs *what_ifs, const char *what)
{
    for (uint32_t i = 0; i < what_ifs->count; i++)
        if (str_eq(what_ifs->at[i].what, str_of(what)))
            return what_ifs->at[i].slowdown;
    fail_msg("no %s", what);
    return NAN;
}

static void the_slow_stage_of_a_published_job_is_told(void **state)
{
    const char *path = shared_path("fleet/bytedance-straggler/trace-ST.csv.gz");
    struct operations operations;
    struct stragglers stragglers;
    assert_true(operations_read(path, &arena, &operations, NULL));
    assert_int_equal(operations.count, 6784);
    assert_true(stragglers_of(&operations, &arena, &stragglers, NULL));
    assert_int_equal(stragglers.dropped + stragglers.strangers, 0);
    assert_float_equal(stragglers.slowdown, 1.1787021836556841, 1e-6);
    assert_float_equal(stragglers.launch_slowdown, 1.01921617557204, 1e-6);
    assert_float_equal(stragglers.last_stage.share, 1.2193563788811714, 1e-5);
    assert_float_equal(stragglers.slowest_workers.share, 0.031404269124045224, 1e-5);
    assert_float_equal(stragglers.original_s[0], 2.339666260908416, 1e-6);
    assert_float_equal(slowdown_of(&stragglers.types, "forward-compute"), 1.0874989663025318, 1e-6);
    assert_float_equal(slowdown_of(&stragglers.by_replica, "replica 1"), 1.1778704237064905, 1e-6);
    assert_float_equal(slowdown_of(&stragglers.by_stage, "stage 3"), 1.2322559543157936, 1e-6);
    assert_float_equal(stragglers.by_stage.at[3].step_slowdown[0], 1.3446664655377458, 1e-6);
}

/* Its operations that communicate are drawn without the time before their partners came. */
static void the_slow_worker_of_a_published_timeline_is_told(void **state)
{
    const char *path = shared_path("traces/multirank/bytedance_straggler/timeline_AR.json.gz");
    struct operations operations;
    struct stragglers stragglers;
    assert_true(operations_fit(path));
    assert_true(operations_read(path, &arena, &operations, NULL));
    assert_int_equal(operations.count, 117216);
    assert_true(stragglers_of(&operations, &arena, &stragglers, NULL));
    assert_float_equal(stragglers.slowdown, 1.9730450967262543, 1e-5);
    assert_float_equal(stragglers.launch_slowdown, 1.0067506609199466, 1e-5);
    assert_float_equal(stragglers.last_stage.share, -0.00121196404622606, 1e-5);
    assert_float_equal(stragglers.slowest_workers.share, 1.0017012777290497, 1e-5);
    assert_true(str_eq(stragglers.workers.at[0].what, S("replica 0 stage 0")));
}

/* ---- a planted job ---- */

/* Two replicas of one stage: a pass each way and an exchange; replica 1 computes a second longer. */
static void a_slow_replica_is_told(void **state)
{
    struct buf text = {0};
    buf_add(&text, S(HEADER));
    for (int replica = 0; replica < 2; replica++) {
        const int backward_s = replica ? 3 : 2;
        buf_printf(&text, "%d,0,%d,7,forward-compute,0,1,0,0,0,0\n", replica, replica);
        buf_printf(&text, "%d,0,%d,7,backward-compute,1,%d,0,0,0,0\n", replica, replica, backward_s);
        buf_printf(&text, "%d,0,%d,7,grads-reduce-scatter,%d,%d,0,0,-1,-1\n", replica, replica, 1 + backward_s,
                   replica ? 1 : 2);
        buf_printf(&text, "%d,0,%d,7,optimizer,5,1,0,-1,-1,-1\n", replica, replica);
    }
    buf_char(&text, 0);
    struct operations operations;
    struct stragglers stragglers;
    assert_true(read_text(text.at, &operations, NULL));
    assert_true(stragglers_of(&operations, &arena, &stragglers, NULL));
    assert_float_equal(stragglers.mean_recorded_s, 6, 1e-12);
    assert_float_equal(stragglers.mean_original_s, 6, 1e-12);
    assert_float_equal(stragglers.mean_ideal_s, 1 + 2.5 + 1 + 1, 1e-12);
    assert_float_equal(stragglers.slowest_workers.share, 1, 1e-12);
    assert_float_equal(slowdown_of(&stragglers.by_replica, "replica 0"), 1, 1e-12);
    assert_float_equal(slowdown_of(&stragglers.by_replica, "replica 1"), 6 / 5.5, 1e-12);
    assert_float_equal(slowdown_of(&stragglers.types, "optimizer"), 1, 1e-12);
    buf_free(&text);
}

static int release(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slow_stage_of_a_published_job_is_told),
        cmocka_unit_test(the_slow_worker_of_a_published_timeline_is_told),
        cmocka_unit_test(a_slow_replica_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
