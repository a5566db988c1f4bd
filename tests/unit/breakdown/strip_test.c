/* SPDX-License-Identifier: Apache-2.0 */
/* The strip of a rank: what led to its collectives, told by its own graph. */
#include "breakdown/strip/strip_pieces.h"
#include "planted_job.h"

struct stripped {
    struct arena arena;
    struct rank_numbers numbers;
    struct strip strip;
};

static struct stripped *strip(struct trace *trace)
{
    struct stripped *s = calloc(1, sizeof *s);
    const struct selection all = {0};
    trace_finish(trace);
    const struct judged_rows rows = rows_judge(trace, &s->arena);
    struct graph *graph = graph_new(trace, rows.classes);
    rank_run(trace, &all, &s->arena, &s->numbers);
    strip_of(graph, &rows, &all, &s->numbers, &s->arena, &s->strip);
    graph_free(graph);
    trace_free(trace);
    assert_true(strip_check(&s->strip));
    return s;
}

static void strip_done(struct stripped *s)
{
    arena_free(&s->arena);
    free(s);
}

/* All time of a class on the way to a collective, back to the one before. */
static int64_t time_on_way(const struct stripped *s, uint32_t collective, enum path_class class)
{
    int64_t ns = 0;
    for (struct strip_link at = s->strip.ways[collective]; at.from == STRIP_STRETCH;
         at = s->strip.stretches[at.index].before) {
        const struct strip_stretch *stretch = &s->strip.stretches[at.index];
        for (struct strip_walk walk = strip_walk(&s->strip, stretch); strip_next(&walk);)
            ns += s->strip.kinds[walk.kind].class == class ? walk.ns : 0;
    }
    return ns;
}

/* On one stream: compute, then the all-reduce, which is called once the compute has run. */
static struct stripped *one_stream(void)
{
    struct planted p = planted_new();
    plant_step(&p, 0, 0, 4 * 10000);
    for (int i = 0; i < 4; i++) {
        const int64_t start = i * 10000;
        plant_work(&p, (struct planted_work){.launch_us = start, .launch_dur_us = 5, .us = start + 10, .dur_us = 6000});
        plant_work(&p, (struct planted_work){.launch_us = start + 20,
                                             .launch_dur_us = 5,
                                             .us = start + 6010,
                                             .dur_us = 3000,
                                             .name = "ncclDevKernel_AllReduce"});
    }
    return strip(p.trace);
}

static void a_way_leads_from_one_collective_to_the_next(void **state)
{
    struct stripped *s = one_stream();
    assert_int_equal(s->numbers.collective_count, 4);
    assert_int_equal(s->strip.way_count, 5);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(time_on_way(s, i, PATH_COMPUTE), 6 * MS);
    assert_int_equal(s->strip.first_ns, 0);
    strip_done(s);
}

/* Between two steps of this there is nothing, each time for as long: the verdict calls that a pause, and so does the way. */
static void a_pause_of_one_length_is_no_python(void **state)
{
    struct stripped *s = one_stream();
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(time_on_way(s, i, PATH_PYTHON) < MS / 10); /* between two launches */
        assert_true(time_on_way(s, i, PATH_STALL) >= MS / 2);
    }
    for (uint32_t i = 0; i < s->strip.kind_count; i++)
        assert_true((s->strip.kinds[i].class == PATH_STALL) == (s->strip.kinds[i].cause == CAUSE_PAUSE));
    strip_done(s);
}

/* As gloo leaves it: the call returns at once, and the work lasts until the thread has waited for it. Returns the call. */
static void plant_recv(struct planted *p, int64_t us, int64_t end_us)
{
    const uint32_t lane = planted_thread(p, PLANTED_MAIN);
    struct event call = planted_event(p, EVENT_OPERATOR, lane, "c10d::recv_", us, 40);
    event_set(&call, ATTR_INPUT_DIMS, intern_id(trace_names(p->trace), S("[[[100]], [], [], []]")));
    trace_add(p->trace, &call);
    struct event work = planted_event(p, EVENT_ANNOTATION, lane, "gloo:recv", us + 30, end_us - us - 30);
    event_set(&work, ATTR_INPUT_DIMS, intern_id(trace_names(p->trace), S("[[100]]")));
    trace_add(p->trace, &work);
    p->rows += 2;
}

/* An operator from us to us + 1000, a receive that ends after 4000, another operator that begins 200 later, a receive. */
static struct stripped *receives(bool works_between)
{
    struct planted p = planted_new();
    plant_step(&p, 0, 0, 20000);
    for (int64_t us = 0; us < 20000; us += 10000) {
        plant_host(&p, EVENT_OPERATOR, "aten::linear", us, 1000);
        plant_recv(&p, us + 1100, us + 5100);
        if (works_between)
            plant_host(&p, EVENT_OPERATOR, "aten::mm", us + 2000, 500);
        plant_host(&p, EVENT_OPERATOR, "aten::linear", us + 5300, 1000);
    }
    return strip(p.trace);
}

/* The link of the stretch that the collective's way ends with, back to where it begins. */
static struct strip_link beginning_of_way(const struct stripped *s, uint32_t way)
{
    struct strip_link at = s->strip.ways[way];
    while (at.from == STRIP_STRETCH)
        at = s->strip.stretches[at.index].before;
    return at;
}

static void a_thread_that_waits_for_its_own_receive_comes_to_it(void **state)
{
    struct stripped *s = receives(false);
    assert_int_equal(s->numbers.collective_count, 2);
    assert_int_equal(beginning_of_way(s, 0).from, STRIP_START);
    assert_int_equal(beginning_of_way(s, 1).from, STRIP_COLLECTIVE);
    assert_int_equal(beginning_of_way(s, 1).index, 0);
    assert_int_equal(beginning_of_way(s, 2).index, 1);
    assert_int_equal(time_on_way(s, 1, PATH_FORWARD), 2 * MS);
    assert_int_equal(time_on_way(s, 1, PATH_COLLECTIVE), 0);
    assert_int_equal(time_on_way(s, 1, PATH_PYTHON), 6 * MS - 2 * MS); /* from 5100 to 11100 */
    strip_done(s);
}

/* Then nobody knows when it began to wait. */
static void a_thread_that_works_before_it_waits_does_not(void **state)
{
    struct stripped *s = receives(true);
    for (uint32_t way = 0; way < 3; way++)
        assert_int_equal(beginning_of_way(s, way).from, STRIP_START);
    strip_done(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_leads_from_one_collective_to_the_next),
        cmocka_unit_test(a_pause_of_one_length_is_no_python),
        cmocka_unit_test(a_thread_that_waits_for_its_own_receive_comes_to_it),
        cmocka_unit_test(a_thread_that_works_before_it_waits_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
