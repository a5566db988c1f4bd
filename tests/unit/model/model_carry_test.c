/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices are alike: what kernels a library has for them goes by generation. */
#include "hw/catalogue.h"
#include "model/estimate/carry.h"
#include "model/estimate/generation.h"
#include "model/estimate/models.h"
#include "model/families/families.h"
#include "model/estimate/interval.h"
#include "model_case.h"

static double distance(const char *one, const char *other)
{
    const struct hardware a = device(one), b = device(other);
    return hardware_distance(&a, &b, false);
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

/* In each figure that tells of one, alone. */
static void every_figure_makes_a_distance(void **state)
{
    static const enum hw_key keys[] = {HW_MEMORY_RATE, HW_L2_BYTES, HW_POWER, HW_FP32};
    const struct hardware a = device("NVIDIA A100-SXM4-80GB");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct hardware b = a;
        b.figure[keys[i]] *= 2;
        assert_true(hardware_distance(&a, &b, false) > 0.2);
    }
    struct hardware more = a;
    more.figure[HW_FP32] *= 2;
    const double intenser = hardware_distance(&a, &more, false);
    more.figure[HW_MEMORY_RATE] *= 2; /* as many FLOP for each byte again */
    assert_true(hardware_distance(&a, &more, false) < 2 * intenser);
}

static void another_vendor_is_never_near(void **state)
{
    const struct hardware a = device("NVIDIA A100-SXM4-80GB");
    struct hardware b = a;
    b.name = S("AMD of the same figures");
    assert_true(hardware_distance(&a, &b, false) > distance("Tesla T4", "Tesla V100-PCIE-32GB"));
}

static void links_count_where_kernels_go_over_them(void **state)
{
    const struct hardware h100 = device("H100"), h800 = device("H800");
    assert_true(hardware_distance(&h100, &h800, false) == 0);
    assert_true(hardware_distance(&h100, &h800, true) > 0.5);
}

/* What is carried farther than devices were left out from is in more doubt. */
static void intervals_widen_with_the_distance(void **state)
{
    const struct kernel product = {.form = FORM_BMM, .dtype = DTYPE_F32, .product = {8, 512, 512, 512}};
    struct hardware hardware = device("Tesla T4");
    hardware.name = S("NVIDIA of nobody");
    hardware.figure[HW_SHARED_BYTES_PER_SM] *= 1.5; /* not the same chip */
    const struct estimate near = estimate_on(&hardware, product);
    hardware.figure[HW_POWER] *= 50;
    hardware.figure[HW_SHARED_BYTES_PER_SM] *= 50;
    const struct estimate far = estimate_on(&hardware, product);
    hardware.name = S("Somebody of nobody");
    const struct estimate strange = estimate_on(&hardware, product);
    assert_true(far.shared > 1.2 * near.shared);
    assert_true(strange.shared > far.shared && strange.shared <= 2.01 * near.shared);
}

static double held_us(const struct group_model *group, const char *name, const struct kernel *kernel,
                      const struct hardware *on)
{
    const struct family *family = family_of_kernel(kernel, on);
    for (uint32_t i = 0; i < group->held_count; i++)
        if (str_eq(group->held[i].hardware.name, device(name).name))
            return set_us(family, &group->held[i], on, kernel, false);
    fail_msg("%s is not carried", name);
    return 0;
}

/* A board of Turing is told by V100 and T4 alike, one of Hopper by the H200 alone. */
static void the_nearest_generation_answers_together(void **state)
{
    const struct kernel kernel = {.form = FORM_BMM, .dtype = DTYPE_F32, .product = {16, 512, 512, 512}};
    const struct family *family = kernel_family_of_name(S("gemm"));
    const struct group_model *group = coefficients_group(models_family(models_new(&arena), family), S("bmm"));
    const struct hardware turing = device("NVIDIA GeForce RTX 2080 Ti"), hopper = device("NVIDIA H20");
    assert_int_equal(group->carry, CARRY_NEAREST_GENERATION);
    const double both =
        sqrt(held_us(group, "Tesla V100-PCIE-32GB", &kernel, &turing) * held_us(group, "Tesla T4", &kernel, &turing));
    const double last = held_us(group, "NVIDIA H200 SXM 141GB", &kernel, &hopper);
    assert_true(fabs(us_on("NVIDIA GeForce RTX 2080 Ti", kernel) / both - 1) < 1e-9);
    assert_true(fabs(us_on("NVIDIA H20", kernel) / last - 1) < 1e-9);
}

/* A device is not asked for itself: where its sibling is out, too, the next generation answers. */
static void a_device_that_is_left_out_is_not_asked(void **state)
{
    const struct kernel kernel = {.form = FORM_BMM, .dtype = DTYPE_F32, .product = {16, 512, 512, 512}};
    const struct family *family = kernel_family_of_name(S("gemm"));
    const struct group_model *group = coefficients_group(models_family(models_new(&arena), family), S("bmm"));
    const struct hardware t4 = device("Tesla T4");
    const double us = nearest_generation_us(family, group->held, group->held_count, &t4, &kernel, t4.name);
    assert_true(fabs(us / held_us(group, "Tesla V100-PCIE-32GB", &kernel, &t4) - 1) < 1e-9);
    assert_true(nearest_generation_us(family, group->held, 0, &t4, &kernel, S("")) == 0);
}

/* Which set a device is given is kept; a board of the same name with another figure is another device. */
static void a_known_device_is_given_the_same_set(void **state)
{
    const struct family *family = kernel_family_of_name(S("gemm"));
    const struct group_model *group = coefficients_group(models_family(models_new(&arena), family), S("bmm"));
    struct group_model forgetful = *group;
    forgetful.known = NULL;
    assert_non_null(group->known);
    const struct hardware catalogued = device("NVIDIA H20");
    struct hardware changed = catalogued;
    changed.figure[HW_FP8] = changed.figure[HW_TF32] = 0;
    const struct hardware *const asked[] = {&catalogued, &changed, &catalogued, &changed};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct kin kept, found;
        const struct coefficient_set *set = coefficients_for(group, asked[i], &kept);
        assert_ptr_equal(set, coefficients_for(&forgetful, asked[i], &found));
        assert_true(kept.kinship == found.kinship && kept.distance == found.distance);
        assert_true(kept.stranger == found.stranger && kept.learned == found.learned);
    }
    struct kin one, other;
    coefficients_for(group, &catalogued, &one);
    coefficients_for(group, &changed, &other);
    assert_true(one.distance != other.distance);
}

static void a_vendor_is_the_first_word(void **state)
{
    assert_true(same_vendor(S("NVIDIA H20"), S("NVIDIA B200")) && same_vendor(S("NVIDIA"), S("NVIDIA B200")));
    assert_false(same_vendor(S("NVIDIA H20"), S("NVIDIAN H20")) || same_vendor(S("AMD MI300X"), S("NVIDIA H20")));
    assert_false(same_vendor(S(""), S("NVIDIA H20")));
    assert_true(same_vendor(S(""), S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generation_is_nearer_than_a_size),
        cmocka_unit_test(narrow_boards_have_their_generation),
        cmocka_unit_test(a_device_is_like_itself),
        cmocka_unit_test(the_nearest_generation_answers_together),
        cmocka_unit_test(a_device_that_is_left_out_is_not_asked),
        cmocka_unit_test(every_figure_makes_a_distance),
        cmocka_unit_test(another_vendor_is_never_near),
        cmocka_unit_test(a_known_device_is_given_the_same_set),
        cmocka_unit_test(a_vendor_is_the_first_word),
        cmocka_unit_test(links_count_where_kernels_go_over_them),
        cmocka_unit_test(intervals_widen_with_the_distance),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
