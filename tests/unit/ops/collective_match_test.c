/* SPDX-License-Identifier: Apache-2.0 */
/* Which collectives are the same one where some were not recorded, and clocks differ. */
#include "unit/cmocka_first.h"

#include "ops/rows/collective_match.h"

enum { MOST = 640, CALLS = 30 };

#define US ((int64_t)1000)

struct rank {
    struct collective_point at[MOST];
    int64_t true_number[MOST];
    uint32_t count;
};

/* One after another at uneven times, each lasting so that all are inside at once; no sequence numbers, no steps. */
static void add(struct rank *rank, int64_t call, int64_t clock_us)
{
    const int64_t at_us = call * 1000 + call * call * 37 % 700 + clock_us;
    rank->true_number[rank->count] = call;
    rank->at[rank->count++] = (struct collective_point){.class = {1 + (uint64_t)(call % 2), -1},
                                                        .step = -1,
                                                        .start_ns = at_us * US,
                                                        .end_ns = (at_us + 100) * US,
                                                        .blocking = true};
}

static struct match_doubt match(struct rank *a, struct rank *b)
{
    const struct collective_line lines[] = {{.at = a->at, .count = a->count}, {.at = b->at, .count = b->count}};
    return collectives_match(lines, 2);
}

/* Those with one number are one, and all that both have recorded are found. */
static void expect_right(const struct rank *a, const struct rank *b, uint32_t common)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (a->at[i].key == b->at[j].key) {
                assert_int_equal(a->true_number[i], b->true_number[j]);
                found++;
            }
    assert_int_equal(found, common);
}

static void the_first_ones_may_be_missing(void **state)
{
    for (int64_t missing = 0; missing < 5; missing++) {
        struct rank a = {0}, b = {0};
        for (int64_t call = 0; call < CALLS; call++) {
            add(&a, call, 0);
            if (call >= missing)
                add(&b, call, 7000000);
        }
        match(&a, &b);
        expect_right(&a, &b, CALLS - (uint32_t)missing);
        match(&b, &a);
        expect_right(&a, &b, CALLS - (uint32_t)missing);
    }
}

static void any_may_be_missing_on_either(void **state)
{
    struct rank a = {0}, b = {0};
    uint32_t common = 0;
    for (int64_t call = 0; call < CALLS; call++) {
        const bool on_a = call % 3 != 1, on_b = call % 5 != 2;
        if (on_a)
            add(&a, call, 0);
        if (on_b)
            add(&b, call, -37000);
        common += on_a && on_b;
    }
    match(&a, &b);
    expect_right(&a, &b, common);
}

/* Every millisecond the same: a clock that is off by two of them pairs all but two. */
static void doubt_is_told(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        const struct collective_point point = {.class = {1, -1},
                                               .step = -1,
                                               .start_ns = call * 1000 * US,
                                               .end_ns = (call * 1000 + 100) * US,
                                               .blocking = true};
        a.at[a.count++] = point;
        b.at[b.count++] = point;
    }
    const struct match_doubt doubt = match(&a, &b);
    assert_int_equal(doubt.rank, 1);
    assert_int_equal(doubt.pairs, CALLS);
    assert_int_equal(doubt.next, CALLS - 1);
}

static void numbers_need_no_time(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add(&a, call, 0);
        if (call % 3)
            add(&b, call, call * 5000);
    }
    for (uint32_t i = 0; i < CALLS; i++) {
        a.at[i].class.agreed = 1 + (uint64_t)a.true_number[i];
        b.at[i].class.agreed = i < b.count ? 1 + (uint64_t)b.true_number[i] : 0;
        a.at[i].numbered = b.at[i].numbered = true;
    }
    match(&a, &b);
    expect_right(&a, &b, b.count);
}

/* One after another, the same each time; sizes count up, where they are known. */
static void add_sized(struct rank *rank, int64_t call, bool sized)
{
    add(rank, call, 0);
    rank->at[rank->count - 1].class = (struct collective_class){1, sized ? 100 + call % 2 : -1};
}

static void a_size_that_one_rank_lacks_separates_nothing(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add_sized(&a, call, true);
        add_sized(&b, call, call != 3);
    }
    match(&a, &b);
    expect_right(&a, &b, CALLS);
}

static void sizes_that_all_tell_separate(void **state)
{
    struct rank a = {0}, b = {0};
    add_sized(&a, 0, true);
    add_sized(&b, 0, true);
    b.at[0].class.elements++;
    match(&a, &b);
    assert_true(a.at[0].key != b.at[0].key);
}

/* Each rank numbers its steps from where its recording began. */
static void steps_may_be_numbered_otherwise(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add(&a, call, 0);
        add(&b, call, 0);
        a.at[call].step = call / 3;
        b.at[call].step = 100 + call / 3;
    }
    match(&a, &b);
    expect_right(&a, &b, CALLS);
}

/* Equal steps, told apart by their numbers: a clock that is off by one of them raises no doubt. */
static void steps_that_agree_leave_no_doubt(void **state)
{
    struct rank a = {0};
    for (int64_t call = 0; call < CALLS; call++)
        a.at[a.count++] = (struct collective_point){.class = {1, -1},
                                                    .step = call,
                                                    .start_ns = call * 1000 * US,
                                                    .end_ns = (call * 1000 + 100) * US,
                                                    .blocking = true};
    struct rank b = a;
    const struct match_doubt doubt = match(&a, &b);
    assert_int_equal(doubt.pairs, CALLS);
    assert_int_equal(doubt.next, 0);
}

static void doubt_is_told_of_many(void **state)
{
    struct rank a = {0};
    for (int64_t call = 0; call < MOST; call++)
        a.at[a.count++] = (struct collective_point){.class = {1, -1},
                                                    .step = -1,
                                                    .start_ns = call * 1000 * US,
                                                    .end_ns = (call * 1000 + 100) * US,
                                                    .blocking = true};
    struct rank b = a;
    assert_int_equal(match(&a, &b).next, MOST - 1);
}

/* Of one class, as a send or its receive, with a number of the rank's own. */
static void add_message(struct rank *rank, int64_t call, int64_t number, int64_t clock_us)
{
    add(rank, call, clock_us);
    rank->at[rank->count - 1].class.agreed = 7;
    rank->at[rank->count - 1].message = true;
    rank->at[rank->count - 1].number = number;
}

/* A rank counts what it sends and receives, whoever the other is; two of them seldom count alike. */
static void ends_of_messages_need_not_count_alike(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add_message(&a, call, call, 0);
        if (call != 4)
            add_message(&b, call, 2 * call, 0);
    }
    match(&a, &b);
    expect_right(&a, &b, CALLS - 1);
}

/* Numbers that are alike but for a constant belong to other messages, as times tell. */
static void shifted_numbers_are_not_taken(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add_message(&a, call, call, 0);
        add_message(&b, call, call + 2, 0);
    }
    const struct collective_line lines[] = {{.at = a.at, .count = a.count, .dated = true},
                                            {.at = b.at, .count = b.count, .dated = true}};
    collectives_match(lines, 2);
    expect_right(&a, &b, CALLS);
}

static void ends_that_count_alike_are_told_by_number(void **state)
{
    struct rank a = {0}, b = {0};
    for (int64_t call = 0; call < CALLS; call++) {
        add_message(&a, call, call, 0);
        if (call % 5)
            add_message(&b, call, call, call % 2 ? -3000 : 3000);
    }
    match(&a, &b);
    expect_right(&a, &b, CALLS - CALLS / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_ones_may_be_missing),
        cmocka_unit_test(any_may_be_missing_on_either),
        cmocka_unit_test(doubt_is_told),
        cmocka_unit_test(numbers_need_no_time),
        cmocka_unit_test(a_size_that_one_rank_lacks_separates_nothing),
        cmocka_unit_test(sizes_that_all_tell_separate),
        cmocka_unit_test(steps_may_be_numbered_otherwise),
        cmocka_unit_test(steps_that_agree_leave_no_doubt),
        cmocka_unit_test(doubt_is_told_of_many),
        cmocka_unit_test(ends_of_messages_need_not_count_alike),
        cmocka_unit_test(shifted_numbers_are_not_taken),
        cmocka_unit_test(ends_that_count_alike_are_told_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
