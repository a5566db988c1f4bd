/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of recurrent layers. */
#include "model/estimate/interval.h"
#include "model_case.h"

static struct kernel layer(int64_t batch, int64_t steps, int64_t units, int64_t gates)
{
    return (struct kernel){
        .form = FORM_RECURRENT,
        .dtype = DTYPE_F32,
        .recurrent = {.batch = batch, .steps = steps, .units = units, .gates = gates, .width = units}};
}

static const char *const devices[] = {"V100", "T4", "A100", "H100", "MI300X"};
enum { DEVICES = sizeof devices / sizeof *devices };

static void each_step_waits_for_the_one_before(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int64_t units = 64; units <= 2048; units *= 2) {
            const double one = us_on(devices[i], layer(16, 100, units, 4)),
                         ten = us_on(devices[i], layer(16, 1000, units, 4));
            assert_in_range(100 * ten / one, 900, 1010);
        }
}

static void more_of_anything_takes_no_less(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const double usual = us_on(devices[i], layer(64, 50, 1024, 3));
        assert_true(us_on(devices[i], layer(128, 50, 1024, 3)) >= usual);
        assert_true(us_on(devices[i], layer(64, 50, 1024, 4)) >= usual);
        assert_true(us_on(devices[i], layer(64, 50, 2048, 3)) > usual);
        struct kernel projected = layer(64, 50, 1024, 3);
        projected.recurrent.width = 128;
        assert_true(us_on(devices[i], projected) < usual);
    }
}

/* Of a small layer the weights stay in registers, but not where sequences differ in length. */
static void small_layers_are_one_kernel(void **state)
{
    struct kernel small = layer(32, 100, 128, 4), packed = small;
    packed.recurrent.packed = 1;
    assert_true(us_on("H100", small) < 0.6 * us_on("H100", packed));
}

static double factor_of(const char *name, struct kernel kernel)
{
    const struct hardware hardware = device(name);
    const struct estimate estimate = estimate_on(&hardware, kernel);
    double low, high;
    estimate_interval(&estimate, 0.9, &low, &high);
    return high / estimate.us;
}

/* Four boards were measured, of three chips, with libraries of before: elsewhere little is known. */
static void few_measurements_leave_much_doubt(void **state)
{
    const struct hardware v100 = device("V100"), h100 = device("H100");
    const struct kernel usual = layer(32, 100, 1024, 4);
    assert_int_equal(estimate_on(&v100, usual).basis, BASIS_MEASURED);
    assert_int_equal(estimate_on(&h100, usual).basis, BASIS_CARRIED);
    assert_int_equal(estimate_on(&h100, layer(32, 100, 128, 4)).basis, BASIS_ANALYTIC);
    assert_true(factor_of("V100", usual) > 1.4 && factor_of("H100", usual) > 2.5);
    assert_true(factor_of("H100", layer(32, 100, 128, 4)) > 2.9);
}

static void libraries_of_before_were_slower_to_begin_a_step(void **state)
{
    struct kernel before = layer(16, 100, 512, 4);
    const double now = us_on("V100", before);
    before.library = LIBRARY_CUDNN;
    before.version = version_of_word(S("7.6"));
    assert_true(us_on("V100", before) > now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_waits_for_the_one_before),
        cmocka_unit_test(more_of_anything_takes_no_less),
        cmocka_unit_test(small_layers_are_one_kernel),
        cmocka_unit_test(few_measurements_leave_much_doubt),
        cmocka_unit_test(libraries_of_before_were_slower_to_begin_a_step),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
