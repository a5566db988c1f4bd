/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep against the slow way: every union and difference that it gives is worked out again with sets of spans. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/span.h"
#include "breakdown/parts/sweep.h"
#include "unit/planted.h"

enum { CLASSES = 3, EVENTS = 60, WINDOW_START = 50 * 1000, WINDOW_END = 450 * 1000 };

struct sums {
    int64_t at_ns;
    int64_t active[CLASSES], exposed[CLASSES]; /* exposed: no class of less number is at work */
    int64_t idle;
    const struct trace *trace;
};

static void take(void *context, const struct sweep_piece *piece)
{
    struct sums *sums = context;
    const int64_t ns = piece->end_ns - piece->start_ns;
    assert_int_equal(piece->start_ns, sums->at_ns); /* no gap between pieces */
    assert_true(ns > 0);
    sums->at_ns = piece->end_ns;
    for (int c = 0; c < CLASSES; c++)
        if (piece->active >> c & 1) {
            sums->active[c] += ns;
            const uint32_t owner = piece->owner[c];
            assert_true(sums->trace->start_ns[owner] <= piece->start_ns &&
                        trace_end_ns(sums->trace, owner) >= piece->end_ns);
        }
    if (piece->active)
        sums->exposed[__builtin_ctz(piece->active)] += ns;
    else
        sums->idle += ns;
    if (!piece->active && piece->next != ROW_NONE)
        assert_true(sums->trace->start_ns[piece->next] >= piece->end_ns); /* later where the window cuts the gap */
}

static struct spans spans_of(const struct trace *trace, struct rows rows, const uint8_t *class_of, int c)
{
    struct spans all = {0}, window = {0}, inside = {0};
    for (uint32_t i = 0; i < rows.count; i++)
        if (class_of[i] == c)
            spans_add(&all, trace->start_ns[rows.at[i]], trace_end_ns(trace, rows.at[i]));
    spans_tidy(&all);
    spans_add(&window, WINDOW_START, WINDOW_END);
    spans_and(&all, &window, &inside);
    spans_free(&window);
    spans_free(&all);
    return inside;
}

static void compare(const struct sums *sums, const struct trace *trace, struct rows rows, const uint8_t *class_of)
{
    struct spans covered = {0};
    for (int c = 0; c < CLASSES; c++) {
        struct spans set = spans_of(trace, rows, class_of, c), rest = {0}, joined = {0};
        spans_minus(&set, &covered, &rest);
        spans_union(&set, &covered, &joined);
        assert_int_equal(sums->active[c], spans_length(&set));
        assert_int_equal(sums->exposed[c], spans_length(&rest));
        spans_free(&covered);
        spans_free(&set);
        spans_free(&rest);
        covered = joined;
    }
    assert_int_equal(sums->idle, WINDOW_END - WINDOW_START - spans_length(&covered));
    spans_free(&covered);
}

static void one_random_device(unsigned seed)
{
    struct planted p = planted_new();
    struct arena arena = {0};
    srand(seed);
    for (int i = 0; i < EVENTS; i++)
        plant(&p, EVENT_KERNEL, planted_stream(&p, 0, 1 + rand() % 3), "k", rand() % 500, rand() % (seed % 2 ? 5 : 60));
    plant(&p, EVENT_KERNEL, planted_stream(&p, 0, 1), "first", 0, 1);
    trace_finish(p.trace);
    const struct rows rows = trace_device_work(p.trace, &arena, 0);
    uint8_t *class_of = arena_alloc(&arena, rows.count);
    for (uint32_t i = 0; i < rows.count; i++)
        class_of[i] = (uint8_t)(rand() % 4 == 3 ? SWEEP_IGNORED : rand() % CLASSES);
    struct sums sums = {.at_ns = WINDOW_START, .trace = p.trace};
    sweep(p.trace, rows, class_of, WINDOW_START, WINDOW_END, take, &sums);
    assert_int_equal(sums.at_ns, WINDOW_END);
    compare(&sums, p.trace, rows, class_of);
    arena_free(&arena);
    trace_free(p.trace);
}

static void pieces_agree_with_sets_of_spans(void **state)
{
    for (unsigned seed = 1; seed <= 300; seed++)
        one_random_device(seed);
}

static void take_last(void *context, const struct sweep_piece *piece)
{
    *(struct sweep_piece *)context = *piece;
}

static void an_event_of_no_length_ends_a_gap(void **state)
{
    struct planted p = planted_new();
    struct arena arena = {0};
    plant(&p, EVENT_KERNEL, planted_stream(&p, 0, 1), "a", 0, 10);
    const uint32_t point = plant(&p, EVENT_KERNEL, planted_stream(&p, 0, 1), "point", 20, 0);
    trace_finish(p.trace);
    struct sweep_piece last;
    sweep(p.trace, trace_device_work(p.trace, &arena, 0), (const uint8_t[]){0, 0}, 0, 20 * 1000, take_last, &last);
    assert_int_equal(last.active, 0);
    assert_int_equal(last.next, point); /* the window cuts the gap, which keeps its end */
    sweep(p.trace, trace_device_work(p.trace, &arena, 0), (const uint8_t[]){0, 0}, 0, 30 * 1000, take_last, &last);
    assert_int_equal(last.start_ns, 20 * 1000);
    assert_int_equal(last.previous, point);
    arena_free(&arena);
    trace_free(p.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_agree_with_sets_of_spans),
        cmocka_unit_test(an_event_of_no_length_ends_a_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
