/* SPDX-License-Identifier: Apache-2.0 */
/* The strip of a rank: what led to its collectives, told by its own graph. */
#include "breakdown/strip/strip.h"
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
        for (uint32_t i = stretch->first_piece; i < stretch->first_piece + stretch->piece_count; i++)
            ns += s->strip.pieces[i].class == class ? s->strip.pieces[i].ns : 0;
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
    for (uint32_t i = 0; i < s->strip.piece_count; i++)
        assert_true((s->strip.pieces[i].class == PATH_STALL) == (s->strip.pieces[i].cause == CAUSE_PAUSE));
    strip_done(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_leads_from_one_collective_to_the_next),
        cmocka_unit_test(a_pause_of_one_length_is_no_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
