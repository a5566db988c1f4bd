/* SPDX-License-Identifier: Apache-2.0 */
/* Work on several threads: each piece once, items in order. */
#include <stdatomic.h>

#include "parallel/par.h"
#include "parallel/stages.h"
#include "unit/cmocka_first.h"

static void count_one(void *context, size_t i)
{
    atomic_int *seen = context;
    atomic_fetch_add(&seen[i], 1);
}

static void every_piece_of_work_is_done_once(void **state)
{
    enum { N = 1000 };
    static atomic_int seen[N];
    par_each(N, 7, count_one, seen);
    par_each(0, 0, count_one, seen);
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
}

/* What a thread may use of four cores, when they are dealt to so many pieces of work at once. */
struct dealt {
    size_t pieces;
    unsigned cores; /* of a piece */
    atomic_int wrong;
};

static void check_share(void *context, size_t i)
{
    struct dealt *dealt = context;
    dealt->wrong += par_cores() != dealt->cores;
}

static void cores_are_dealt_to_the_work_inside(void **state)
{
    static struct dealt dealt[] = {{1, 4, 0}, {2, 2, 0}, {3, 1, 0}, {4, 1, 0}, {100, 1, 0}};
    const unsigned cores = par_cores();
    for (size_t i = 0; i < sizeof dealt / sizeof *dealt; i++) {
        par_each(dealt[i].pieces, 4, check_share, &dealt[i]);
        assert_int_equal(dealt[i].wrong, 0);
        assert_int_equal(par_cores(), cores);
    }
}

/* So many items, of which one is not to be joined. */
struct squares {
    size_t items, refused, joined;
    size_t place[5];
};

static bool make_number(void *context, size_t item)
{
    struct squares *s = context;
    s->place[item % 5] = item;
    return item < s->items;
}

static void square(void *context, unsigned thread, size_t item)
{
    struct squares *s = context;
    s->place[item % 5] *= s->place[item % 5];
}

static bool join_square(void *context, size_t item)
{
    struct squares *s = context;
    assert_int_equal(item, s->joined);
    assert_int_equal(s->place[item % 5], item * item);
    s->joined += item != s->refused;
    return item != s->refused;
}

static void items_pass_their_stages_in_order(void **state)
{
    static const struct stages stages = {make_number, square, join_square};
    static struct squares cases[] = {{.items = 0, .refused = SIZE_MAX},
                                     {.items = 1, .refused = SIZE_MAX},
                                     {.items = 3000, .refused = SIZE_MAX},
                                     {.items = 3000, .refused = 0},
                                     {.items = 3000, .refused = 1234}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned threads = 1; threads < 5; threads++) {
            struct squares s = cases[i];
            stages_run(&stages, threads, 5, &s);
            assert_int_equal(s.joined, s.refused < s.items ? s.refused : s.items);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_of_work_is_done_once),
        cmocka_unit_test(cores_are_dealt_to_the_work_inside),
        cmocka_unit_test(items_pass_their_stages_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
