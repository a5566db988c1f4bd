/* SPDX-License-Identifier: Apache-2.0 */
/* What a step saves is exact on steps whose every microsecond was put there. Times in us from a step's start. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "evidence/relief.h"
#include "unit/planted.h"

enum { STEPS = 5, US = 1000, SIDE_STREAM = 20 };

struct scene {
    struct planted p;
    struct arena arena;
    struct graph *graph;
    struct relief *relief;
    struct device_times times;
    struct movement movement;
};

static struct scene scene_new(void)
{
    return (struct scene){.p = planted_new()};
}

static void ready(struct scene *s)
{
    trace_finish(s->p.trace);
    const struct work_classes *classes = work_classes_new(s->p.trace, &s->arena);
    s->graph = graph_new(s->p.trace, classes);
    s->times = device_times_open(s->p.trace, &s->arena);
    s->movement = movement_of(s->graph, classes, &s->times, &s->arena);
    s->relief = relief_new(s->graph);
}

static void done(struct scene *s)
{
    relief_free(s->relief);
    device_times_close(&s->times);
    graph_free(s->graph);
    trace_free(s->p.trace);
    arena_free(&s->arena);
}

static void launch(struct scene *s, int64_t us, int64_t start_us, int64_t dur_us)
{
    plant_work(&s->p, (struct planted_work){.launch_us = us, .launch_dur_us = 10, .us = start_us, .dur_us = dur_us});
}

/* A copy and the synchronisation behind it, in an operator; returns the operator's row. */
struct planted_copy {
    const char *op, *name;
    int64_t us, dur_us;           /* of the operator */
    int64_t call_us, call_dur_us; /* cudaMemcpyAsync */
    int64_t copy_us, copy_dur_us; /* on the device */
    int64_t sync_us, sync_dur_us; /* cudaStreamSynchronize */
    int64_t stream;
};

static uint32_t copy(struct scene *s, struct planted_copy c)
{
    const uint32_t op = plant_host(&s->p, EVENT_OPERATOR, c.op, c.us, c.dur_us);
    plant_work(&s->p, (struct planted_work){.launch_us = c.call_us,
                                            .launch_dur_us = c.call_dur_us,
                                            .kind = EVENT_COPY,
                                            .call = "cudaMemcpyAsync",
                                            .name = c.name,
                                            .stream = c.stream,
                                            .us = c.copy_us,
                                            .dur_us = c.copy_dur_us});
    const uint32_t thread = planted_thread(&s->p, PLANTED_MAIN);
    plant_linked(&s->p, EVENT_RUNTIME, thread, "cudaStreamSynchronize", c.sync_us, c.sync_dur_us, s->p.correlation++);
    return op;
}

/* Reads a scalar behind a kernel that ends at 115: the thread waits until 119. */
static uint32_t item_behind_kernel(struct scene *s, int64_t t)
{
    return copy(s, (struct planted_copy){.op = "aten::item",
                                         .name = "Memcpy DtoH (Device -> Pinned)",
                                         .us = t + 20,
                                         .dur_us = 105,
                                         .call_us = t + 25,
                                         .call_dur_us = 10,
                                         .copy_us = t + 117,
                                         .copy_dur_us = 2,
                                         .sync_us = t + 40,
                                         .sync_dur_us = 80});
}

/* Another, right after it: the device is idle by then. */
static uint32_t item_behind_item(struct scene *s, int64_t t)
{
    return copy(s, (struct planted_copy){.op = "aten::item",
                                         .name = "Memcpy DtoH (Device -> Pinned)",
                                         .us = t + 130,
                                         .dur_us = 20,
                                         .call_us = t + 132,
                                         .call_dur_us = 5,
                                         .copy_us = t + 142,
                                         .copy_dur_us = 2,
                                         .sync_us = t + 138,
                                         .sync_dur_us = 8});
}

static int64_t saving_without(struct scene *s, const uint32_t *rows, uint32_t count)
{
    relief_clear(s->relief);
    for (uint32_t i = 0; i < count; i++)
        relief_remove(s->relief, rows[i]);
    return relief_saving_ns(s->relief);
}

static void nothing_changed_saves_nothing(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        plant_step(&s.p, k, k * 1000, 1000);
        launch(&s, k * 1000, k * 1000 + 15, 100);
        item_behind_kernel(&s, k * 1000);
    }
    ready(&s);
    assert_int_equal(relief_saving_ns(s.relief), 0);
    done(&s);
}

/* The step is Python from 125 to 1000. Without the read it is there at 20, and the device is never in the way. */
static void a_read_in_a_step_that_the_host_bounds_saves_all_of_its_wait(void **state)
{
    struct scene s = scene_new();
    uint32_t items[STEPS];
    for (int64_t k = 0; k < STEPS; k++) {
        plant_step(&s.p, k, k * 1000, 1000);
        launch(&s, k * 1000, k * 1000 + 15, 100);
        items[k] = item_behind_kernel(&s, k * 1000);
    }
    ready(&s);
    assert_int_equal(saving_without(&s, items, STEPS), 105 * US);
    assert_int_equal(s.movement.at[0].blocked_ns, (10 + 80 - 2) * US);
    done(&s);
}

/*
 * The stream is full from the first to the last kernel; the host is a step ahead
 * and waits for a copy on another stream, of what the kernel before has made.
 */
static void a_read_in_a_step_that_the_device_bounds_saves_nothing(void **state)
{
    struct scene s = scene_new();
    uint32_t items[STEPS];
    launch(&s, 0, 15, 1000);
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 20 + k * 1000;
        plant_step(&s.p, k, t, 1000);
        launch(&s, t + 5, t + 995, 1000);
        plant_host(&s.p, EVENT_RUNTIME, "cudaStreamWaitEvent", t + 20, 1);
        items[k] = copy(&s, (struct planted_copy){.op = "aten::item",
                                                  .name = "Memcpy DtoH (Device -> Pinned)",
                                                  .us = t + 22,
                                                  .dur_us = 978,
                                                  .call_us = t + 25,
                                                  .call_dur_us = 10,
                                                  .copy_us = t + 996,
                                                  .copy_dur_us = 2,
                                                  .sync_us = t + 40,
                                                  .sync_dur_us = 959,
                                                  .stream = SIDE_STREAM});
    }
    ready(&s);
    assert_int_equal(saving_without(&s, items, STEPS), 0);
    assert_int_equal(s.movement.at[0].blocked_ns, (10 + 959 - 2) * US);
    assert_int_equal(s.movement.at[0].bubble_ns, 0);
    done(&s);
}

/* Alone, either read leaves the wait to the other; together they save all of it. */
static void of_two_reads_one_hides_behind_the_other(void **state)
{
    struct scene s = scene_new();
    uint32_t items[2 * STEPS];
    for (int64_t k = 0; k < STEPS; k++) {
        plant_step(&s.p, k, k * 1000, 1000);
        launch(&s, k * 1000, k * 1000 + 15, 100);
        items[k] = item_behind_kernel(&s, k * 1000);
        items[STEPS + k] = item_behind_item(&s, k * 1000);
    }
    ready(&s);
    /* the second read's copy follows the kernel at 117, and the thread goes on at 119 instead of 144 */
    assert_int_equal(saving_without(&s, items, STEPS), 25 * US);
    assert_int_equal(saving_without(&s, items + STEPS, STEPS), 20 * US);
    assert_int_equal(saving_without(&s, items, 2 * STEPS), (105 + 20) * US);
    done(&s);
}

/* ---- uploads ---- */

static int64_t saving_unblocked(struct scene *s)
{
    relief_clear(s->relief);
    for (uint32_t i = 0; i < s->movement.count; i++)
        relief_unblock(s->relief, &s->movement.at[i]);
    return relief_saving_ns(s->relief);
}

static void upload(struct scene *s, int64_t t, int64_t stream)
{
    copy(s, (struct planted_copy){.op = "aten::to",
                                  .name = "Memcpy HtoD (Pageable -> Device)",
                                  .us = t + 20,
                                  .dur_us = 290,
                                  .call_us = t + 25,
                                  .call_dur_us = 275,
                                  .copy_us = t + 40,
                                  .copy_dur_us = 250,
                                  .sync_us = t + 301,
                                  .sync_dur_us = 2,
                                  .stream = stream});
}

/* Between 25 and 303 remain the 10 us of a call that only queues, and the 1 us between the two calls. */
static void an_upload_that_the_host_waits_for_saves_its_staging(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        plant_step(&s.p, k, k * 1000, 1000);
        upload(&s, k * 1000, 0);
        launch(&s, k * 1000 + 330, k * 1000 + 345, 100);
    }
    ready(&s);
    assert_int_equal(saving_unblocked(&s), (303 - 25 - 10 - 1) * US);
    assert_int_equal(s.movement.at[0].exposed_ns, 250 * US);
    done(&s);
}

static void an_upload_behind_a_full_stream_saves_nothing(void **state)
{
    struct scene s = scene_new();
    launch(&s, 0, 15, 1000);
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 20 + k * 1000;
        plant_step(&s.p, k, t, 1000);
        upload(&s, t, SIDE_STREAM);
        launch(&s, t + 330, t + 995, 1000);
    }
    ready(&s);
    assert_int_equal(saving_unblocked(&s), 0);
    assert_int_equal(s.movement.at[1].exposed_ns, 0);
    done(&s);
}

/* The upload is what the device waits for, so a faster bus saves what the copy gets shorter. */
static void a_shorter_copy_saves_what_the_device_waited_for(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = k * 1000;
        plant_step(&s.p, k, t, 1000);
        copy(&s, (struct planted_copy){.op = "aten::to",
                                       .name = "Memcpy HtoD (Pinned -> Device)",
                                       .us = t + 20,
                                       .dur_us = 475,
                                       .call_us = t + 25,
                                       .call_dur_us = 10,
                                       .copy_us = t + 40,
                                       .copy_dur_us = 450,
                                       .sync_us = t + 40,
                                       .sync_dur_us = 451});
    }
    ready(&s);
    for (uint32_t i = 0; i < s.movement.count; i++)
        relief_device(s.relief, s.movement.at[i].copy, 150 * US);
    assert_int_equal(relief_saving_ns(s.relief), 300 * US);
    done(&s);
}

/* ---- preparation ---- */

enum { PREPARATION = 3000 };

/* Three milliseconds of Python, then a kernel that the step ends with. */
static void preparation_moved_away_saves_its_time(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = k * 4000;
        plant_step(&s.p, k, t, 4000);
        plant_host(&s.p, EVENT_PYTHON, "train.py(12): prepare", t, PREPARATION);
        launch(&s, t + PREPARATION, t + PREPARATION + 15, 500);
        plant_host(&s.p, EVENT_RUNTIME, "cudaDeviceSynchronize", t + PREPARATION + 20, 500);
    }
    ready(&s);
    for (int64_t k = 0; k < STEPS; k++)
        relief_host(s.relief, planted_thread(&s.p, PLANTED_MAIN), k * 4000 * US, (k * 4000 + PREPARATION) * US);
    assert_int_equal(relief_saving_ns(s.relief), PREPARATION * US);
    done(&s);
}

/* Kernels of 2000 us: once the preparation is gone, they bound the step. */
static void preparation_moved_away_saves_no_more_than_the_device_rested(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = k * (PREPARATION + 10);
        plant_step(&s.p, k, t, PREPARATION + 10);
        launch(&s, t + PREPARATION, t + PREPARATION + 15, 2000);
    }
    ready(&s);
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = k * (PREPARATION + 10);
        relief_host(s.relief, planted_thread(&s.p, PLANTED_MAIN), t * US, (t + PREPARATION) * US);
    }
    assert_int_equal(relief_saving_ns(s.relief), (PREPARATION + 10 - 2000) * US);
    done(&s);
}

/* Launches inside the span stay, with their operators. */
static void work_for_the_device_is_not_moved_away(void **state)
{
    struct scene s = scene_new();
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = k * 1000;
        plant_step(&s.p, k, t, 1000);
        plant_host(&s.p, EVENT_OPERATOR, "aten::mm", t + 100, 50);
        launch(&s, t + 110, t + 125, 20);
        plant_host(&s.p, EVENT_OPERATOR, "aten::cumsum", t + 200, 50); /* on the CPU */
    }
    ready(&s);
    for (int64_t k = 0; k < STEPS; k++)
        relief_host(s.relief, planted_thread(&s.p, PLANTED_MAIN), k * 1000 * US, (k * 1000 + 400) * US);
    assert_int_equal(relief_saving_ns(s.relief), 350 * US);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_saves_nothing),
        cmocka_unit_test(a_read_in_a_step_that_the_host_bounds_saves_all_of_its_wait),
        cmocka_unit_test(a_read_in_a_step_that_the_device_bounds_saves_nothing),
        cmocka_unit_test(of_two_reads_one_hides_behind_the_other),
        cmocka_unit_test(an_upload_that_the_host_waits_for_saves_its_staging),
        cmocka_unit_test(an_upload_behind_a_full_stream_saves_nothing),
        cmocka_unit_test(a_shorter_copy_saves_what_the_device_waited_for),
        cmocka_unit_test(preparation_moved_away_saves_its_time),
        cmocka_unit_test(preparation_moved_away_saves_no_more_than_the_device_rested),
        cmocka_unit_test(work_for_the_device_is_not_moved_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
