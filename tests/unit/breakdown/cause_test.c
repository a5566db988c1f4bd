/* SPDX-License-Identifier: Apache-2.0 */
/* What the host was in: names, what follows from the whole trace, and stretches of which the innermost counts. */
#include "breakdown/idle/cause_track.h"
#include "unit/graph/graph_case.h"

/* ---- names ---- */

static void names_say_what_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum event_kind kind;
        enum cause cause;
    } rows[] = {
        {"_compile.compile_inner (dynamo_timed)", EVENT_OPERATOR, CAUSE_COMPILATION},
        {"async_compile.wait", EVENT_ANNOTATION, CAUSE_COMPILATION},
        {"/usr/lib/torch/_inductor/compile_fx.py(610): compile_fx", EVENT_PYTHON, CAUSE_COMPILATION},
        {"triton/compiler/compiler.py(226): compile", EVENT_PYTHON, CAUSE_COMPILATION},
        {"Torch-Compiled Region: 0/0", EVENT_OPERATOR, CAUSE_NONE},
        {"TorchDynamo Cache Lookup", EVENT_OPERATOR, CAUSE_NONE},
        {"## Call CompiledFxGraph f3 ##", EVENT_ANNOTATION, CAUSE_NONE},
        {"CompiledFunctionBackward", EVENT_OPERATOR, CAUSE_NONE},
        {"triton/runtime/jit.py(569): run", EVENT_PYTHON, CAUSE_NONE},
        {"torch/_dynamo/eval_frame.py(745): _fn", EVENT_PYTHON, CAUSE_NONE},
        {"Lazy Function Loading", EVENT_OVERHEAD, CAUSE_MODULES},
        {"Command Buffer Full", EVENT_OVERHEAD, CAUSE_NONE},
        {"Activity Buffer Request", EVENT_OVERHEAD, CAUSE_RECORDER},
        {"cudaLaunchKernel", EVENT_RUNTIME, CAUSE_NONE},
        {"cudaMalloc", EVENT_RUNTIME, CAUSE_ALLOCATION},
        {"cudaMallocAsync", EVENT_RUNTIME, CAUSE_NONE},
        {"cuMemSetAccess", EVENT_RUNTIME, CAUSE_MAPPING},
        {"cudaGraphInstantiateWithFlags", EVENT_RUNTIME, CAUSE_CAPTURE},
        {"cudaGraphLaunch", EVENT_RUNTIME, CAUSE_NONE},
        {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", EVENT_OPERATOR, CAUSE_LOADING},
        {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", EVENT_ANNOTATION, CAUSE_LOADER_WAIT},
        {"tqdm/_monitor.py(60): run", EVENT_PYTHON, CAUSE_NONE},
        {"triton/runtime/autotuner.py(192): run", EVENT_PYTHON, CAUSE_NONE},
        {"triton/runtime/autotuner.py(130): _bench", EVENT_PYTHON, CAUSE_SEARCH},
        {"<built-in function collect>", EVENT_PYTHON, CAUSE_COLLECTION},
        {"torch/serialization.py(800): save", EVENT_PYTHON, CAUSE_CHECKPOINT},
        {"logging/__init__.py(1500): info", EVENT_PYTHON, CAUSE_LOGGING},
        {"<built-in function sleep>", EVENT_PYTHON, CAUSE_SLEEP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cause_of_name(str_of(rows[i].name), rows[i].kind) != rows[i].cause)
            fail_msg("%s is %s", rows[i].name, cause_id(cause_of_name(str_of(rows[i].name), rows[i].kind)));
}

/* ---- tracks ---- */

static void frame(struct trace *t, const char *name, int64_t us, int64_t dur_us)
{
    const struct event e = event_at(t, EVENT_PYTHON, thread_lane(t, MAIN), name, us, dur_us);
    trace_add(t, &e);
}

static void range(struct trace *t, const char *name, int64_t us, int64_t dur_us)
{
    const struct event e = event_at(t, EVENT_ANNOTATION, thread_lane(t, MAIN), name, us, dur_us);
    trace_add(t, &e);
}

struct planted {
    struct trace *trace;
    struct arena arena;
    struct cause_track track; /* of the main thread */
};

static struct planted finished(struct trace *t)
{
    struct planted p = {.trace = t};
    trace_finish(t);
    const struct cause_track *tracks = cause_tracks_of(t, work_classes_new(t, &p.arena), &p.arena);
    p.track = tracks[thread_lane(t, MAIN)];
    return p;
}

static void free_planted(struct planted *p)
{
    arena_free(&p->arena);
    trace_free(p->trace);
}

static int64_t time_of(const struct planted *p, enum cause cause)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->track.count; i++)
        if (p->track.at[i].cause == cause)
            sum += p->track.at[i].end_ns - p->track.at[i].start_ns;
    return sum / 1000;
}

static void the_innermost_counts(void **state)
{
    (void)state;
    struct trace *t = trace_new();
    op(t, MAIN, "aten::mm", 0, 10);
    range(t, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 1000);
    frame(t, "<built-in function collect>", 300, 200);
    frame(t, "<built-in function sleep>", 600, 100);
    frame(t, "logging/__init__.py(1500): info", 2000, 100);
    frame(t, "<built-in function sleep>", 2020, 50);
    struct planted p = finished(t);
    assert_int_equal(time_of(&p, CAUSE_COLLECTION), 200);
    assert_int_equal(time_of(&p, CAUSE_LOADING), 800); /* a sleep of the loader is loading */
    assert_int_equal(time_of(&p, CAUSE_LOGGING), 50);
    assert_int_equal(time_of(&p, CAUSE_SLEEP), 50);
    for (uint32_t i = 1; i < p.track.count; i++)
        assert_true(p.track.at[i - 1].end_ns <= p.track.at[i].start_ns);
    assert_int_equal(cause_track_find(&p.track, 350 * 1000), 1);
    free_planted(&p);
}

static void a_long_first_launch_loads_a_module(void **state)
{
    (void)state;
    struct trace *t = trace_new();
    for (int i = 0; i < 10; i++) {
        const bool first = i == 2, later = i == 5;
        const struct event e = {.start_ns = i * 20000000 + (first || later ? 9000000 : 100000),
                                .dur_ns = 10000,
                                .name = intern_id(trace_names(t), first || later ? S("loaded") : S("kernel")),
                                .lane = stream_lane(t, 7),
                                .kind = EVENT_KERNEL};
        struct event with = e;
        add_id(&with, i + 1);
        call(t, "cudaLaunchKernel", i + 1, i * 20000, first || later ? 8000 : 10);
        trace_add(t, &with);
    }
    struct planted p = finished(t);
    assert_int_equal(time_of(&p, CAUSE_MODULES), 8000); /* the first of the kernel, not the later one */
    free_planted(&p);
}

static void memory_is_told_apart(void **state)
{
    (void)state;
    struct trace *t = trace_new();
    op(t, MAIN, "aten::cudnn_convolution", 0, 1000);
    call(t, "cudaFree", NO_ID, 10, 900);
    op(t, MAIN, "aten::empty", 2000, 1000);
    call(t, "cudaMalloc", NO_ID, 2010, 100);
    op(t, MAIN, "aten::bmm", 4000, 1000);
    call(t, "cudaMalloc", NO_ID, 4010, 100);
    call(t, "cudaFree", NO_ID, 4200, 300);
    call(t, "cudaMalloc", NO_ID, 4600, 100);
    struct planted p = finished(t);
    assert_int_equal(time_of(&p, CAUSE_START), 900);
    assert_int_equal(time_of(&p, CAUSE_ALLOCATION), 100);
    assert_int_equal(time_of(&p, CAUSE_RETRY), 500);
    free_planted(&p);
}

static void memory_without_a_cache_is_a_habit(void **state)
{
    (void)state;
    struct trace *t = trace_new();
    for (int i = 0; i < 30; i++) {
        op(t, MAIN, "aten::empty", 1000 * i, 200);
        call(t, "hipMalloc", NO_ID, 1000 * i + 10, 100);
        call(t, "hipFree", NO_ID, 1000 * i + 500, 50);
    }
    struct planted p = finished(t);
    assert_int_equal(time_of(&p, CAUSE_NO_CACHE), 30 * 150);
    free_planted(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_they_are),
        cmocka_unit_test(the_innermost_counts),
        cmocka_unit_test(a_long_first_launch_loads_a_module),
        cmocka_unit_test(memory_is_told_apart),
        cmocka_unit_test(memory_without_a_cache_is_a_habit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
