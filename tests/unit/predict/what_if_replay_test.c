/* SPDX-License-Identifier: Apache-2.0 */
/* Questions put to recorded steps: what they do not touch stays to the nanosecond, what they touch changes by so much. */
#include "unit/cmocka_first.h"

#include <stdlib.h>

#include "unit/planted.h"
#include "predict/question/replay.h"

enum { STEPS = 4, STEP_US = 1000, US = 1000 };

/*
 * In each step: an operator whose kernel takes 500 us from 125 on, and one that copies a number back and waits for it;
 * the rest of the step is the host's own.
 */
struct scene {
    struct planted p;
    struct arena arena;
    struct work_classes *classes;
    struct graph *graph;
};

static void plant_step_at(struct scene *s, int64_t k)
{
    const int64_t t = k * STEP_US;
    plant_step(&s->p, k, t, STEP_US);
    plant_host(&s->p, EVENT_OPERATOR, "aten::mm", t + 100, 60);
    plant_work(&s->p, (struct planted_work){.launch_us = t + 110, .launch_dur_us = 10, .us = t + 125, .dur_us = 500});
    plant_host(&s->p, EVENT_OPERATOR, "aten::item", t + 200, 450);
    plant_work(&s->p, (struct planted_work){.launch_us = t + 210,
                                            .launch_dur_us = 10,
                                            .kind = EVENT_COPY,
                                            .call = "cudaMemcpyAsync",
                                            .name = "Memcpy DtoH (Device -> Pinned)",
                                            .us = t + 626,
                                            .dur_us = 2});
    plant_linked(&s->p, EVENT_RUNTIME, planted_thread(&s->p, PLANTED_MAIN), "cudaStreamSynchronize", t + 225, 410,
                 s->p.correlation++);
    plant_host(&s->p, EVENT_OPERATOR, "aten::relu", t + 700, 60);
    plant_work(&s->p, (struct planted_work){.launch_us = t + 710, .launch_dur_us = 10, .us = t + 725, .dur_us = 20});
}

static int open_scene(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    s->p = planted_new();
    for (int64_t k = 0; k < STEPS; k++)
        plant_step_at(s, k);
    trace_finish(s->p.trace);
    s->classes = work_classes_new(s->p.trace, &s->arena);
    s->graph = graph_new(s->p.trace, s->classes);
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *s = *state;
    graph_free(s->graph);
    trace_free(s->p.trace);
    arena_free(&s->arena);
    free(s);
    return 0;
}

/* Question may be NULL: the plans as they are. */
static struct replayed asked(struct scene *s, const struct question *question)
{
    const struct question_context context = {.trace = s->p.trace};
    const struct plan_options options = {.replay = true, .with_profiler = true};
    struct steptime_error err = {0};
    struct replay *replay = replay_new(s->graph, s->classes, (struct step_range){0, STEPS});
    for (uint32_t i = 0; i < STEPS; i++) {
        struct program *program = arena_alloc(&s->arena, sizeof *program);
        struct plan before, after;
        *program = program_of_step(s->p.trace, s->classes, i, &s->arena);
        if (!plan_of(program, &options, &s->arena, &before, &err))
            fail_msg("%s", err.message);
        after = plan_copy(&before, &s->arena);
        if (question && !question_apply(question, &context, &after, &s->arena, NULL, &err))
            fail_msg("%s", err.message);
        replay_step(replay, &before, &after);
    }
    const struct replayed replayed = replay_run(replay, question ? question->cpu_speed : 1, &s->arena);
    replay_free(replay);
    return replayed;
}

static int64_t saved_us(struct scene *s, const struct question *question)
{
    const struct replayed replayed = asked(s, question);
    assert_int_equal(replayed.recorded_ns, STEP_US * US);
    return (replayed.recorded_ns - replayed.replayed_ns) / US;
}

static void nothing_asked_is_what_was_recorded(void **state)
{
    const struct question_scale once = {S("*"), 1};
    const struct replayed plain = asked(*state, NULL);
    assert_int_equal(plain.replayed_ns, plain.recorded_ns);
    assert_int_equal(plain.recorded_ns, STEP_US * US);
    assert_int_equal(saved_us(*state, &(struct question){.scale = &once, .scale_count = 1}), 0);
    assert_int_equal(saved_us(*state, &(struct question){.cpu_speed = 1}), 0);
}

/* The host waits for the kernel; what the kernel loses the step loses. */
static void shorter_work_shortens_what_waits_for_it(void **state)
{
    const struct question_scale half = {S("aten::mm"), 0.5};
    assert_int_equal(saved_us(*state, &(struct question){.scale = &half, .scale_count = 1}), 250);
}

/* Nobody waits for the last kernel of a step, which ends before the host does. */
static void work_that_nobody_waits_for_saves_nothing(void **state)
{
    const struct question_scale none = {S("aten::relu"), 0};
    assert_int_equal(saved_us(*state, &(struct question){.scale = &none, .scale_count = 1}), 0);
}

static void an_operator_is_gone_with_all_it_does(void **state)
{
    struct scene *s = *state;
    const str item = S("aten::item"), everything = S("*");
    const int64_t without_item = saved_us(s, &(struct question){.remove = &item, .remove_count = 1});
    assert_in_range(without_item, 440, 460 + 50); /* 450 of the operator, and at most what lies before it */
    assert_true(saved_us(s, &(struct question){.remove = &everything, .remove_count = 1}) >= without_item);
}

static void ids_of_one_step_change_that_step(void **state)
{
    struct scene *s = *state;
    int64_t ids[STEPS];
    uint32_t count = 0;
    for (uint32_t row = 0; row < s->p.trace->count; row++)
        if (str_eq(trace_name(s->p.trace, row), S("aten::item")))
            ids[count++] = row;
    assert_int_equal(count, STEPS);
    const int64_t one = saved_us(s, &(struct question){.without = ids, .without_count = 1});
    const int64_t all = saved_us(s, &(struct question){.without = ids, .without_count = STEPS});
    assert_true(one > 0);
    assert_in_range(all, (STEPS - 1) * one, STEPS * one); /* the device is the next to hold the step up */
}

static void a_faster_host_still_waits_for_the_device(void **state)
{
    struct scene *s = *state;
    const int64_t faster = saved_us(s, &(struct question){.cpu_speed = 1e6});
    const int64_t alone = saved_us(s, &(struct question){.cpu_speed = 1e6, .no_sync = true});
    assert_true(faster > 0 && faster <= STEP_US - 500);
    assert_true(alone >= faster);
}

static void taking_away_never_lengthens(void **state)
{
    struct scene *s = *state;
    const str names[] = {S("aten::mm"), S("aten::item"), S("aten::relu"), S("sgemm*"), S("*")};
    for (int i = 0; i < 5; i++)
        assert_true(saved_us(s, &(struct question){.remove = &names[i], .remove_count = 1}) >= 0);
    assert_true(saved_us(s, &(struct question){.no_sync = true}) >= 0);
    assert_true(saved_us(s, &(struct question){.cuda_graph = true}) >= 0);
    assert_true(saved_us(s, &(struct question){.pinned = true}) >= 0);
}

#define scene_test(f) cmocka_unit_test_setup_teardown(f, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(nothing_asked_is_what_was_recorded),
        scene_test(shorter_work_shortens_what_waits_for_it),
        scene_test(work_that_nobody_waits_for_saves_nothing),
        scene_test(an_operator_is_gone_with_all_it_does),
        scene_test(ids_of_one_step_change_that_step),
        scene_test(a_faster_host_still_waits_for_the_device),
        scene_test(taking_away_never_lengthens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
