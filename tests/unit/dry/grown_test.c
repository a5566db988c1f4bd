/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of storages with another batch. */
#include "unit/cmocka_first.h"

#include "dry/grown.h"
#include "unit/dry/lives_of.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

/* A table of data, a parameter, a cast of it, what goes with the batch, what does neither. */
#define RUN(batch, mask) \
    "+\t1\t9000\tforward\ta.py:1\n" \
    "+\t2\t400\tforward\ta.py:2\n" \
    "k\t2\tparameter\n" \
    "b\n" \
    "+\t3\t200\tforward\ta.py:3\n" \
    "+\t4\t" batch "\tforward\ta.py:4\n" \
    "+\t5\t" mask "\tbackward\ta.py:5\n"

static void two_runs_tell_what_grows(void **state)
{
    const struct dry_lives few = lives_of(RUN("200", "70"), &arena), more = lives_of(RUN("300", "90"), &arena);
    const struct dry_lives grown = lives_between(&few, &more, (struct batches){2, 3, 30}, &arena);
    const int64_t wanted[] = {9000, 400, 200, 3000, 900};
    for (uint32_t i = 0; i < grown.count; i++)
        assert_int_equal(grown.storages[i].bytes, wanted[i]);
    assert_int_equal(more.storages[3].bytes, 300);
    assert_int_equal(grown.event_count, more.event_count);
}

/* The cast is taken for what it looks like. */
static void one_run_tells_it_by_kind_from_the_first_batch_on(void **state)
{
    const struct dry_lives more = lives_of(RUN("300", "90"), &arena);
    const struct dry_lives grown = lives_between(NULL, &more, (struct batches){.more = 3, .to = 30}, &arena);
    const int64_t wanted[] = {9000, 400, 2000, 3000, 900};
    for (uint32_t i = 0; i < grown.count; i++)
        assert_int_equal(grown.storages[i].bytes, wanted[i]);
}

static void what_only_one_run_has_goes_by_kind(void **state)
{
    const struct dry_lives few = lives_of(RUN("200", "70") "+\t6\t50\tforward\ta.py:4\n", &arena),
                           more = lives_of(RUN("300", "90"), &arena);
    const struct dry_lives grown = lives_between(&few, &more, (struct batches){2, 3, 30}, &arena);
    assert_int_equal(grown.storages[2].bytes, 200);
    assert_int_equal(grown.storages[3].bytes, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_tell_what_grows),
        cmocka_unit_test(one_run_tells_it_by_kind_from_the_first_batch_on),
        cmocka_unit_test(what_only_one_run_has_goes_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
