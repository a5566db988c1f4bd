/* SPDX-License-Identifier: Apache-2.0 */
/* The five overheads of planted traces, and tables of them on the way out and in. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/planted.h"
#include "predict/host/overheads_left_out.h"
#include "predict/host/sample_pool.h"

struct measured {
    struct planted p;
    struct arena arena;
    const struct overheads *overheads;
};

static int open_trace(void **state)
{
    struct measured *m = calloc(1, sizeof *m);
    m->p = planted_new();
    *state = m;
    return 0;
}

static int close_trace(void **state)
{
    struct measured *m = *state;
    trace_free(m->p.trace);
    arena_free(&m->arena);
    free(m);
    return 0;
}

static void measure(struct measured *m)
{
    trace_finish(m->p.trace);
    const struct work_classes *classes = work_classes_new(m->p.trace, &m->arena);
    struct overhead_samples *samples = overhead_samples_new();
    for (uint32_t step = 0; step < m->p.trace->step_count; step++) {
        struct arena scratch = {0};
        const struct program program = program_of_step(m->p.trace, classes, step, &scratch);
        overhead_samples_add(samples, &program);
        arena_free(&scratch);
    }
    m->overheads = overheads_of(samples, &m->arena);
    overhead_samples_free(samples);
}

static void launch(struct measured *m, int64_t call_us, int64_t call_dur_us, int64_t us, int64_t dur_us)
{
    plant_work(&m->p, (struct planted_work){
                          .launch_us = call_us, .launch_dur_us = call_dur_us, .stream = 7, .us = us, .dur_us = dur_us});
}

static double mean(const struct measured *m, enum overhead_kind kind, str name)
{
    return overheads_get(m->overheads, kind, name).mean_us;
}

#define assert_us(value, expected) assert_true(fabs((value) - (double)(expected)) < 1e-6)

/* One operator of two launches between two without: every overhead is a stretch that can be read off. */
static void every_kind_is_the_stretch_that_it_is(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "aten::empty", 0, 8);
    plant_host(&m->p, EVENT_OPERATOR, "aten::linear", 12, 50); /* 12 .. 62 */
    launch(m, 32, 5, 40, 10);                                  /* T2 20 */
    launch(m, 44, 6, 55, 10);                                  /* T5 7 */
    plant_host(&m->p, EVENT_OPERATOR, "aten::view", 65, 3);
    measure(m);
    assert_us(mean(m, OVERHEAD_T1, S("aten::linear")), 4);
    assert_us(mean(m, OVERHEAD_T1, S("aten::view")), 3);
    assert_us(mean(m, OVERHEAD_T1, S("")), 3.5);
    assert_us(mean(m, OVERHEAD_T2, S("aten::linear")), 20);
    assert_us(mean(m, OVERHEAD_T3, S("aten::linear")), 12);
    assert_us(mean(m, OVERHEAD_T4, S("cudaLaunchKernel")), 5.5);
    assert_us(mean(m, OVERHEAD_T5, S("aten::linear")), 7);
    assert_us(mean(m, OVERHEAD_T5, S("aten::empty")), 8);
    assert_us(mean(m, OVERHEAD_START, S("compute")), 0); /* the first of a stream tells nothing */
    assert_int_equal(overheads_get(m->overheads, OVERHEAD_T2, S("aten::view")).count, 0);
    assert_us(overheads_after(m->overheads, S("aten::empty"), S("aten::linear")).mean_us, 4);
    assert_int_equal(overheads_after(m->overheads, S("aten::view"), S("aten::linear")).count, 0);
}

static void calls_inside_are_part_of_the_operator_at_the_top(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "aten::linear", 0, 50);
    plant_host(&m->p, EVENT_OPERATOR, "aten::addmm", 10, 30);
    launch(m, 20, 5, 40, 10);
    measure(m);
    assert_us(mean(m, OVERHEAD_T2, S("aten::linear")), 20);
    assert_us(mean(m, OVERHEAD_T3, S("aten::linear")), 25);
    assert_int_equal(overheads_get(m->overheads, OVERHEAD_T2, S("aten::addmm")).count, 0);
}

/* Nine operators of 10 us and one of 1000: the mean is without it, the mean with outliers is not. */
static void outliers_are_dropped_and_kept_apart(void **state)
{
    struct measured *m = *state;
    for (int i = 0; i < 10; i++)
        plant_host(&m->p, EVENT_OPERATOR, "aten::view", i * 100, i == 9 ? 1000 : 10);
    measure(m);
    const struct overhead t5 = overheads_get(m->overheads, OVERHEAD_T5, S("aten::view"));
    assert_us(t5.mean_us, 10);
    assert_us(t5.sd_us, 0);
    assert_us(t5.whole_us, 109);
    assert_us(t5.median_us, 10);
    assert_int_equal(t5.count, 10);
}

static void a_wait_is_no_overhead_of_its_operator(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "aten::item", 0, 500);
    launch(m, 10, 5, 20, 400);
    plant_host(&m->p, EVENT_RUNTIME, "cudaStreamSynchronize", 20, 403);
    measure(m);
    assert_us(mean(m, OVERHEAD_T3, S("aten::item")), 5 + 77);
    assert_us(mean(m, OVERHEAD_RETURN, OVERHEAD_WAIT), 3);
}

static void gaps_and_starts_are_told_by_the_stream(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "aten::mul", 0, 200);
    launch(m, 10, 5, 20, 50);
    launch(m, 20, 5, 72, 10);   /* queued: 2 us behind the first */
    launch(m, 100, 5, 109, 10); /* on an idle stream: 9 us after its call began */
    measure(m);
    assert_us(mean(m, OVERHEAD_GAP, S("compute")), 2);
    assert_us(mean(m, OVERHEAD_START, S("compute")), 9);
}

/* Work on an idle stream that begins late because it waits for another stream's: the walk has that wait itself. */
static void a_wait_for_another_stream_is_no_start(void **state)
{
    struct measured *m = *state;
    const struct planted_work first = {
        .launch_us = 0, .launch_dur_us = 5, .stream = 8, .name = "ncclKernel_AllReduce_RING", .us = 10, .dur_us = 10};
    struct planted_work second = first;
    second.launch_us = 50;
    second.us = 203;
    plant_work(&m->p, first);
    launch(m, 30, 5, 40, 160);
    plant_host(&m->p, EVENT_RUNTIME, "cudaStreamWaitEvent", 40, 2);
    plant_work(&m->p, second);
    measure(m);
    assert_int_equal(overheads_get(m->overheads, OVERHEAD_START, S("communication")).count, 0);
}

/* Its other kernels cost the host nothing, and are no launches between which time could pass. */
static void a_graph_is_one_call(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "Compiled", 0, 60);
    launch(m, 5, 5, 20, 4);
    plant_work(
        &m->p,
        (struct planted_work){
            .call = "cudaGraphLaunch", .launch_us = 30, .launch_dur_us = 20, .stream = 7, .us = 60, .dur_us = 10});
    for (int i = 1; i < 9; i++)
        plant_linked(&m->p, EVENT_KERNEL, planted_stream(&m->p, 0, 7), "sgemm", 60 + 11 * i, 10, m->p.correlation - 1);
    measure(m);
    assert_us(mean(m, OVERHEAD_T4, S("cudaGraphLaunch")), 20);
    assert_us(mean(m, OVERHEAD_T5, S("Compiled")), 20);
}

/* Thirty calls a microsecond apart in one operator: that is what an event costs at most. */
static void the_profiler_costs_what_neighbours_are_apart(void **state)
{
    struct measured *m = *state;
    plant_host(&m->p, EVENT_OPERATOR, "aten::outer", 0, 200);
    for (int i = 0; i < 30; i++)
        plant_host(&m->p, EVENT_OPERATOR, "aten::inner", 10 + i * 5, 4);
    measure(m);
    assert_us(overheads_profiler_us(m->overheads), 1);
    const struct overhead t5 = overheads_get(m->overheads, OVERHEAD_T5, S("aten::outer"));
    assert_us(t5.mean_us, 200 - 30);
    assert_us(t5.profiler_us, 30);
}

/* ---- tables ---- */

static const struct overheads *read_text(struct measured *m, const char *text, struct steptime_error *err)
{
    char path[] = "/tmp/steptime-overheads-XXXXXX";
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const struct overheads *read = overheads_read(path, &m->arena, err);
    unlink(path);
    return read;
}

static void published_tables_read(void **state)
{
    struct measured *m = *state;
    const struct overheads *csv = read_text(m,
                                            "trace,type,op_or_runtime_call,mean_us,std_us\n"
                                            "a,t1,,21.5,20\na,t2,aten::relu,40,3\nb,t2,aten::relu,50,3\n"
                                            "a,t4,cudaLaunchKernel,11,3\n",
                                            NULL);
    assert_us(overheads_get(csv, OVERHEAD_T1, S("")).mean_us, 21.5);
    assert_us(overheads_get(csv, OVERHEAD_T2, S("aten::relu")).mean_us, 45);
    const struct overheads *json =
        read_text(m, "{\"launches\": {\"x\": [\"y\"]}, \"t1\": [14.5, 13], \"t2\": {\"aten::relu\": [43, 3]}}", NULL);
    assert_us(overheads_get(json, OVERHEAD_T1, S("")).mean_us, 14.5);
    assert_us(overheads_get(json, OVERHEAD_T2, S("aten::relu")).mean_us, 43);
}

static void refuse(struct measured *m, const char *text, const char *why)
{
    struct steptime_error err = {0};
    assert_null(read_text(m, text, &err));
    assert_int_equal(err.code, STEPTIME_INPUT);
    if (!strstr(err.message, why))
        fail_msg("'%s' lacks '%s'", err.message, why);
}

static void other_tables_are_refused_by_their_line(void **state)
{
    struct measured *m = *state;
    refuse(m, "", "no table");
    refuse(m, "a,b\n1,2\n", "no table");
    refuse(m, "type,op_or_call,mean_us\n", "holds no overheads");
    refuse(m, "type,op_or_call,mean_us\nt1,,nan\n", "line 2");
    refuse(m, "type,op_or_call,mean_us\nt1,,1\nt2,x,-1\n", "line 3");
    refuse(m, "type,op_or_call,mean_us,count\nt1,,1,0\n", "line 2");
    refuse(m, "type,op_or_call,mean_us\nt9,,1\n", "t9");
    refuse(m, "{\"t2\": {\"x\": [\"y\"]}}", "no table");
    refuse(m, "{\"t2\": ", "no table");
}

/* ---- all ranks but one ---- */

enum { RANKS = 5, NAMES = 4 };

/* Samples that differ in number, length and names from rank to rank, without outliers. */
static struct overhead_samples *samples_of_rank(int rank)
{
    static const char *const names[NAMES] = {"aten::mm", "aten::add", "aten::relu", "aten::view"};
    struct overhead_samples *samples = overhead_samples_new();
    for (int i = 0; i < 10 + 7 * rank; i++) {
        const struct sample sample = {.ns = 20000 + (i * 7919 + rank * 104729) % 4000, .events = (uint32_t)i % 3};
        const str name = str_of(names[(i + rank) % (rank == 3 ? NAMES : NAMES - 1)]);
        samples_put(samples, OVERHEAD_T2, S(""), name, sample);
        samples_put(samples, OVERHEAD_T1, name, S("aten::mm"), sample);
    }
    return samples;
}

static const struct overheads *gathered_again(struct overhead_samples *const *ranks, int without, struct arena *arena)
{
    struct overhead_pool *all = overhead_pool_new();
    for (int rank = 0; rank < RANKS; rank++)
        if (rank != without)
            overhead_pool_add(all, ranks[rank]);
    const struct overheads *overheads = overheads_of_pool(all, arena);
    overhead_pool_free(all);
    return overheads;
}

static void leaving_a_rank_out_is_gathering_the_others(void **state)
{
    struct arena *arena = &((struct measured *)*state)->arena;
    struct overhead_samples *ranks[RANKS];
    for (int rank = 0; rank < RANKS; rank++)
        ranks[rank] = samples_of_rank(rank);
    struct overhead_pool *pool = overhead_pool_new();
    for (int rank = 0; rank < RANKS; rank++)
        overhead_pool_add(pool, ranks[rank]);
    const struct overheads_of_all *all = overheads_of_all_in(pool, arena);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const struct overheads *found = overheads_without(all, ranks[rank], arena);
        const struct overheads *wanted = gathered_again(ranks, (int)rank, arena);
        assert_int_equal(overheads_count(found), overheads_count(wanted));
        for (uint32_t i = 0; i < overheads_count(wanted); i++) {
            const struct overhead_row a = overheads_at(found, i), b = overheads_at(wanted, i);
            assert_true(a.kind == b.kind && str_eq(a.name, b.name));
            assert_int_equal(a.overhead.count, b.overhead.count);
            assert_us(a.overhead.mean_us, b.overhead.mean_us);
            assert_us(a.overhead.whole_us, b.overhead.whole_us);
            assert_us(a.overhead.median_us, b.overhead.median_us);
            assert_true(fabs(a.overhead.sd_us - b.overhead.sd_us) < 1e-4);
        }
    }
    overhead_pool_free(pool);
    for (int rank = 0; rank < RANKS; rank++)
        overhead_samples_free(ranks[rank]);
}

/* ---- more than are kept ---- */

enum { MANY = 3 * POOL_RUNS };

/* A part of many samples, none of which are the same. */
static struct overhead_samples *many_samples(int part, int parts)
{
    struct overhead_samples *samples = overhead_samples_new();
    for (int i = part; i < MANY; i += parts)
        samples_put(samples, OVERHEAD_T2, S(""), S("aten::mm"), (struct sample){.ns = 1000000 + (int64_t)i * 17});
    return samples;
}

static struct overhead_pool *pool_of_parts(int parts, int first)
{
    struct overhead_pool *pool = overhead_pool_new();
    for (int i = 0; i < parts; i++) {
        struct overhead_samples *samples = many_samples((first + i) % parts, parts);
        overhead_pool_add(pool, samples);
        overhead_samples_free(samples);
    }
    return pool;
}

static void assert_share(double found, double wanted, double share)
{
    assert_true(fabs(found - wanted) <= share * wanted);
}

static void samples_beyond_what_is_kept_are_rounded_by_a_known_share(void **state)
{
    struct arena *arena = &((struct measured *)*state)->arena;
    struct overhead_samples *all = many_samples(0, 1);
    struct overhead_pool *pool = pool_of_parts(8, 0);
    const double share = overhead_pool_rounding(pool);
    const struct overhead exact = overheads_get(overheads_of(all, arena), OVERHEAD_T2, S("aten::mm"));
    const struct overhead rounded = overheads_get(overheads_of_pool(pool, arena), OVERHEAD_T2, S("aten::mm"));
    assert_true(share > 0 && share < 1e-3);
    assert_true(pool->of[0].count <= POOL_RUNS);
    assert_int_equal(rounded.count, MANY);
    assert_share(rounded.mean_us, exact.mean_us, share);
    assert_share(rounded.whole_us, exact.whole_us, share);
    assert_share(rounded.median_us, exact.median_us, share);
    overhead_pool_free(pool);
    overhead_samples_free(all);
}

static void a_pool_does_not_depend_on_the_order_in_which_it_is_filled(void **state)
{
    (void)state;
    struct overhead_pool *one = pool_of_parts(8, 0), *other = pool_of_parts(5, 3);
    assert_int_equal(one->of[0].count, other->of[0].count);
    assert_memory_equal(one->of[0].at, other->of[0].at, one->of[0].count * sizeof *one->of[0].at);
    assert_int_equal(one->of[0].coarse, other->of[0].coarse);
    overhead_pool_free(one);
    overhead_pool_free(other);
}

static void few_samples_are_exact(void **state)
{
    (void)state;
    struct overhead_pool *pool = overhead_pool_new();
    for (int rank = 0; rank < RANKS; rank++) {
        struct overhead_samples *samples = samples_of_rank(rank);
        overhead_pool_add(pool, samples);
        overhead_samples_free(samples);
    }
    assert_true(overhead_pool_rounding(pool) == 0);
    overhead_pool_free(pool);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_trace, close_trace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_is_the_stretch_that_it_is),
        TEST(calls_inside_are_part_of_the_operator_at_the_top),
        TEST(outliers_are_dropped_and_kept_apart),
        TEST(a_wait_is_no_overhead_of_its_operator),
        TEST(gaps_and_starts_are_told_by_the_stream),
        TEST(a_wait_for_another_stream_is_no_start),
        TEST(a_graph_is_one_call),
        TEST(the_profiler_costs_what_neighbours_are_apart),
        TEST(leaving_a_rank_out_is_gathering_the_others),
        TEST(samples_beyond_what_is_kept_are_rounded_by_a_known_share),
        TEST(a_pool_does_not_depend_on_the_order_in_which_it_is_filled),
        TEST(few_samples_are_exact),
        TEST(published_tables_read),
        TEST(other_tables_are_refused_by_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
