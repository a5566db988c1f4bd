/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings a look at a run suggests, and what they are predicted to save. */
#include <math.h>

#include "tune/settings.h"
#include "unit/cmocka_first.h"

enum { MS = 1000000 };

static void check_near(double value, double wanted, double most)
{
    assert_true(fabs(value - wanted) <= most);
}

/* What was tried so far, as words with blanks. */
static bool is_in(const void *context, str words, int64_t loader)
{
    return str_has(str_of(context), words);
}

static struct setting_asks asks_with(const char *tried)
{
    return (struct setting_asks){.processors = 4, .was_tried = is_in, .context = tried};
}

/* A step of 10 ms that waits 8 of them for its first loader, on a processor all the while. */
static struct look waiting(int64_t workers)
{
    return (struct look){
        .step_ns = 10 * MS,
        .has_loader = true,
        .loader = {.workers = workers, .batch = 8, .place = S("/p/train.py:3")},
        .wait_ns = 8 * MS,
        .wait_low_ns = 7 * MS,
        .wait_high_ns = 9 * MS,
        .worked = 1,
        .optimizer_place = S(""),
    };
}

static void check_next(const struct look *look, struct setting_asks asks, const char *wanted)
{
    struct arena arena = {0};
    struct setting setting;
    const bool any = settings_next(look, &asks, &arena, &setting);
    assert_string_equal(any ? str_z(&arena, setting.words) : "", wanted);
    arena_free(&arena);
}

static void workers_are_doubled_up_to_the_processors(void **state)
{
    const struct look none = waiting(0), two = waiting(2), four = waiting(4);
    check_next(&none, asks_with(""), "num_workers=1");
    check_next(&none, asks_with("num_workers=1"), "num_workers=2");
    check_next(&none, asks_with("num_workers=1 num_workers=2 num_workers=4"), "");
    check_next(&two, asks_with(""), "num_workers=4");
    check_next(&four, asks_with(""), "prefetch_factor=4");
    check_next(&four, asks_with("prefetch_factor=4"), "");
}

static void nothing_is_suggested_of_what_nobody_waits_for(void **state)
{
    struct look look = waiting(0);
    look.wait_ns = look.step_ns * 0.049;
    check_next(&look, asks_with(""), "");
    look.wait_ns = look.step_ns * 0.051;
    check_next(&look, asks_with(""), "num_workers=1");
    struct setting_asks asks = asks_with("");
    asks.waits_unseen = true;
    check_next(&look, asks, "");
    const struct look nothing = {.optimizer_place = S("")};
    check_next(&nothing, asks_with(""), "");
}

static void workers_last_where_epochs_end_and_memory_is_pinned_for_a_device(void **state)
{
    struct look look = waiting(1);
    struct setting_asks asks = asks_with("");
    look.wait_ns = 0;
    look.loader.epochs = 1;
    check_next(&look, asks, "");
    look.loader.epochs = 2;
    check_next(&look, asks, "persistent_workers=True");
    look.loader.persists = 1;
    check_next(&look, asks, "");
    asks.on_device = true;
    check_next(&look, asks, "pin_memory=True");
    look.loader.pins = 1;
    check_next(&look, asks, "");
}

static void what_may_change_results_is_asked_for(void **state)
{
    struct look look = waiting(0);
    struct setting_asks asks = asks_with("");
    look.wait_ns = 0;
    look.optimizer_ns = 2 * MS;
    look.may_be_fused = true;
    check_next(&look, asks, "");
    assert_true(settings_may_be_fused(&look));
    asks.unsafe = true;
    check_next(&look, asks, "fused=True");
    look.optimizer_ns = 0.2 * MS;
    check_next(&look, asks, "");
    asks.batch = true;
    check_next(&look, asks, "batch_size=16");
    look.loader.batch = 0;
    check_next(&look, asks, "");
}

static struct prediction predicted_of(const struct look *look, const char *tried, int64_t processors)
{
    struct arena arena = {0};
    struct setting setting;
    struct setting_asks asks = asks_with(tried);
    asks.processors = processors;
    assert_true(settings_next(look, &asks, &arena, &setting));
    arena_free(&arena);
    return setting.predicted;
}

static void workers_save_what_they_make_meanwhile_and_processors_bound_it(void **state)
{
    struct look look = waiting(0);
    /* One makes a batch in 8 ms: 2 are saved. Two make one in 4: 6; but 10 ms of work on two processors take 5. */
    check_near(predicted_of(&look, "", 4).ns, 2 * MS, 1);
    check_near(predicted_of(&look, "", 4).low_ns, 1 * MS, 1); /* of a wait of 9 ms */
    check_near(predicted_of(&look, "", 4).high_ns, 3 * MS, 1);
    check_near(predicted_of(&look, "num_workers=1", 4).ns, 6 * MS, 1);
    check_near(predicted_of(&look, "num_workers=1", 2).ns, 5 * MS, 1);
    look.worked = 0;
    check_near(predicted_of(&look, "num_workers=1", 2).ns, 6 * MS, 1);
    /* At most what is waited for. */
    check_near(predicted_of(&look, "num_workers=1 num_workers=2", 4).ns, 8 * MS, 1);
    const struct prediction predicted = predicted_of(&look, "num_workers=1 num_workers=2", 4);
    check_near(predicted.low_ns, 7 * MS, 1);
    check_near(predicted.high_ns, 8 * MS, 1);
}

/* ---- what is seen of a run ---- */

static void a_look_takes_the_loader_that_is_waited_for_longest(void **state)
{
    int64_t ends[] = {0, 10 * MS, 20 * MS, 30 * MS, 40 * MS}, steps[] = {9 * MS, 9 * MS, MS, MS, MS};
    struct loader loaders[] = {{.workers = 3, .place = S("a:1")}, {.workers = 5, .place = S("b:2")}};
    struct loader_wait waits[] = {{0, MS, MS},         {1, 4 * MS, 2 * MS}, {1, 4 * MS, 2 * MS},
                                  {1, 4 * MS, 2 * MS}, {1, 4 * MS, 2 * MS}, {1, 4 * MS, 2 * MS}};
    const struct record record = {
        .step_ends = {ends, 5},
        .optimizer_steps = {steps, 5},
        .loaders = loaders,
        .loader_count = 2,
        .waits = waits,
        .wait_count = 6,
    };
    const struct look look = look_of(&record, 2);
    assert_true(look.has_loader);
    assert_int_equal(look.number, 1);
    assert_int_equal(look.loader.workers, 5);
    check_near(look.step_ns, 10 * MS, 1);
    check_near(look.wait_ns, 4 * MS, 1);
    check_near(look.wait_low_ns, 4 * MS, 1);
    check_near(look.worked, 0.5, 1e-9);
    check_near(look.optimizer_ns, MS, 1); /* the first two are of the warm-up */
    const struct record few = {.step_ends = {ends, 2}};
    check_near(look_of(&few, 2).step_ns, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_doubled_up_to_the_processors),
        cmocka_unit_test(nothing_is_suggested_of_what_nobody_waits_for),
        cmocka_unit_test(workers_last_where_epochs_end_and_memory_is_pinned_for_a_device),
        cmocka_unit_test(what_may_change_results_is_asked_for),
        cmocka_unit_test(workers_save_what_they_make_meanwhile_and_processors_bound_it),
        cmocka_unit_test(a_look_takes_the_loader_that_is_waited_for_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
