/* SPDX-License-Identifier: Apache-2.0 */
/* What of a lone call is the host's: told apart from the kernel, and in doubt as hosts are. */
#include "model/estimate/interval.h"
#include "model/estimate/launch.h"
#include "model/families/families.h"
#include "model_case.h"

static struct kernel add(int64_t rows, bool alone)
{
    return (struct kernel){.form = FORM_ELEMENTWISE,
                           .dtype = DTYPE_F32,
                           .variant = S("add"),
                           .alone = alone,
                           .elements = {.rows = rows, .cols = 1024, .accesses = 3}};
}

static struct kernel odd(int64_t size, bool alone)
{
    return (struct kernel){
        .form = FORM_LINEAR, .dtype = DTYPE_BF16, .alone = alone, .product = {1, size, size + 1, size}};
}

static double factor(struct estimate estimate)
{
    double low, high;
    estimate_interval(&estimate, 0.9, &low, &high);
    return high / estimate.us;
}

static void a_lone_call_is_its_kernel_and_a_launch(void **state)
{
    const struct hardware hardware = device("NVIDIA L4");
    const struct kernel lone[] = {add(16, true), odd(64, true)}, queued[] = {add(16, false), odd(64, false)};
    for (int i = 0; i < 2; i++) {
        const struct estimate one = estimate_on(&hardware, lone[i]), other = estimate_on(&hardware, queued[i]);
        assert_true(one.launch_us > 10 && one.launch_us < one.us);
        assert_true(fabs(one.us - one.launch_us - other.us) < 0.05 * one.us);
        assert_true(other.launch_us == 0);
    }
}

/* A host that nobody measured launches as those did that were: 13 to 58 us. */
static void a_short_lone_call_is_in_doubt_as_hosts_are(void **state)
{
    const struct hardware l4 = device("NVIDIA L4"), measured = device("NVIDIA T4");
    const double far = factor(estimate_on(&l4, add(16, true)));
    assert_true(far > 1.7 && far < 2.6);
    assert_true(factor(estimate_on(&measured, add(16, true))) < 1.3);
}

/* Of 100 ms the launch is next to nothing. */
static void a_long_one_is_not(void **state)
{
    const struct hardware l4 = device("NVIDIA L4");
    const double lone = factor(estimate_on(&l4, add(1 << 21, true))),
                 queued = factor(estimate_on(&l4, add(1 << 21, false)));
    assert_true(fabs(lone - queued) < 0.02);
}

/* The launch is known better than a kernel of which nothing was ever measured. */
static void a_launch_narrows_what_is_analytic(void **state)
{
    const struct hardware hardware = device("NVIDIA L4");
    struct kernel kernel = {
        .form = FORM_TRANSPOSE, .dtype = DTYPE_F32, .variant = S(""), .alone = true, .transpose = {1, 16, 16}};
    const double lone = factor(estimate_on(&hardware, kernel));
    kernel.alone = false;
    assert_true(lone < 2.2 && factor(estimate_on(&hardware, kernel)) > 2.9);
}

/* Gradients go through autograd, which takes the host several launches. */
static void a_gradient_takes_several_launches(void **state)
{
    const struct hardware hardware = device("NVIDIA L4");
    struct kernel kernel = {.form = FORM_DROPOUT,
                            .dtype = DTYPE_F32,
                            .variant = S(""),
                            .alone = true,
                            .elements = {.rows = 16, .cols = 16, .accesses = 2}};
    const double forward = estimate_on(&hardware, kernel).us;
    kernel.backward = true;
    const double backward = estimate_on(&hardware, kernel).us;
    assert_true(backward > 3 * forward);
    kernel.alone = false;
    assert_true(estimate_on(&hardware, kernel).us < forward);
}

/* What no table of lone calls shows, and all kernels have alike. */
static void the_shortest_kernels_of_a_queue_are_in_doubt(void **state)
{
    const struct hardware measured = device("NVIDIA T4");
    const struct estimate shortest = estimate_on(&measured, add(1, false)),
                          longest = estimate_on(&measured, add(1 << 20, false));
    assert_true(factor(shortest) > 2.4);
    assert_true(factor(longest) < 1.2);
    assert_true(shortest.shared > shortest.own);
}

/* They take longer on AMD, so a kernel of 8 us is half floor there, and a third elsewhere. */
static void short_kernels_of_amd_are_in_more_doubt(void **state)
{
    const struct hardware amd = device("AMD Instinct MI300X"), nvidia = device("NVIDIA T4");
    const struct kernel kernel = add(1, false);
    const struct family *const family = family_of_kernel(&kernel, &nvidia);
    const struct estimate estimate = {.us = 8};
    const double on_amd = launch_doubt(family, &amd, &kernel, &estimate),
                 elsewhere = launch_doubt(family, &nvidia, &kernel, &estimate);
    assert_true(fabs(on_amd - log1p(4. / 8 * 1.5)) < 1e-9);
    assert_true(fabs(elsewhere - log1p(2.5 / 8 * 1.5)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_call_is_its_kernel_and_a_launch),
        cmocka_unit_test(a_short_lone_call_is_in_doubt_as_hosts_are),
        cmocka_unit_test(a_long_one_is_not),
        cmocka_unit_test(a_launch_narrows_what_is_analytic),
        cmocka_unit_test(a_gradient_takes_several_launches),
        cmocka_unit_test(the_shortest_kernels_of_a_queue_are_in_doubt),
        cmocka_unit_test(short_kernels_of_amd_are_in_more_doubt),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
