/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices as drivers, clouds and people write them. */
#include "cmocka_first.h"

#include "hw/catalogue.h"
#include "hw/device_name.h"

static struct arena arena;
static const struct catalogue *catalogue;
static const struct gpu_signs silent = {-1, -1};

static int open_catalogue(void **state)
{
    catalogue = catalogue_new(&arena);
    return 0;
}

static int close_catalogue(void **state)
{
    arena_free(&arena);
    return 0;
}

static void means(const char *text, const char *name)
{
    const struct hardware *gpu = catalogue_gpu(catalogue, str_of(text), silent);
    if (!gpu)
        fail_msg("%s is not found", text);
    assert_string_equal(str_z(&arena, gpu->name), name);
}

static void any_usual_spelling_is_found(void **state)
{
    means("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM 80GB");
    means("NVIDIA_H100_80GB_HBM3", "NVIDIA H100 SXM 80GB");
    means("H100", "NVIDIA H100 SXM 80GB");
    means("h100 80 gb", "NVIDIA H100 SXM 80GB");
    means("H100-SXM5-80GB", "NVIDIA H100 SXM 80GB");
    means("NVIDIA H100 PCIe", "NVIDIA H100 PCIe 80GB");
    means("NVIDIA H100 NVL", "NVIDIA H100 NVL");
    means("NVIDIA H200", "NVIDIA H200 SXM 141GB");
    means("NVIDIA B200", "NVIDIA B200");
    means("Tesla V100-SXM2-32GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-SXM2-16GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-DGXS-32GB", "NVIDIA Tesla V100 SXM2");
    means("Tesla V100-PCIE-16GB", "NVIDIA Tesla V100 PCIe");
    means("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB");
    means("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB");
    means("NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe");
    means("A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB");
    means("Tesla P100-PCIE-16GB", "NVIDIA Tesla P100 PCIe 16GB");
    means("Tesla T4", "NVIDIA T4");
    means("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090");
    means("GeForce RTX 2080 Ti", "NVIDIA GeForce RTX 2080 Ti");
    means("NVIDIA RTX A6000", "NVIDIA RTX A6000");
    means("AMD Instinct MI300X VF", "AMD Instinct MI300X");
    means("AMD Instinct MI210", "AMD Instinct MI210");
    means("Quadro GP100", "NVIDIA Quadro GP100");
}

static void every_name_of_the_table_finds_itself(void **state)
{
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *gpu = catalogue_gpu_at(catalogue, i);
        assert_ptr_equal(catalogue_gpu(catalogue, gpu->name, silent), gpu);
        assert_true(gpu->source[HW_FP32].len > 0);
        assert_true(gpu->figure[HW_MEMORY_RATE] > 1e11);
        assert_true(hardware_peak(gpu, PRECISION_FP32) > 1e12);
    }
}

static void what_is_not_known_is_not_guessed(void **state)
{
    const char *const names[] = {"",
                                 "NVIDIA",
                                 "AMD Radeon Graphics",
                                 "ARTEMIS",
                                 "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                                 "NVIDIA GeForce RTX 4090 D",
                                 "A",
                                 "100"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(catalogue_gpu(catalogue, str_of(names[i]), silent));
}

static void signs_tell_variants_apart(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("NVIDIA A100-PG509-200"), (struct gpu_signs){24000000000, 108}));
    const struct hardware *gpu =
        catalogue_gpu(catalogue, S("NVIDIA A100-PG509-200"), (struct gpu_signs){42505273344, 108});
    assert_non_null(gpu);
    assert_int_equal(gpu->figure[HW_MEMORY_RATE] / 1e9, 1555);
    gpu = catalogue_gpu(catalogue, S("NVIDIA H100"), (struct gpu_signs){84990623744, 114});
    assert_non_null(gpu);
    assert_string_equal(str_z(&arena, gpu->name), "NVIDIA H100 PCIe 80GB");
    assert_null(catalogue_gpu(catalogue, S("NVIDIA H100"), (struct gpu_signs){102085492736, 132}));
}

static void an_ambiguous_name_is_not_found_but_has_neighbours(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("A100"), silent));
    const str closest = catalogue_closest(catalogue, &arena, S("A100"));
    assert_true(str_has(closest, S("A100-SXM4-40GB")));
    assert_true(str_has(closest, S("A100-SXM4-80GB")));
}

static void a_slip_of_the_pen_has_its_neighbour_first(void **state)
{
    assert_null(catalogue_gpu(catalogue, S("H20O"), silent));
    assert_true(str_starts(catalogue_closest(catalogue, &arena, S("MI300")), S("AMD Instinct MI300")));
    assert_true(str_starts(catalogue_closest(catalogue, &arena, S("RTX 409O")), S("NVIDIA GeForce RTX 4090")));
    assert_true(str_starts(catalogue_hint(catalogue, &arena, S("MI300")), S("near are AMD Instinct MI300")));
    assert_int_equal(catalogue_closest(catalogue, &arena, S("")).len, 0);
    assert_int_equal(catalogue_closest(catalogue, &arena, S("FooGPU")).len, 0);
    assert_int_equal(catalogue_closest(catalogue, &arena, S("ARTEMIS")).len, 0);
}

static void figures_are_in_base_units(void **state)
{
    const struct hardware *gpu = catalogue_gpu(catalogue, S("H100 SXM"), silent);
    assert_non_null(gpu);
    assert_true(hardware_peak(gpu, PRECISION_BF16) == 989e12);
    assert_true(gpu->figure[HW_MEMORY_RATE] == 3350e9);
    assert_true(gpu->figure[HW_MEMORY_BYTES] == 80.0 * (1 << 30));
    assert_int_equal((int)gpu->figure[HW_SMS], 132);
}

static void long_names_do_no_harm(void **state)
{
    char text[4096];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 3 == 2 ? ' ' : (char)('a' + i % 26);
    const str name = {text, sizeof text};
    assert_null(catalogue_gpu(catalogue, name, silent));
    assert_int_equal(catalogue_closest(catalogue, &arena, name).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_usual_spelling_is_found),
        cmocka_unit_test(every_name_of_the_table_finds_itself),
        cmocka_unit_test(what_is_not_known_is_not_guessed),
        cmocka_unit_test(signs_tell_variants_apart),
        cmocka_unit_test(an_ambiguous_name_is_not_found_but_has_neighbours),
        cmocka_unit_test(a_slip_of_the_pen_has_its_neighbour_first),
        cmocka_unit_test(figures_are_in_base_units),
        cmocka_unit_test(long_names_do_no_harm),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
