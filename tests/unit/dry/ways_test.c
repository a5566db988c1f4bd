/* SPDX-License-Identifier: Apache-2.0 */
/* Lives with less: checkpointed modules, shares of kinds. */
#include "unit/cmocka_first.h"

#include "dry/allocator.h"
#include "dry/ways.h"
#include "unit/dry/lives_of.h"

#define MIB_4 "4194304"

/*
 * Two blocks, each keeps one of 4 MiB beyond the 4 MiB that it returns. Backwards the second goes first.
 * Storages: 1 parameter, 2 and 3 of the first block, 4 and 5 of the second, 6 and 7 gradients of what they return.
 */
static const char two_blocks[] = "+\t1\t" MIB_4 "\tforward\tp:1\nk\t1\tparameter\n"
                                 "m\t1\tModel\n"
                                 "m\t2\tBlock\n+\t2\t" MIB_4 "\tforward\tb:1\n+\t3\t" MIB_4 "\tforward\tb:2\ne\t2\t3\n"
                                 "m\t3\tBlock\n+\t4\t" MIB_4 "\tforward\tb:1\n+\t5\t" MIB_4 "\tforward\tb:2\ne\t3\t5\n"
                                 "e\t1\t5\n"
                                 "+\t6\t" MIB_4 "\tbackward\tx:1\n-\t5\n-\t4\n"
                                 "+\t7\t" MIB_4 "\tbackward\tx:1\n-\t6\n-\t3\n-\t2\n-\t7\n"
                                 "s\t1\n";

enum { MIB = 1 << 20 };

static int64_t peak_of(const struct dry_lives *lives)
{
    return allocator_replay(lives, ALLOCATOR_NO_LIMIT).held;
}

static void calls_are_read_with_what_they_return(void **state)
{
    struct arena arena = {0};
    const struct dry_lives lives = lives_of(two_blocks, &arena);
    assert_int_equal(lives.call_count, 3);
    assert_true(str_eq(lives.calls[1].name, S("Block")));
    assert_int_equal(lives.calls[0].parent, LIVES_NONE);
    assert_int_equal(lives.calls[2].parent, 0);
    assert_int_equal(lives.calls[2].return_count, 1);
    assert_int_equal(lives.calls[2].returns[0], 4);
    arena_free(&arena);
}

static void what_keeps_most_comes_first(void **state)
{
    struct arena arena = {0};
    uint32_t count;
    const struct dry_lives lives = lives_of(two_blocks, &arena);
    const struct dry_keeper *const keepers = lives_keepers(&lives, &arena, &count);
    assert_int_equal(count, 2);
    assert_true(str_eq(keepers[0].name, S("Model")));
    assert_int_equal(keepers[0].bytes, 12 * MIB);
    assert_int_equal(keepers[1].bytes, 8 * MIB);
    assert_int_equal(keepers[1].calls, 2);
    arena_free(&arena);
}

/* As it is: all of 1 to 6, 24 MiB. Checkpointed: 1, 3, 5, 6 and what the second block makes again, 4 and in passing 5's like. */
static void checkpointed_blocks_are_made_again(void **state)
{
    struct arena arena = {0};
    const struct dry_lives lives = lives_of(two_blocks, &arena);
    const struct dry_lives fewer = lives_checkpointed(&lives, S("Block"), &arena);
    assert_int_equal(peak_of(&lives), 24 * MIB);
    assert_int_equal(peak_of(&fewer), 20 * MIB);
    assert_int_equal(allocator_replay(&fewer, ALLOCATOR_NO_LIMIT).failed_at, LIVES_NONE);
    const struct dry_lives same = lives_checkpointed(&lives, S("Nothing"), &arena);
    assert_int_equal(peak_of(&same), 24 * MIB);
    assert_int_equal(same.event_count, lives.event_count);
    arena_free(&arena);
}

static void shares_are_of_kinds(void **state)
{
    struct arena arena = {0};
    const struct dry_lives lives = lives_of(two_blocks, &arena);
    const double share[DRY_MEMORY_KINDS] = {[DRY_PARAMETERS] = 0.25, [DRY_ACTIVATIONS] = 1, [DRY_BACKWARD] = 0};
    const struct dry_lives shared = lives_shared_out(&lives, share, &arena);
    assert_int_equal(peak_of(&shared), 17 * MIB);
    assert_int_equal(lives.storages[0].bytes, 4 * MIB);
    arena_free(&arena);
}

static void shares_beyond_reason_stay_sizes(void **state)
{
    struct arena arena = {0};
    const struct dry_lives lives = lives_of("+\t1\t9223372036854775807\tforward\tx:1\n", &arena);
    const double share[DRY_MEMORY_KINDS] = {[DRY_ACTIVATIONS] = 1e12};
    const struct dry_lives shared = lives_shared_out(&lives, share, &arena);
    assert_int_equal(shared.storages[0].bytes, LIVES_MOST_BYTES);
    assert_true(peak_of(&shared) > 0);
    arena_free(&arena);
}

static void calls_that_cannot_be_are_passed_over(void **state)
{
    struct arena arena = {0};
    uint32_t count;
    const struct dry_lives lives =
        lives_of("e\t1\t1\nm\tx\tA\nm\t0\tA\nm\t5\tA\ne\t6\t1\n+\t1\t512\tforward\tx\ne\t5\t9,0,x,1\n"
                 "m\t7\tA\n+\t2\t512\tforward\tx\n",
                 &arena);
    assert_int_equal(lives.call_count, 2);
    assert_int_equal(lives.calls[0].return_count, 1);
    lives_keepers(&lives, &arena, &count);
    assert_int_equal(count, 1);
    const struct dry_lives fewer = lives_checkpointed(&lives, S("A"), &arena);
    assert_int_equal(peak_of(&fewer), 1024);
    const struct dry_lives none = lives_of("", &arena);
    assert_int_equal(lives_checkpointed(&none, S("A"), &arena).event_count, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_read_with_what_they_return), cmocka_unit_test(what_keeps_most_comes_first),
        cmocka_unit_test(checkpointed_blocks_are_made_again),   cmocka_unit_test(shares_are_of_kinds),
        cmocka_unit_test(shares_beyond_reason_stay_sizes),      cmocka_unit_test(calls_that_cannot_be_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
