/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of experts, and turning 16 bits into 8, on any device: who has how many tokens, which kernels, what is refused. */
#include "model_case.h"

#include "hw/catalogue.h"
#include "model/families/experts_load.h"
#include "model/families/families.h"

static const char *const boards[] = {"NVIDIA A100-SXM4-80GB", "H100", "NVIDIA B200", "NVIDIA L40S"};
enum { BOARDS = sizeof boards / sizeof *boards };

static struct kernel layer(int64_t tokens, int64_t ranks, int64_t skew)
{
    return (struct kernel){.form = FORM_EXPERTS,
                           .dtype = DTYPE_BF16,
                           .library = LIBRARY_VLLM,
                           .experts = {.tokens = tokens,
                                       .hidden = 4096,
                                       .intermediate = 1536,
                                       .experts = 128,
                                       .topk = 8,
                                       .tensor_parallel = 1,
                                       .expert_parallel = ranks,
                                       .matrices = 3,
                                       .skew = skew}};
}

static struct expert_load load(int64_t tokens, int64_t ranks, int64_t skew)
{
    const struct kernel kernel = layer(tokens, ranks, skew);
    return expert_load_of(&kernel);
}

/* ---- who has how many tokens ---- */

static void alike_each_expert_has_its_part(void **state)
{
    const struct expert_load some = load(1024, 4, 0), few = load(2, 4, 0);
    assert_true(some.pairs == 2048 && some.held == 32 && some.hit == 32 && some.each[0] == 64);
    assert_true(few.pairs == 4 && few.hit == 4);
}

/* Drawn 200 times each, as the tables' remarks say that they were: 1024 tokens of 128 experts. */
static void by_a_power_law_the_most_loaded_gpu_has_more(void **state)
{
    for (int64_t skew = 1010; skew <= 1200; skew += 190) {
        double before = load(1024, 1, skew).pairs;
        assert_true(before == 8192);
        for (int64_t ranks = 2; ranks <= 128; ranks *= 2) {
            const double over = load(1024, ranks, skew).pairs / load(1024, ranks, 0).pairs;
            assert_true(over > 1 && over <= (double)ranks);
            assert_true(load(1024, ranks, skew).pairs < before);
            before = load(1024, ranks, skew).pairs;
        }
    }
}

static void no_expert_has_more_than_all_tokens(void **state)
{
    for (int64_t tokens = 1; tokens <= 65536; tokens *= 4)
        for (int64_t skew = 0; skew <= 5000; skew += 1000) {
            const struct expert_load some = load(tokens, 1, skew);
            for (int i = 0; i < EXPERT_SHARES; i++)
                assert_true(some.each[i] >= 0 && some.each[i] <= (double)tokens);
            assert_true(some.hit > 0 && some.hit <= 128 && some.hit <= some.pairs);
        }
}

static void few_tokens_meet_fewer_experts_where_they_are_drawn(void **state)
{
    assert_true(load(8, 1, 1200).hit < load(8, 1, 0).hit);
    assert_in_range((int64_t)load(4096, 1, 1200).hit, 120, 128);
}

static void tiles_are_of_one_expert_each(void **state)
{
    const struct expert_load few = load(2, 1, 0), many = load(16384, 1, 0);
    assert_true(expert_row_tiles(&few, 1, 128) == 16); /* a tile for each of the sixteen that are met */
    assert_true(fabs(expert_row_tiles(&many, 1, 128) - 128 * 8) < 1e-3); /* 1024 rows an expert */
}

/* ---- which kernels ---- */

static str kernels_on(const char *name, enum library library, enum format format)
{
    struct kernel kernel = layer(64, 1, 0);
    const struct hardware hardware = device(name);
    kernel.library = library;
    kernel.format = format;
    return family_group(kernel_family_of_name(S("experts")), &kernel, &hardware);
}

static void engines_launch_what_the_device_has(void **state)
{
    assert_true(str_eq(kernels_on("H100", LIBRARY_VLLM, FORMAT_PLAIN), S("triton")));
    assert_true(str_eq(kernels_on("H100", LIBRARY_VLLM, FORMAT_W8A8_FP8), S("cutlass")));
    assert_true(str_eq(kernels_on("H100", LIBRARY_TRTLLM, FORMAT_PLAIN), S("cutlass")));
    assert_true(str_eq(kernels_on("NVIDIA B200", LIBRARY_VLLM, FORMAT_PLAIN), S("fused")));
    assert_true(str_eq(kernels_on("NVIDIA B200", LIBRARY_TRTLLM, FORMAT_W8A8_BLOCK), S("deepgemm")));
    assert_true(str_eq(kernels_on("NVIDIA A100-SXM4-80GB", LIBRARY_SGLANG, FORMAT_W4A16_INT4), S("marlin")));
}

static void without_a_kernel_an_estimate_is_less_sure(void **state)
{
    for (int i = 0; i < BOARDS; i++) {
        const struct hardware hardware = device(boards[i]);
        struct kernel told = layer(64, 1, 0), untold = told;
        told.backend = backend_of_name(kernels_on(boards[i], LIBRARY_VLLM, FORMAT_PLAIN));
        assert_true(estimate_on(&hardware, told).us == estimate_on(&hardware, untold).us);
        assert_true(estimate_on(&hardware, told).own < estimate_on(&hardware, untold).own);
    }
}

static void a_name_of_a_kernel_tells_which(void **state)
{
    assert_int_equal(backend_of_name(S("sglang_fused_moe_triton")), BACKEND_TRITON);
    assert_int_equal(backend_of_name(S("vllm_fused_moe")), BACKEND_TRITON);
    assert_int_equal(backend_of_name(S("sglang_flashinfer_trtllm_moe")), BACKEND_FUSED);
    assert_int_equal(backend_of_name(S("moe_torch_flow_min_latency")), BACKEND_FUSED);
    assert_int_equal(backend_of_name(S("moe_torch_flow_cutlass")), BACKEND_CUTLASS);
    assert_int_equal(backend_of_name(S("sglang_marlin_moe")), BACKEND_MARLIN);
    assert_int_equal(backend_of_name(S("deepgemm")), BACKEND_DEEPGEMM);
    assert_int_equal(backend_of_name(S("moe_torch_flow")), BACKEND_UNTOLD);
    for (int i = 0; i < BACKENDS; i++)
        assert_int_equal(backend_of_name(backend_word((enum backend)i)), i);
}

/* ---- times ---- */

static void weights_come_from_memory_once_for_each_expert_that_is_met(void **state)
{
    for (int i = 0; i < BOARDS; i++) {
        const struct kernel kernel = layer(64, 1, 0);
        const double memory_us = kernel_bytes(&kernel) / device(boards[i]).figure[HW_MEMORY_RATE] * 1e6;
        assert_in_range(100 * us_on(boards[i], kernel) / memory_us, 100, 300);
    }
}

static void many_tokens_run_at_a_part_of_the_peak(void **state)
{
    for (int i = 0; i < BOARDS; i++) {
        const struct kernel kernel = layer(65536, 1, 0);
        const double peak_us = kernel_flops(&kernel) / device(boards[i]).figure[HW_BF16] * 1e6;
        assert_in_range(100 * us_on(boards[i], kernel) / peak_us, 110, 800);
    }
}

static void more_tokens_take_no_less(void **state)
{
    for (int i = 0; i < BOARDS; i++) {
        double before = 0;
        for (int64_t tokens = 1; tokens <= 65536; tokens *= 4) {
            const double us = us_on(boards[i], layer(tokens, 1, 0));
            assert_true(us > 0.9 * before);
            before = us;
        }
    }
}

static void on_every_board_of_the_catalogue_times_are_sane(void **state)
{
    const struct catalogue *catalogue = catalogue_built_in();
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue); i++) {
        const struct hardware *board = catalogue_gpu_at(catalogue, i);
        const struct kernel kernel = layer(4096, 1, 1010);
        if (!(board->figure[HW_BF16] > 0) || !(board->figure[HW_SMS] > 0) || !(board->figure[HW_MEMORY_RATE] > 0))
            continue;
        const double peak_us = kernel_flops(&kernel) / board->figure[HW_BF16] * 1e6,
                     memory_us = kernel_bytes(&kernel) / board->figure[HW_MEMORY_RATE] * 1e6;
        const double over = estimate_on(board, kernel).us / fmax(peak_us, memory_us);
        if (over < 0.9 || over > 20)
            fail_msg("%.*s: %.1f times the least", (int)board->name.len, board->name.at, over);
    }
}

static void weights_of_four_bits_are_read_faster(void **state)
{
    struct kernel four = layer(16, 1, 0);
    four.format = FORMAT_W4A16_INT4;
    assert_true(us_on("H100", four) < us_on("H100", layer(16, 1, 0)));
}

/* ---- what is refused ---- */

static const char *problem_of(int64_t experts, int64_t topk, int64_t ranks, int64_t matrices)
{
    struct kernel kernel = layer(16, ranks, 0);
    kernel.experts.experts = experts;
    kernel.experts.topk = topk;
    kernel.experts.matrices = matrices;
    return kernel_check(&kernel);
}

static void sizes_that_contradict_each_other_are_named(void **state)
{
    const struct kernel good = layer(16, 128, 0), nothing = layer(0, 1, 0), steep = layer(16, 1, 6000);
    assert_null(kernel_check(&good));
    assert_string_equal(problem_of(128, 129, 1, 3), "a token meets more experts than there are");
    assert_string_equal(problem_of(128, 8, 256, 3), "the expert group has more ranks than there are experts");
    assert_string_equal(problem_of(128, 8, 1, 4), "an expert has 3 matrices, or 2 without a gate");
    assert_string_equal(kernel_check(&nothing), "there are no tokens");
    assert_string_equal(kernel_check(&steep), "the skew is above 5000 thousandths");
}

static void a_format_without_units_is_refused(void **state)
{
    struct kernel kernel = layer(16, 1, 0);
    const struct hardware a100 = device("NVIDIA A100-SXM4-80GB");
    kernel.format = FORMAT_W8A8_FP8;
    assert_true(refusal(&a100, kernel).len > 0);
}

/* ---- 16 bits to 8 ---- */

static void to_eight_bits_is_a_floor_and_memory(void **state)
{
    struct kernel kernel = {
        .form = FORM_QUANTIZE, .dtype = DTYPE_BF16, .library = LIBRARY_VLLM, .quantize = {1, 128, 0}};
    for (int i = 0; i < BOARDS; i++) {
        kernel.quantize.rows = 1;
        assert_in_range((int64_t)(10 * us_on(boards[i], kernel)), 8, 100);
        kernel.quantize.rows = 1 << 22;
        const double memory_us = kernel_bytes(&kernel) / device(boards[i]).figure[HW_MEMORY_RATE] * 1e6;
        assert_in_range(100 * us_on(boards[i], kernel) / memory_us, 90, 1500);
    }
}

static void finding_the_scale_takes_longer(void **state)
{
    struct kernel kernel = {
        .form = FORM_QUANTIZE, .dtype = DTYPE_BF16, .library = LIBRARY_VLLM, .quantize = {16384, 16384, 0}};
    const double given = us_on("NVIDIA L40S", kernel);
    kernel.quantize.finds_scale = 1;
    assert_in_range((int64_t)(100 * us_on("NVIDIA L40S", kernel) / given), 120, 200);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_each_expert_has_its_part),
        cmocka_unit_test(by_a_power_law_the_most_loaded_gpu_has_more),
        cmocka_unit_test(no_expert_has_more_than_all_tokens),
        cmocka_unit_test(few_tokens_meet_fewer_experts_where_they_are_drawn),
        cmocka_unit_test(tiles_are_of_one_expert_each),
        cmocka_unit_test(engines_launch_what_the_device_has),
        cmocka_unit_test(a_name_of_a_kernel_tells_which),
        cmocka_unit_test(without_a_kernel_an_estimate_is_less_sure),
        cmocka_unit_test(weights_come_from_memory_once_for_each_expert_that_is_met),
        cmocka_unit_test(many_tokens_run_at_a_part_of_the_peak),
        cmocka_unit_test(more_tokens_take_no_less),
        cmocka_unit_test(on_every_board_of_the_catalogue_times_are_sane),
        cmocka_unit_test(weights_of_four_bits_are_read_faster),
        cmocka_unit_test(sizes_that_contradict_each_other_are_named),
        cmocka_unit_test(a_format_without_units_is_refused),
        cmocka_unit_test(to_eight_bits_is_a_floor_and_memory),
        cmocka_unit_test(finding_the_scale_takes_longer),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
