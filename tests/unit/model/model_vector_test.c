/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise kernels, rows that are reduced, and what only moves data: what must hold of any coefficients. */
#include "model_case.h"

#include "model/families/embedding.h"

static const char *const devices[] = {"V100-PCIe-32GB", "T4", "H100", "MI210"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* Twice the size in one place never takes less. */
static void grows_with(struct kernel kernel, uint32_t at)
{
    const struct form_size *size = &form_sizes_of(kernel.form).at[at];
    for (int i = 0; i < DEVICES; i++) {
        double before = us_on(devices[i], kernel);
        struct kernel larger = kernel;
        for (int turn = 0; turn < 12; turn++) {
            kernel_set_size(&larger, size, 2 * kernel_size(&larger, size));
            const double after = us_on(devices[i], larger);
            if (after < before * 0.999)
                fail_msg("%s: form %d, %s = %lld: %g us after %g", devices[i], kernel.form, size->name,
                         (long long)kernel_size(&larger, size), after, before);
            before = after;
        }
    }
}

static void times_grow_with_sizes(void **state)
{
    grows_with((struct kernel){.form = FORM_ELEMENTWISE, .elements = {.rows = 64, .cols = 256, .accesses = 3}}, 0);
    grows_with((struct kernel){.form = FORM_ELEMENTWISE, .elements = {.rows = 64, .cols = 256, .accesses = 3}}, 1);
    grows_with((struct kernel){.form = FORM_SOFTMAX, .rows = {64, 256}}, 0);
    grows_with((struct kernel){.form = FORM_LAYER_NORM, .rows = {64, 1000}}, 0);
    grows_with((struct kernel){.form = FORM_REDUCTION, .rows = {1, 64}}, 0);
    grows_with((struct kernel){.form = FORM_EMBEDDING, .lookup = {64, 8, 100000, 10, 64}}, 0);
    grows_with((struct kernel){.form = FORM_EMBEDDING, .lookup = {64, 8, 100000, 10, 64}}, 3);
    grows_with((struct kernel){.form = FORM_BATCH_NORM, .norm = {4, 64, 100}}, 0);
    grows_with((struct kernel){.form = FORM_CONCAT, .concat = {4096, 2}}, 0);
    grows_with((struct kernel){.form = FORM_HOST_COPY, .moved = {4096, 1, SCATTERED_NOT}}, 0);
    grows_with((struct kernel){.form = FORM_OPTIMIZER, .optimizer = {4096, 2}}, 0);
    grows_with((struct kernel){.form = FORM_INDEX, .index = {4096, 4096}}, 1);
    grows_with((struct kernel){.form = FORM_BYTES, .moved = {4096, 1, SCATTERED_NOT}}, 0);
}

static void large_kernels_reach_no_more_than_the_bandwidth(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel add = {
            .form = FORM_ELEMENTWISE, .variant = S("add"), .elements = {.rows = 65536, .cols = 4096, .accesses = 3}};
        const struct kernel softmax = {.form = FORM_SOFTMAX, .rows = {65536, 4096}};
        const double rate = device(devices[i]).figure[HW_MEMORY_RATE];
        assert_true(us_on(devices[i], add) * 1e-6 * rate >= kernel_bytes(&add));
        assert_true(us_on(devices[i], softmax) * 1e-6 * rate >= kernel_bytes(&softmax));
    }
}

/* A row of 1024 columns is held in a warp and read once; of one more, read three times, and begins anywhere. */
static void softmax_changes_its_kernel_at_1024_columns(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const double warp = us_on(devices[i], (struct kernel){.form = FORM_SOFTMAX, .rows = {262144, 1024}});
        const double block = us_on(devices[i], (struct kernel){.form = FORM_SOFTMAX, .rows = {262144, 1025}});
        assert_true(block > 1.05 * warp);
    }
}

/* There rows that begin at 16 bytes stay in shared memory; the others are read three times. */
static void softmax_on_amd_keeps_aligned_rows(void **state)
{
    const struct kernel aligned = {.form = FORM_SOFTMAX, .dtype = DTYPE_F32, .rows = {40000, 3840}};
    struct kernel odd = aligned;
    odd.rows.cols--;
    assert_true(us_on("MI210", odd) > 1.3 * us_on("MI210", aligned));
    assert_true(us_on("A100-PCIE-40GB", odd) < 1.3 * us_on("A100-PCIE-40GB", aligned));
}

static void a_lone_kernel_costs_its_launch(void **state)
{
    struct kernel kernel = {
        .form = FORM_ELEMENTWISE, .variant = S("add"), .elements = {.rows = 4, .cols = 4, .accesses = 3}};
    const double inside = us_on("V100-PCIe-32GB", kernel);
    kernel.alone = true;
    assert_true(inside < 5);
    assert_true(us_on("V100-PCIe-32GB", kernel) > 15);
}

static void lookups_hit_what_l2_holds(void **state)
{
    const struct hardware v100 = device("V100-PCIe-32GB");
    const struct kernel small = {.form = FORM_EMBEDDING, .lookup = {2048, 1, 1000, 32, 64}};
    const struct kernel large = {.form = FORM_EMBEDDING, .lookup = {2048, 1, 50000000, 32, 64}};
    assert_true(embedding_hit_rate(&small, &v100) > 0.95);
    assert_true(embedding_hit_rate(&large, &v100) < 0.01);
    assert_true(embedding_s(&small, &v100, 0.9) < embedding_s(&large, &v100, 0.9));
}

static void sums_down_columns_take_trips(void **state)
{
    const struct kernel rows = {.form = FORM_REDUCTION, .rows = {1024, 2048}};
    struct kernel columns = rows;
    columns.variant = S("columns");
    assert_true(us_on("V100-PCIe-32GB", columns) > us_on("V100-PCIe-32GB", rows));
}

/* Bytes as wide as numbers have a quarter of the traffic and as many addresses. */
static void addresses_limit_kernels_of_narrow_types(void **state)
{
    const struct kernel wide = {.form = FORM_REDUCTION, .dtype = DTYPE_F32, .rows = {60000, 800}};
    struct kernel narrow = wide;
    narrow.dtype = DTYPE_I8;
    assert_true(us_on("A100-SXM4-40GB", narrow) > us_on("A100-SXM4-40GB", wide) / 2);
    const struct kernel pooled = {.form = FORM_POOLING, .dtype = DTYPE_F32, .pooling = {2048, 12544, 3136, 4}};
    struct kernel gradient = pooled;
    gradient.backward = true;
    assert_true(us_on("V100-PCIe-32GB", gradient) > 2 * us_on("V100-PCIe-32GB", pooled));
}

static void pageable_memory_is_slower_than_pinned(void **state)
{
    const struct kernel pageable = {.form = FORM_HOST_COPY, .moved = {1 << 24, 0, SCATTERED_NOT}};
    const struct kernel pinned = {.form = FORM_HOST_COPY, .moved = {1 << 24, 1, SCATTERED_NOT}};
    assert_true(us_on("V100-PCIe-32GB", pageable) > us_on("V100-PCIe-32GB", pinned));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_grow_with_sizes),
        cmocka_unit_test(large_kernels_reach_no_more_than_the_bandwidth),
        cmocka_unit_test(softmax_changes_its_kernel_at_1024_columns),
        cmocka_unit_test(softmax_on_amd_keeps_aligned_rows),
        cmocka_unit_test(a_lone_kernel_costs_its_launch),
        cmocka_unit_test(lookups_hit_what_l2_holds),
        cmocka_unit_test(sums_down_columns_take_trips),
        cmocka_unit_test(addresses_limit_kernels_of_narrow_types),
        cmocka_unit_test(pageable_memory_is_slower_than_pinned),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
