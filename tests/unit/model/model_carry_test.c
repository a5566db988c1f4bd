/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices are alike: what kernels a library has for them goes by generation. */
#include "hw/catalogue.h"
#include "model/estimate/carry.h"
#include "model_case.h"

static double distance(const char *one, const char *other)
{
    const struct hardware a = device(one), b = device(other);
    return hardware_distance(&a, &b);
}

/* The names of their kernels in public tables: maxwell_ on P4 and P100, volta_ on V100 and T4. */
static void a_generation_is_nearer_than_a_size(void **state)
{
    assert_true(distance("Tesla V100-PCIE-32GB", "Tesla T4") <
                distance("Tesla V100-PCIE-32GB", "Tesla P100-PCIE-16GB"));
    assert_true(distance("Tesla P100-PCIE-16GB", "Tesla P4") <
                distance("Tesla P100-PCIE-16GB", "Tesla V100-PCIE-32GB"));
}

/* Boards for players have a generation too, though their matrix units are fewer. */
static void narrow_boards_have_their_generation(void **state)
{
    const char *const ampere = "NVIDIA A100-PCIE-40GB", *const volta = "Tesla V100-PCIE-32GB",
                      *const hopper = "NVIDIA H20";
    assert_true(distance("NVIDIA GeForce RTX 3090", ampere) < distance("NVIDIA GeForce RTX 3090", volta));
    assert_true(distance("NVIDIA GeForce RTX 4090", hopper) < distance("NVIDIA GeForce RTX 4090", volta));
}

static void a_device_is_like_itself(void **state)
{
    assert_true(distance("Tesla T4", "Tesla T4") == 0);
    assert_true(distance("Tesla T4", "NVIDIA B200") == distance("NVIDIA B200", "Tesla T4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generation_is_nearer_than_a_size),
        cmocka_unit_test(narrow_boards_have_their_generation),
        cmocka_unit_test(a_device_is_like_itself),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
