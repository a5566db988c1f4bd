/* SPDX-License-Identifier: Apache-2.0 */
/* What is carried where generations are told apart: to a sibling with what was learned, else the mean of generations. */
#include "model_case.h"

#include "model/estimate/generation.h"
#include "model/estimate/models.h"
#include "model/families/families.h"

static struct kernel product_of_16_bits(void)
{
    return (struct kernel){
        .form = FORM_LINEAR, .dtype = DTYPE_BF16, .library = LIBRARY_VLLM, .product = {1, 512, 4096, 4096}};
}

static const struct group_model *half(void)
{
    return coefficients_group(models_family(models, kernel_family_of_name(S("gemm_matrix"))), S("half"));
}

static bool alike(const char *a, const char *b)
{
    const struct hardware one = device(a), other = device(b);
    assert_true(hardware_same_generation(&one, &other) == hardware_same_generation(&other, &one));
    return hardware_same_generation(&one, &other);
}

static void generations_are_told_by_units_and_threads(void **state)
{
    assert_true(alike("NVIDIA B200", "NVIDIA GB200") && alike("NVIDIA B200", "NVIDIA GB300"));
    assert_true(alike("H100", "H200") && alike("H100", "NVIDIA H20"));
    assert_false(alike("H100", "NVIDIA B200"));
    assert_false(alike("H100", "NVIDIA L40S"));
    assert_false(alike("NVIDIA A100-SXM4-80GB", "NVIDIA A10"));
    assert_false(alike("NVIDIA B200", "NVIDIA RTX PRO 6000 Blackwell Server Edition"));
    assert_false(alike("NVIDIA B200", "AMD Instinct MI355X"));
}

static enum kinship kinship(const char *name)
{
    struct kin kin;
    const struct hardware hardware = device(name);
    coefficients_for(half(), &hardware, &kin);
    return kin.kinship;
}

static void a_sibling_answers_for_its_generation(void **state)
{
    struct kin kin;
    const struct hardware b300 = device("NVIDIA B300");
    assert_int_equal(half()->carry, CARRY_GENERATIONS);
    const struct coefficient_set *set = coefficients_for(half(), &b300, &kin);
    assert_int_equal(kin.kinship, KINSHIP_GENERATION);
    assert_true(str_has(set->device, S("B200")) && set->residual);
    assert_int_equal(kinship("NVIDIA B200"), KINSHIP_SELF);
    assert_int_equal(kinship("H200"), KINSHIP_GENERATION);
    assert_int_equal(kinship("NVIDIA L40S"), KINSHIP_NONE);
}

/* Between the least and the most that one of them says; two boards of a generation have one voice. */
static void the_mean_of_generations_lies_between_them(void **state)
{
    const struct family *family = kernel_family_of_name(S("gemm_matrix"));
    const struct hardware l40s = device("NVIDIA L40S");
    const struct kernel kernel = product_of_16_bits();
    const struct group_model *group = half();
    double least = INFINITY, most = 0;
    for (uint32_t i = 1; i < group->set_count; i++) {
        const double us = set_us(family, &group->sets[i], &l40s, &kernel, false);
        least = fmin(least, us);
        most = fmax(most, us);
    }
    const double mean = generations_us(family, group->sets + 1, group->set_count - 1, &l40s, &kernel, NULL);
    assert_true(least < mean && mean < most);
    assert_true(mean == us_on("NVIDIA L40S", kernel));
    assert_true(generations_us(family, group->sets, 0, &l40s, &kernel, NULL) == 0);
}

static void what_is_further_is_less_sure(void **state)
{
    const struct kernel kernel = product_of_16_bits();
    const struct hardware own = device("NVIDIA B200"), sibling = device("NVIDIA B300"), other = device("NVIDIA L40S"),
                          stranger = device("AMD Instinct MI300X");
    const double sd[] = {estimate_on(&own, kernel).shared, estimate_on(&sibling, kernel).shared,
                         estimate_on(&other, kernel).shared, estimate_on(&stranger, kernel).shared};
    for (int i = 1; i < 4; i++)
        assert_true(sd[i] > sd[i - 1]);
}

/* Whose kernel it is says something; not to know it, or a word of nobody's, is less. */
static void without_a_library_an_estimate_is_less_sure(void **state)
{
    static const char *const boards[] = {"NVIDIA B200", "NVIDIA B300", "NVIDIA L40S"};
    for (int i = 0; i < 3; i++) {
        const struct hardware hardware = device(boards[i]);
        struct kernel kernel = product_of_16_bits();
        const double told = estimate_on(&hardware, kernel).shared;
        kernel.library = LIBRARY_UNTOLD;
        const double untold = estimate_on(&hardware, kernel).shared;
        kernel.library = LIBRARY_UNKNOWN;
        assert_true(untold > told && estimate_on(&hardware, kernel).shared == untold);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(generations_are_told_by_units_and_threads),
        cmocka_unit_test(a_sibling_answers_for_its_generation),
        cmocka_unit_test(the_mean_of_generations_lies_between_them),
        cmocka_unit_test(what_is_further_is_less_sure),
        cmocka_unit_test(without_a_library_an_estimate_is_less_sure),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
