/* SPDX-License-Identifier: Apache-2.0 */
/* What power must do whatever its coefficients are: nearly all boards that it is told of were never measured. */
#include "model_case.h"

#include "hw/catalogue.h"
#include "model/estimate/energy.h"

static struct estimate watts_on(const struct hardware *hardware, struct kernel kernel, double us)
{
    struct estimate watts;
    assert_true(models_watts(models, hardware, &kernel, us, &watts));
    return watts;
}

/* Some of each group. */
static const struct kernel kernels[] = {
    {.form = FORM_LINEAR, .dtype = DTYPE_BF16, .product = {1, 4096, 4096, 4096}},
    {.form = FORM_LINEAR, .dtype = DTYPE_F32, .product = {1, 4096, 4096, 4096}},
    {.form = FORM_ATTENTION,
     .dtype = DTYPE_F16,
     .attention = {.batch = 8, .heads = 32, .queries = 1, .keys = 8192, .width = 128, .causal = 1}},
    {.form = FORM_ATTENTION,
     .dtype = DTYPE_F16,
     .attention = {.batch = 8, .heads = 32, .queries = 2048, .keys = 2048, .width = 128, .causal = 1}},
    {.form = FORM_ATTENTION,
     .dtype = DTYPE_F16,
     .attention = {.batch = 8, .heads = 32, .queries = 2048, .keys = 2048, .width = 64}},
    {.form = FORM_ELEMENTWISE, .dtype = DTYPE_F16, .elements = {.rows = 8192, .cols = 8192, .accesses = 3}},
    {.form = FORM_BYTES, .dtype = DTYPE_F32, .moved = {.bytes = 1 << 26}},
    {.form = FORM_COLLECTIVE, .dtype = DTYPE_F16, .collective = {1, 1 << 26, 8, 8}},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* The longer it takes for the same work, the less it draws, down to a board that has next to nothing to do. */
static void check_sane(const struct hardware *hardware, const struct kernel *kernel, double idle_w)
{
    const double board = hardware->figure[HW_POWER];
    double before = board;
    for (double us = 20; us < 1e8; us *= 1.7) {
        struct estimate watts;
        if (!models_watts(models, hardware, kernel, us, &watts))
            return; /* no arithmetic of that type there */
        if (watts.us > before * 1.0001 || watts.us > board || watts.us < 0.8 * idle_w)
            fail_msg("%.*s, form %d: %.1f W in %.0f us, %.1f W in less, %.1f idle", (int)hardware->name.len,
                     hardware->name.at, kernel->form, watts.us, us, before, idle_w);
        before = watts.us;
    }
}

/* Of all devices that have a power in the catalogue but the measured ones, where what was learned of their rows is added. */
static void watts_lie_between_idle_and_the_board_and_fall_with_use(void **state)
{
    const struct catalogue *catalogue = catalogue_built_in();
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *hardware = catalogue_gpu_at(catalogue, i);
        const double board = hardware->figure[HW_POWER];
        struct estimate idle;
        if (board <= 0 || str_ends(hardware->name, S("B200")))
            continue;
        assert_true(models_idle_watts(models, hardware, &idle));
        if (idle.us < 0.05 * board || idle.us > 0.4 * board)
            fail_msg("%.*s: %.1f W of %.0f idle", (int)hardware->name.len, hardware->name.at, idle.us, board);
        for (int k = 0; k < KERNELS; k++)
            check_sane(hardware, &kernels[k], idle.us);
    }
}

static void joules_are_watts_times_time(void **state)
{
    const struct hardware h100 = device("NVIDIA H100 80GB HBM3");
    const struct estimate time = estimate_on(&h100, kernels[0]), watts = watts_on(&h100, kernels[0], time.us);
    const struct joules joules = kernel_joules(&time, &watts, &h100, 0.9),
                        narrow = kernel_joules(&time, &watts, &h100, 0.5);
    assert_true(fabs(joules.joules / (watts.us * time.us * 1e-6) - 1) < 1e-12);
    assert_true(joules.low < narrow.low && narrow.low < joules.joules);
    assert_true(joules.joules < narrow.high && narrow.high < joules.high);
    struct energy_sum sum = {0};
    for (int i = 0; i < 10; i++)
        energy_sum_add(&sum, &time, &watts, time.us, 0);
    assert_true(fabs(energy_sum_joules(&sum, 0.9).joules / joules.joules - 10) < 1e-9);
}

/* Whatever coefficients say, in so long a time a board takes no more than its power. */
static void no_interval_goes_beyond_the_board(void **state)
{
    const struct hardware h100 = device("NVIDIA H100 80GB HBM3");
    const struct estimate time = {.us = 1e6}, watts = {.us = 690, .shared = 1, .own = 1};
    const struct joules joules = kernel_joules(&time, &watts, &h100, 0.9);
    assert_true(joules.high <= 1.02 * 700 + 1e-9 && joules.low >= 0.1 * 700 - 1e-9);
    assert_true(joules.low < 200);
}

static void where_no_power_was_measured_it_is_carried_and_wider(void **state)
{
    const struct hardware b200 = device("NVIDIA B200"), b300 = device("NVIDIA B300"),
                          a100 = device("NVIDIA A100-SXM4-80GB"), mi300 = device("AMD Instinct MI300X");
    struct kernel told = kernels[0];
    told.library = LIBRARY_VLLM;
    const struct estimate own = watts_on(&b200, told, 200), near = watts_on(&b300, told, 200),
                          far = watts_on(&a100, told, 1000), stranger = watts_on(&mi300, told, 300);
    assert_int_equal(own.basis, BASIS_MEASURED);
    assert_int_equal(near.basis, BASIS_CARRIED);
    assert_int_equal(far.basis, BASIS_CARRIED);
    assert_true(estimate_sd(&own) < estimate_sd(&near) && estimate_sd(&near) < estimate_sd(&far));
    assert_true(estimate_sd(&far) < estimate_sd(&stranger));
    assert_int_equal(watts_on(&b200, kernels[1], 2000).basis, BASIS_ANALYTIC); /* single precision */
    assert_int_equal(watts_on(&b200, kernels[7], 200).basis, BASIS_ANALYTIC);  /* links */
}

static void a_device_without_a_power_has_none(void **state)
{
    struct hardware none = device("NVIDIA B200");
    struct estimate watts;
    none.figure[HW_POWER] = 0;
    assert_false(models_watts(models, &none, &kernels[0], 200, &watts));
    assert_false(models_idle_watts(models, &none, &watts));
    assert_false(models_unknown_watts(models, &none, &watts));
    assert_true(isnan(energy_sum_joules(&(struct energy_sum){0}, 0.9).joules));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watts_lie_between_idle_and_the_board_and_fall_with_use),
        cmocka_unit_test(joules_are_watts_times_time),
        cmocka_unit_test(no_interval_goes_beyond_the_board),
        cmocka_unit_test(where_no_power_was_measured_it_is_carried_and_wider),
        cmocka_unit_test(a_device_without_a_power_has_none),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
