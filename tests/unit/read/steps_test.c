/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that nobody marked: a trace of each kind, regular and not, and what repeats without being a step. */
#include "unit/cmocka_first.h"

#include "trace/trace.h"
#include "unit/planted.h"

struct made {
    struct planted p;
    int64_t at_us;
};

static struct made made_new(void)
{
    return (struct made){.p = planted_new()};
}

/* A range of the main thread that launches work for nine tenths of its time; then a pause. */
static void range(struct made *m, const char *name, int64_t us, int64_t pause_us)
{
    plant_host(&m->p, EVENT_ANNOTATION, name, m->at_us, us);
    plant_work(&m->p,
               (struct planted_work){
                   .launch_us = m->at_us + 1, .launch_dur_us = 5, .us = m->at_us + 8, .dur_us = us * 9 / 10 - 8});
    m->at_us += us + pause_us;
}

static void operator(struct made *m, const char *name, int64_t us)
{
    plant_host(&m->p, EVENT_OPERATOR, name, m->at_us, us);
    plant_work(&m->p, (struct planted_work){
                          .launch_us = m->at_us + 1, .launch_dur_us = 2, .us = m->at_us + 4, .dur_us = us - 5});
    m->at_us += us + 1;
}

/* A graph of so many kernels, the first of that name. */
static void graph(struct made *m, const char *first, int kernels, int64_t us)
{
    const int64_t correlation = m->p.correlation++;
    plant_linked(&m->p, EVENT_RUNTIME, planted_thread(&m->p, PLANTED_MAIN), "cudaGraphLaunch", m->at_us, 5,
                 correlation);
    for (int i = 0; i < kernels; i++)
        plant_linked(&m->p, EVENT_KERNEL, planted_stream(&m->p, 0, 7), i ? "rest" : first,
                     m->at_us + 10 + i * (us - 10) / kernels, (us - 10) / kernels - 1, correlation);
    m->at_us += us;
}

static void expect(struct made *m, enum step_source source, uint32_t steps, const char *words)
{
    trace_finish(m->p.trace);
    const struct step_basis *basis = &m->p.trace->step_basis;
    if (!str_has(basis->words, str_of(words)))
        print_error("told: %.*s\n", (int)basis->words.len, basis->words.at);
    assert_int_equal(m->p.trace->step_source, source);
    assert_int_equal(basis->source, source);
    assert_int_equal(m->p.trace->step_count, steps);
    assert_int_equal(basis->steps, steps);
    assert_true(str_has(basis->words, str_of(words)));
}

/* ---- what engines mark ---- */

static void ranges_of_vllm_are_steps_whatever_they_take(void **state)
{
    struct made m = made_new();
    range(&m, "execute_context_4(900)_generation_0(0)", 900, 10);
    range(&m, "execute_context_0(0)_generation_4(4)", 100, 10);
    range(&m, "execute_context_0(0)_generation_4(4)", 100, 10);
    range(&m, "execute_context_2(400)_generation_4(4)", 500, 10);
    expect(&m, STEPS_ENGINE, 4, "4 are told by 4 ranges of the engine");
    assert_int_equal(m.p.trace->steps[0].start_ns, 0);
    assert_int_equal(m.p.trace->steps[0].end_ns, 910000);
    assert_int_equal(m.p.trace->steps[3].end_ns, m.p.trace->steps[3].host_end_ns);
    assert_true(str_has(m.p.trace->step_basis.words, S("but for some")));
    trace_free(m.p.trace);
}

/* What the host does between them is of the step before: of the last nobody knows how long it took. */
static void the_last_of_ranges_far_apart_is_no_whole_step(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 6; i++)
        range(&m, "execute_model", 100, 900);
    expect(&m, STEPS_ENGINE, 5, "5 are told by 6 ranges of the engine");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(m.p.trace->steps[i].end_ns - m.p.trace->steps[i].start_ns, 1000000);
        assert_int_equal(m.p.trace->steps[i].host_end_ns, m.p.trace->steps[i].end_ns);
    }
    trace_free(m.p.trace);
}

/* Of three none can be spared. */
static void all_of_three_ranges_far_apart_are_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 3; i++)
        range(&m, "execute_model", 100, 900);
    expect(&m, STEPS_ENGINE, 3, "3 are told by 3 ranges of the engine");
    trace_free(m.p.trace);
}

static void ranges_of_sglang_are_steps(void **state)
{
    struct made m = made_new();
    range(&m, "step[EXTEND bs=1 toks=512]", 900, 10);
    for (int i = 0; i < 6; i++)
        range(&m, i % 2 ? "step[DECODE bs=1]" : "step[DECODE bs=2]", 100, 10);
    expect(&m, STEPS_ENGINE, 7, "regular within 0.1 %");
    trace_free(m.p.trace);
}

static void layers_of_a_single_step_of_an_engine_are_no_steps(void **state)
{
    struct made m = made_new();
    plant_host(&m.p, EVENT_ANNOTATION, "execute_128_context_1(sq1)_generation_0(0)", 0, 2000);
    for (int i = 0; i < 18; i++)
        graph(&m, "attention", 3, 100);
    expect(&m, STEPS_NONE, 1, "came 1 range of the engine");
    trace_free(m.p.trace);
}

/* ---- ranges ---- */

static void ranges_that_differ_by_numbers_are_steps(void **state)
{
    struct made m = made_new();
    const char *const names[] = {"iteration 8", "iteration 9", "iteration 10", "iteration 11"};
    for (int i = 0; i < 4; i++)
        range(&m, names[i], 100 + i, 5);
    expect(&m, STEPS_RANGES, 4, "4 outermost ranges (`iteration 8`), regular within");
    assert_true(m.p.trace->step_basis.spread < 0.02);
    assert_true(m.p.trace->step_basis.covered == 1);
    trace_free(m.p.trace);
}

static void forward_and_backward_ranges_make_one_step(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 4; i++) {
        range(&m, "## forward ##", 100, 5);
        range(&m, "## backward ##", 200, 5);
    }
    expect(&m, STEPS_RANGES, 4, "in an order that repeats every 2");
    assert_int_equal(m.p.trace->steps[1].start_ns, 310000);
    trace_free(m.p.trace);
}

static void what_comes_twice_is_no_step(void **state)
{
    struct made m = made_new();
    range(&m, "timed region", 100, 5);
    range(&m, "timed region", 100, 5);
    expect(&m, STEPS_NONE, 1, "came 2 outermost ranges (`timed region`): a step must come three times");
    trace_free(m.p.trace);
}

static void irregular_ranges_are_no_steps(void **state)
{
    struct made m = made_new();
    const int64_t pauses[] = {10, 300, 60, 900, 10, 150};
    for (int i = 0; i < 6; i++)
        range(&m, "call", 100, pauses[i]);
    expect(&m, STEPS_NONE, 1, "but irregular");
    trace_free(m.p.trace);
}

static void one_long_range_before_many_short_ones_is_no_regularity(void **state)
{
    struct made m = made_new();
    range(&m, "generate 0", 100000, 5);
    for (int i = 0; i < 20; i++)
        range(&m, "generate 1", 40, 2);
    expect(&m, STEPS_NONE, 1, "of about the same length");
    trace_free(m.p.trace);
}

/* Three calls of one model to two of another, in turns that never come again. */
static void two_interleaved_periods_are_no_steps(void **state)
{
    struct made m = made_new();
    int64_t next_a = 0, next_b = 50;
    for (int i = 0; i < 40; i++) {
        const bool a = next_a <= next_b;
        m.at_us = a ? next_a : next_b;
        range(&m, a ? "ranking" : "retrieval", 40, 0);
        next_a += a ? 100 : 0;
        next_b += a ? 0 : 161;
        next_a = next_a < m.at_us ? m.at_us : next_a;
        next_b = next_b < m.at_us ? m.at_us : next_b;
    }
    expect(&m, STEPS_NONE, 1, "in no order that repeats throughout");
    trace_free(m.p.trace);
}

static void layers_that_are_ranges_are_no_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 3; i++) {
        for (int layer = 0; layer < 6; layer++)
            range(&m, "layer", 100, 1);
        range(&m, "head", 20, 1);
    }
    expect(&m, STEPS_NONE, 1, "in no order that repeats throughout");
    trace_free(m.p.trace);
}

static void requests_on_several_threads_at_once_are_no_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 5; i++) {
        plant(&m.p, EVENT_ANNOTATION, planted_thread(&m.p, PLANTED_GLOO), "request", m.at_us + 50, 90);
        range(&m, "request", 95, 5);
    }
    expect(&m, STEPS_NONE, 1, "several run at once on different threads");
    trace_free(m.p.trace);
}

/* ---- the model, its graphs, its batches ---- */

static void calls_of_the_outermost_module_are_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 5; i++) {
        plant_host(&m.p, EVENT_PYTHON, "nn.Module: Net_0", m.at_us, 100);
        plant_host(&m.p, EVENT_PYTHON, "nn.Module: Linear_0", m.at_us + 10, 30);
        plant_host(&m.p, EVENT_PYTHON, "nn.Module: Linear_1", m.at_us + 50, 30);
        operator(&m, "aten::linear", 99);
    }
    expect(&m, STEPS_MODULES, 5, "5 calls of the model (`nn.Module: Net_0`)");
    trace_free(m.p.trace);
}

static void launches_of_one_graph_are_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 8; i++)
        graph(&m, "decode", 4, i % 2 ? 100 : 103);
    expect(&m, STEPS_GRAPHS, 7, "8 graph launches (`cudaGraphLaunch`), regular within");
    assert_int_equal(m.p.trace->steps[0].end_ns, 103000);
    assert_int_equal(trace_step_at(m.p.trace, m.p.trace->steps[6].end_ns), STEP_NONE);
    trace_free(m.p.trace);
}

/* Cut in pieces, one for each layer: the pieces repeat within a step, and more evenly than steps do. */
static void pieces_of_a_graph_make_one_step(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 4; i++) {
        graph(&m, "embedding", 2, 40);
        for (int layer = 0; layer < 12; layer++)
            graph(&m, "attention", 3, 100);
        graph(&m, "head", 2, 60);
    }
    expect(&m, STEPS_GRAPHS, 3, "56 graph launches");
    assert_int_equal(m.p.trace->steps[0].end_ns, 1300000);
    trace_free(m.p.trace);
}

static void pieces_of_a_single_step_are_no_steps(void **state)
{
    struct made m = made_new();
    graph(&m, "embedding", 2, 40);
    for (int layer = 0; layer < 12; layer++)
        graph(&m, "attention", 3, 100);
    graph(&m, "head", 2, 60);
    expect(&m, STEPS_NONE, 1, "14 graph launches (`cudaGraphLaunch`), in no order that repeats throughout");
    trace_free(m.p.trace);
}

static void batches_of_a_loader_are_steps(void **state)
{
    struct made m = made_new();
    const char *const odd[] = {"aten::a", "aten::b", "aten::c", "aten::d", "aten::e"};
    for (int i = 0; i < 5; i++) {
        plant_host(&m.p, EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", m.at_us, 10);
        m.at_us += 10;
        operator(&m, odd[i], 90);
    }
    expect(&m, STEPS_LOADER, 4, "batches of the DataLoader");
    trace_free(m.p.trace);
}

static void collectives_in_one_order_are_steps(void **state)
{
    struct made m = made_new();
    const char *const odd[] = {"aten::a", "aten::b", "aten::c", "aten::d", "aten::e", "aten::f"};
    for (int i = 0; i < 6; i++) {
        operator(&m, odd[i], 80);
        plant_host(&m.p, EVENT_ANNOTATION, "nccl:all_gather", m.at_us, 10);
        plant_host(&m.p, EVENT_ANNOTATION, "nccl:reduce_scatter", m.at_us + 12, 10);
        m.at_us += 30;
    }
    expect(&m, STEPS_COLLECTIVES, 5, "12 collectives (`nccl:all_gather`) in an order that repeats every 2");
    trace_free(m.p.trace);
}

/* ---- updates ---- */

static void launch(struct made *m, const char *kernel, int64_t us)
{
    const int64_t correlation = m->p.correlation++;
    plant_linked(&m->p, EVENT_RUNTIME, planted_thread(&m->p, PLANTED_MAIN), "cudaLaunchKernel", m->at_us, 5,
                 correlation);
    plant_linked(&m->p, EVENT_KERNEL, planted_stream(&m->p, 0, 7), kernel, m->at_us + 6, us - 8, correlation);
    m->at_us += us;
}

/* Work that is never the same, then an update of two kernels. */
static void step_with_update(struct made *m, int i)
{
    static const char *const odd[] = {"gemm", "softmax", "copy", "reduce", "gather", "scatter", "index"};
    for (int k = 0; k < 4; k++)
        launch(m, odd[(i * i + k * k * 3 + i * k) % 7], 100);
    launch(m, "multi_tensor_apply_kernel<Addcmul>", 10);
    launch(m, "multi_tensor_apply_kernel<Addcdiv>", 10);
}

static void updates_of_an_optimizer_are_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 8; i++)
        step_with_update(&m, i);
    expect(&m, STEPS_UPDATES, 7, "8 updates of an optimizer (`cudaLaunchKernel`), regular");
    trace_free(m.p.trace);
}

static void updates_of_a_first_step_that_sets_up_are_passed_over(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 8; i++) {
        step_with_update(&m, i);
        launch(&m, "fill", 10);
        launch(&m, "multi_tensor_apply_kernel<Lerp>", 10);
        launch(&m, "fill", 10);
        if (!i)
            launch(&m, "multi_tensor_apply_kernel<Scale>", 10);
    }
    expect(&m, STEPS_UPDATES, 7, "8 updates of an optimizer");
    trace_free(m.p.trace);
}

static void kernels_that_update_now_and_then_are_no_steps(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 8; i++) {
        step_with_update(&m, i);
        for (int k = 0; k < i * i; k++)
            launch(&m, "gemm", 100);
    }
    expect(&m, STEPS_NONE, 1, "updates of an optimizer");
    trace_free(m.p.trace);
}

/* ---- sequences of operators ---- */

static void step_of_operators(struct made *m, int layers)
{
    operator(m, "aten::embedding", 20);
    for (int i = 0; i < layers; i++) {
        operator(m, "aten::linear", 50);
        operator(m, "aten::relu", 20);
    }
    operator(m, "aten::cross_entropy", 30);
}

static void a_sequence_of_operators_that_comes_again_is_a_step(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 4; i++)
        step_of_operators(&m, 12);
    expect(&m, STEPS_OPERATORS, 4, "104 outermost operators (`aten::embedding`) in an order that repeats every 26");
    trace_free(m.p.trace);
}

static void layers_of_a_single_step_are_no_steps(void **state)
{
    struct made m = made_new();
    step_of_operators(&m, 100);
    expect(&m, STEPS_NONE, 1, "Nothing in the trace repeats as steps do");
    trace_free(m.p.trace);
}

static void operators_in_two_steps_are_one_piece(void **state)
{
    struct made m = made_new();
    step_of_operators(&m, 12);
    step_of_operators(&m, 12);
    expect(&m, STEPS_NONE, 1, "Nothing in the trace repeats as steps do");
    trace_free(m.p.trace);
}

static void one_operator_over_and_over_tells_no_step(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 50; i++)
        operator(&m, "aten::mm", 50);
    expect(&m, STEPS_NONE, 1, "Nothing in the trace repeats");
    trace_free(m.p.trace);
}

static void what_repeats_inside_of_one_range_is_a_layer(void **state)
{
    struct made m = made_new();
    plant_host(&m.p, EVENT_ANNOTATION, "forward", 0, 10000);
    for (int i = 0; i < 6; i++)
        step_of_operators(&m, 3);
    expect(&m, STEPS_NONE, 1, "all inside of one `forward`");
    trace_free(m.p.trace);
}

/* ---- marks come first ---- */

static void marks_win_over_all_that_repeats(void **state)
{
    struct made m = made_new();
    for (int i = 0; i < 4; i++) {
        plant_step(&m.p, i, m.at_us, 220);
        range(&m, "execute_model", 100, 5);
        range(&m, "execute_model", 100, 15);
    }
    expect(&m, STEPS_ANNOTATED, 4, "Steps are the ProfilerStep annotations: 4, regular within 0.1 %.");
    trace_free(m.p.trace);
}

static void an_optimizer_is_taken_at_any_spread(void **state)
{
    struct made m = made_new();
    const int64_t pauses[] = {10, 300, 60, 900, 10, 150};
    for (int i = 0; i < 6; i++) {
        plant_host(&m.p, EVENT_ANNOTATION, "Optimizer.step#SGD.step", m.at_us + 90, 9);
        range(&m, "train", 100, pauses[i]);
    }
    expect(&m, STEPS_OPTIMIZER, 5, "irregular");
    trace_free(m.p.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_vllm_are_steps_whatever_they_take),
        cmocka_unit_test(the_last_of_ranges_far_apart_is_no_whole_step),
        cmocka_unit_test(all_of_three_ranges_far_apart_are_steps),
        cmocka_unit_test(ranges_of_sglang_are_steps),
        cmocka_unit_test(layers_of_a_single_step_of_an_engine_are_no_steps),
        cmocka_unit_test(ranges_that_differ_by_numbers_are_steps),
        cmocka_unit_test(forward_and_backward_ranges_make_one_step),
        cmocka_unit_test(what_comes_twice_is_no_step),
        cmocka_unit_test(irregular_ranges_are_no_steps),
        cmocka_unit_test(one_long_range_before_many_short_ones_is_no_regularity),
        cmocka_unit_test(two_interleaved_periods_are_no_steps),
        cmocka_unit_test(layers_that_are_ranges_are_no_steps),
        cmocka_unit_test(requests_on_several_threads_at_once_are_no_steps),
        cmocka_unit_test(calls_of_the_outermost_module_are_steps),
        cmocka_unit_test(launches_of_one_graph_are_steps),
        cmocka_unit_test(pieces_of_a_graph_make_one_step),
        cmocka_unit_test(pieces_of_a_single_step_are_no_steps),
        cmocka_unit_test(batches_of_a_loader_are_steps),
        cmocka_unit_test(collectives_in_one_order_are_steps),
        cmocka_unit_test(updates_of_an_optimizer_are_steps),
        cmocka_unit_test(updates_of_a_first_step_that_sets_up_are_passed_over),
        cmocka_unit_test(kernels_that_update_now_and_then_are_no_steps),
        cmocka_unit_test(a_sequence_of_operators_that_comes_again_is_a_step),
        cmocka_unit_test(layers_of_a_single_step_are_no_steps),
        cmocka_unit_test(operators_in_two_steps_are_one_piece),
        cmocka_unit_test(one_operator_over_and_over_tells_no_step),
        cmocka_unit_test(what_repeats_inside_of_one_range_is_a_layer),
        cmocka_unit_test(marks_win_over_all_that_repeats),
        cmocka_unit_test(an_optimizer_is_taken_at_any_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
