/* SPDX-License-Identifier: Apache-2.0 */
/* The largest kernels of a rank, with the durations of their launches in bins, and what a sketch holds of them. */
#include "unit/cmocka_first.h"

#include "sketch/numbers/kernels_sketch.h"
#include "unit/planted.h"

static void bins_hold_what_is_put_in(void **state)
{
    for (uint32_t bin = 0; bin < LOG_BINS; bin++) {
        assert_int_equal(log_bin_of(log_bin_low(bin)), bin);
        assert_int_equal(log_bin_of(log_bin_low(bin + 1) - (bin + 1 < LOG_BINS)), bin);
    }
    assert_int_equal(log_bin_of(INT64_MAX), LOG_BINS - 1);
}

static void a_quantile_is_off_by_an_eighth_at_most(void **state)
{
    uint64_t bins[LOG_BINS] = {0};
    assert_int_equal(log_bins_quantile(bins, 0.5), 0);
    for (int64_t ns = 1; ns <= 1000; ns++)
        bins[log_bin_of(ns * 1000)]++;
    for (int64_t ns = 10; ns <= 990; ns += 10)
        assert_in_range((uint64_t)log_bins_quantile(bins, (double)ns / 1000), ns * 875, ns * 1125);
}

/* Kernels k0 to k9, which take 10 to 100 us, twice each; the second takes 1 us longer. Copies and all-reduces do not count. */
static struct trace *planted_trace(void)
{
    struct planted p = planted_new();
    plant_step(&p, 0, 0, 10000);
    for (int i = 0; i < 20; i++) {
        char name[] = "k0";
        name[1] = (char)('0' + i % 10);
        plant_linked(&p, EVENT_RUNTIME, planted_thread(&p, PLANTED_MAIN), "cudaLaunchKernel", i * 300, 5, i + 1);
        plant_linked(&p, EVENT_KERNEL, planted_stream(&p, 0, 7), name, i * 300 + 10, 10 * (i % 10 + 1) + i / 10, i + 1);
    }
    plant_linked(&p, EVENT_KERNEL, planted_stream(&p, 0, 8), "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 7000, 900, 98);
    plant_linked(&p, EVENT_COPY, planted_stream(&p, 0, 7), "Memcpy HtoD (Pinned -> Device)", 8000, 900, 99);
    trace_finish(p.trace);
    return p.trace;
}

static void check(const struct kernel_times *times)
{
    assert_int_equal(times->count, KERNEL_TIMES_MOST);
    assert_true(str_eq(times->at[0].name, S("k9")) && str_eq(times->at[7].name, S("k2")));
    for (uint32_t i = 0; i < times->count; i++) {
        const struct kernel_time *time = &times->at[i];
        uint64_t bins[LOG_BINS] = {0};
        const int64_t ns = 1000 * (100 - 10 * (int64_t)i);
        assert_int_equal(time->count, 2);
        assert_int_equal(time->least_ns, ns);
        assert_int_equal(time->most_ns, ns + 1000);
        assert_int_equal(time->total_ns, 2 * ns + 1000);
        log_bins_add(&time->bins, bins);
        bins[log_bin_of(ns)]--;
        bins[log_bin_of(ns + 1000)]--;
        for (uint32_t bin = 0; bin < LOG_BINS; bin++)
            assert_int_equal(bins[bin], 0);
    }
}

static void the_largest_are_kept_and_read_again(void **state)
{
    struct arena arena = {0};
    struct kernel_times again;
    struct trace *trace = planted_trace();
    const struct kernel_times times =
        kernel_times_of(trace, work_classes_new(trace, &arena), &(struct selection){0}, &arena);
    trace_free(trace);
    check(&times);
    const struct sketch sketch = {.sections[SKETCH_KERNELS] = kernels_sketch_write(&times, &arena)};
    assert_true(kernels_sketch_read(&sketch, &arena, &again, NULL));
    check(&again);
    arena_free(&arena);
}

static void a_sketch_of_an_earlier_program_has_none(void **state)
{
    struct arena arena = {0};
    struct kernel_times times;
    assert_true(kernels_sketch_read(&(struct sketch){0}, &arena, &times, NULL));
    assert_int_equal(times.count, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_hold_what_is_put_in),
        cmocka_unit_test(a_quantile_is_off_by_an_eighth_at_most),
        cmocka_unit_test(the_largest_are_kept_and_read_again),
        cmocka_unit_test(a_sketch_of_an_earlier_program_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
