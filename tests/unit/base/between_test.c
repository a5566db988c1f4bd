/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes between two batches, and which things of two lists go with each other. */
#include "unit/cmocka_first.h"

#include "base/between.h"
#include "base/pairs.h"

static int64_t between(int64_t few, int64_t more, bool known)
{
    int64_t size = -1;
    assert_int_equal(size_between(few, more, (struct batches){2, 3, 64}, &size), known);
    return size;
}

static void sizes_stay_or_go_with_the_batch(void **state)
{
    assert_int_equal(between(768, 768, true), 768);
    assert_int_equal(between(2, 3, true), 64);
    assert_int_equal(between(2 * 128, 3 * 128, true), 64 * 128);
    assert_int_equal(between(3, 4, true), 65);    /* a list of offsets */
    assert_int_equal(between(37, 52, false), 52); /* the longest of a few */
    assert_int_equal(between(3, 2, false), 2);
    assert_int_equal(between(0, 3, false), 3);
    assert_int_equal(size_with_batch(52, (struct batches){2, 3, 64}), 1109);
    assert_int_equal(size_with_batch(INT64_MAX, (struct batches){2, 3, 64}) > 0, true);
}

static void of_a_name_the_first_goes_with_the_first(void **state)
{
    struct arena arena = {0};
    const str of[] = {S("mm"), S("add"), S("mm"), S("relu"), S("only")};
    const str in[] = {S("add"), S("mm"), S("relu"), S("mm"), S("relu")};
    const uint32_t *const pairs = pairs_by_name((struct pair_names){of, 5}, (struct pair_names){in, 5}, &arena);
    const uint32_t wanted[] = {1, 0, 3, PAIR_NONE, PAIR_NONE}; /* of relu the one has one, the other two */
    for (int i = 0; i < 5; i++)
        assert_int_equal(pairs[i], wanted[i]);
    assert_int_equal(pairs_by_name((struct pair_names){of, 1}, (struct pair_names){in, 0}, &arena)[0], PAIR_NONE);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_stay_or_go_with_the_batch),
        cmocka_unit_test(of_a_name_the_first_goes_with_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
