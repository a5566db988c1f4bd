/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of libraries: what data/tiles.csv says of devices of the catalogue. */
#include "every_gpu.h"

#include "model/families/tile_table.h"

static bool has(const struct tile_list *list, double n, double m)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].n == n && list->at[i].m == m)
            return true;
    return false;
}

static const struct tile_list *tiles_on(const char *name, enum tile_operands operands, bool batched)
{
    const struct hardware *found = catalogue_gpu(catalogue_built_in(), str_of(name), (struct gpu_signs){-1, -1});
    assert_non_null(found);
    return library_tiles(found, operands, batched);
}

static void every_device_has_tiles_for_every_product(void **state)
{
    for (uint32_t i = 0; i < gpus; i++)
        for (int operands = 0; operands < TILE_OPERANDS; operands++)
            for (int batched = 0; batched < 2; batched++) {
                const struct tile_list *list = library_tiles(&gpu[i], (enum tile_operands)operands, batched);
                assert_in_range(list->count, 1, MOST_TILES);
                for (uint32_t at = 0; at < list->count; at++)
                    assert_true(list->at[at].n >= 8 && list->at[at].m >= 8);
            }
}

static void generations_have_tiles_of_their_own(void **state)
{
    assert_false(has(tiles_on("NVIDIA Tesla P4", TILES_FP32, false), 128, 128));
    assert_true(has(tiles_on("NVIDIA T4", TILES_FP32, false), 128, 128));
    assert_int_equal(tiles_on("NVIDIA A100-PCIE-40GB", TILES_FP32, true)->count, 1);
    assert_true(has(tiles_on("AMD Instinct MI210", TILES_FP32, true), 16, 16));
    assert_false(has(tiles_on("NVIDIA T4", TILES_FP32, true), 16, 16));
}

/* Until a library is known to have others. */
static void a_later_generation_has_what_the_one_before_has(void **state)
{
    assert_true(has(tiles_on("NVIDIA H100 SXM 80GB", TILES_FP32, true), 32, 32));
    for (int batched = 0; batched < 2; batched++)
        assert_int_equal(tiles_on("NVIDIA B200", TILES_FP32, batched)->count,
                         tiles_on("NVIDIA H100 SXM 80GB", TILES_FP32, batched)->count);
    assert_int_equal(tiles_on("NVIDIA A100-PCIE-40GB", TILES_FP32, false)->count,
                     tiles_on("NVIDIA T4", TILES_FP32, false)->count);
}

static void tiles_of_two_multiprocessors_are_marked(void **state)
{
    const struct tile_list *list = tiles_on("NVIDIA B200", TILES_HALF, false);
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < list->count; i++)
        pairs += list->at[i].pair;
    assert_int_equal(pairs, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_has_tiles_for_every_product),
        cmocka_unit_test(generations_have_tiles_of_their_own),
        cmocka_unit_test(a_later_generation_has_what_the_one_before_has),
        cmocka_unit_test(tiles_of_two_multiprocessors_are_marked),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
