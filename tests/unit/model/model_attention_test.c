/* SPDX-License-Identifier: Apache-2.0 */
#include "model_case.h"

static const char *const devices[] = {"NVIDIA T4", "NVIDIA A100-SXM4-80GB", "H100", "NVIDIA B200",
                                      "AMD Instinct MI300X"};
enum { DEVICES = sizeof devices / sizeof *devices };

static struct kernel attention(enum dtype dtype, int64_t queries, int64_t keys, bool causal)
{
    return (struct kernel){
        .form = FORM_ATTENTION,
        .dtype = dtype,
        .attention = {.batch = 8, .heads = 16, .queries = queries, .keys = keys, .width = 128, .causal = causal}};
}

static void long_sequences_run_at_a_good_part_of_the_peak(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel kernel = attention(DTYPE_F16, 8192, 8192, false);
        const double peak_us = kernel_flops(&kernel) / device(devices[i]).figure[HW_FP16] * 1e6;
        assert_in_range(100 * us_on(devices[i], kernel) / peak_us, 110, 400);
    }
}

static void a_mask_halves_the_work_of_long_sequences(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        assert_in_range(100 * us_on(devices[i], attention(DTYPE_F16, 8192, 8192, true)) /
                            us_on(devices[i], attention(DTYPE_F16, 8192, 8192, false)),
                        45, 60);
}

/* Each of the last few queries meets almost all keys. */
static void a_mask_takes_nothing_from_a_single_query(void **state)
{
    const double masked = us_on("H100", attention(DTYPE_F16, 1, 8192, true));
    assert_true(masked > 0.99 * us_on("H100", attention(DTYPE_F16, 1, 8192, false)));
}

static void single_precision_and_going_back_take_longer(void **state)
{
    struct kernel back = attention(DTYPE_F16, 2048, 2048, false);
    back.backward = true;
    for (int i = 0; i < DEVICES; i++) {
        const double forth = us_on(devices[i], attention(DTYPE_F16, 2048, 2048, false));
        assert_true(us_on(devices[i], attention(DTYPE_F32, 2048, 2048, false)) > forth);
        assert_in_range(100 * us_on(devices[i], back) / forth, 200, 400);
    }
}

static void more_queries_and_keys_take_no_less(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int64_t length = 1; length < 65536; length *= 2) {
            const double us = us_on(devices[i], attention(DTYPE_F16, length, 1024, false));
            assert_true(us_on(devices[i], attention(DTYPE_F16, 2 * length, 1024, false)) >= us);
            assert_true(us_on(devices[i], attention(DTYPE_F16, length, 2048, false)) >= us);
        }
}

/* ---- what is measured: few queries over a cache, heads that share keys, windows ---- */

static const char *const unmeasured[] = {"NVIDIA L40S", "NVIDIA L4", "AMD Instinct MI300X"};
enum { UNMEASURED = sizeof unmeasured / sizeof *unmeasured };

static struct kernel decoding(int64_t batch, int64_t heads, int64_t key_heads, int64_t keys)
{
    return (struct kernel){.form = FORM_ATTENTION,
                           .dtype = DTYPE_F16,
                           .attention = {batch, heads, 1, keys, 128, 1, .key_heads = key_heads}};
}

static struct kernel prefilling(int64_t batch, int64_t queries, int64_t window)
{
    return (struct kernel){.form = FORM_ATTENTION,
                           .dtype = DTYPE_F16,
                           .attention = {batch, 16, queries, queries, 128, 1, .key_heads = 4, .window = window}};
}

static void a_longer_cache_and_a_larger_batch_take_no_less(void **state)
{
    for (int i = 0; i < UNMEASURED; i++)
        for (int64_t size = 2; size < 65536; size *= 2) {
            const double keys = us_on(unmeasured[i], decoding(8, 32, 8, size)),
                         batch = us_on(unmeasured[i], decoding(size, 32, 8, 512));
            assert_true(us_on(unmeasured[i], decoding(8, 32, 8, 2 * size)) >= keys);
            assert_true(us_on(unmeasured[i], decoding(2 * size, 32, 8, 512)) >= batch);
        }
}

static void a_larger_batch_of_prompts_takes_no_less(void **state)
{
    for (int i = 0; i < UNMEASURED; i++)
        for (int64_t size = 16; size < 16384; size *= 2) {
            assert_true(us_on(unmeasured[i], prefilling(2, size, 0)) >= us_on(unmeasured[i], prefilling(1, size, 0)));
            assert_true(us_on(unmeasured[i], prefilling(1, 2 * size, 0)) >=
                        us_on(unmeasured[i], prefilling(1, size, 0)));
        }
}

/* Of a long cache that many sequences read, nothing but its bytes counts. */
static void heads_that_share_keys_read_them_once(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        assert_in_range(100 * us_on(devices[i], decoding(64, 32, 32, 8192)) /
                            us_on(devices[i], decoding(64, 32, 8, 8192)),
                        250, 600);
}

/* The keys of one head are cut until all multiprocessors read: as many bytes take about as long in one sequence as in many. */
static void one_long_cache_is_read_by_all_multiprocessors(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        assert_true(us_on(devices[i], decoding(1, 8, 1, 131072)) < 2 * us_on(devices[i], decoding(128, 8, 1, 1024)));
}

static void a_window_of_all_keys_is_none(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        struct kernel cache = decoding(64, 32, 8, 4096);
        assert_true(us_on(devices[i], prefilling(4, 4096, 4096)) == us_on(devices[i], prefilling(4, 4096, 0)));
        assert_true(us_on(devices[i], prefilling(4, 4096, 512)) < us_on(devices[i], prefilling(4, 4096, 0)));
        const double all = us_on(devices[i], cache);
        cache.attention.window = 8192;
        assert_true(us_on(devices[i], cache) == all);
        cache.attention.window = 256;
        assert_true(us_on(devices[i], cache) < all);
    }
}

static void keys_of_eight_bits_are_read_faster(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        struct kernel cache = decoding(128, 32, 8, 16384);
        const double wide = us_on(devices[i], cache);
        cache.key_dtype = DTYPE_F8;
        assert_true(us_on(devices[i], cache) < wide);
    }
}

/* On the latent all heads share one cache, which holds keys and values at once: 576 wide beside 2 x 128 x 128. */
static void a_latent_cache_is_read_faster_than_that_of_its_heads(void **state)
{
    struct kernel latent = decoding(32, 128, 1, 8192);
    latent.attention.width = 576;
    latent.attention.value_width = 512;
    latent.attention.latent = 1;
    for (int i = 0; i < DEVICES; i++)
        assert_true(us_on(devices[i], latent) < us_on(devices[i], decoding(32, 128, 128, 8192)));
}

static void what_was_measured_is_told_so(void **state)
{
    const struct hardware h100 = device("H100"), h200 = device("H200"), l40s = device("NVIDIA L40S");
    assert_int_equal(estimate_on(&h100, decoding(8, 32, 8, 1024)).basis, BASIS_MEASURED);
    assert_int_equal(estimate_on(&h100, prefilling(8, 1024, 0)).basis, BASIS_MEASURED);
    assert_int_equal(estimate_on(&h200, decoding(8, 32, 8, 1024)).basis, BASIS_CARRIED);
    assert_int_equal(estimate_on(&l40s, prefilling(8, 1024, 0)).basis, BASIS_CARRIED);
    struct kernel back = prefilling(8, 1024, 0);
    back.backward = true;
    assert_int_equal(estimate_on(&h100, back).basis, BASIS_ANALYTIC);
}

/* Latent attention and wide heads have kernels of their own by generation: what is carried says so. */
static void kernels_of_their_own_are_doubted_more(void **state)
{
    const struct hardware l40s = device("NVIDIA L40S"), b300 = device("NVIDIA B300 SXM6 AC");
    struct kernel usual = decoding(32, 32, 8, 8192), wide = usual, latent = usual;
    usual.library = wide.library = latent.library = LIBRARY_VLLM;
    wide.attention.width = 192;
    latent.attention.width = 576;
    latent.attention.value_width = 512;
    latent.attention.key_heads = latent.attention.latent = 1;
    assert_true(estimate_on(&l40s, wide).own > 1.5 * estimate_on(&l40s, usual).own);
    assert_true(estimate_on(&l40s, latent).shared > 2 * estimate_on(&l40s, usual).shared);
    assert_true(estimate_on(&b300, wide).own > 1.5 * estimate_on(&b300, usual).own);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sequences_run_at_a_good_part_of_the_peak),
        cmocka_unit_test(a_mask_halves_the_work_of_long_sequences),
        cmocka_unit_test(a_mask_takes_nothing_from_a_single_query),
        cmocka_unit_test(single_precision_and_going_back_take_longer),
        cmocka_unit_test(more_queries_and_keys_take_no_less),
        cmocka_unit_test(a_longer_cache_and_a_larger_batch_take_no_less),
        cmocka_unit_test(a_larger_batch_of_prompts_takes_no_less),
        cmocka_unit_test(heads_that_share_keys_read_them_once),
        cmocka_unit_test(one_long_cache_is_read_by_all_multiprocessors),
        cmocka_unit_test(a_window_of_all_keys_is_none),
        cmocka_unit_test(keys_of_eight_bits_are_read_faster),
        cmocka_unit_test(a_latent_cache_is_read_faster_than_that_of_its_heads),
        cmocka_unit_test(what_was_measured_is_told_so),
        cmocka_unit_test(kernels_of_their_own_are_doubted_more),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
