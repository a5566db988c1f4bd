/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of verify that need no process: words of a command, records of a run, losses and times compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/stat.h"
#include "unit/cmocka_first.h"
#include "verify/compare.h"
#include "verify/pace.h"
#include "verify/record.h"
#include "verify/words.h"

/* ---- words ---- */

/* The words of a text, joined by bars. */
static void check_words(const char *text, const char *wanted)
{
    struct arena arena = {0};
    struct buf joined = {0};
    uint32_t count;
    const char **words = words_of(text, &arena, &count);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(&joined, "%s%s", i ? "|" : "", words[i]);
    buf_char(&joined, 0);
    assert_string_equal(joined.at, wanted);
    assert_null(words[count]);
    buf_free(&joined);
    arena_free(&arena);
}

static void commands_become_words_as_in_a_shell(void **state)
{
    check_words("", "");
    check_words("  python3   -m\tshop.train ", "python3|-m|shop.train");
    check_words("python3 'a b.py' \"c 'd'\" e\\ f", "python3|a b.py|c 'd'|e f");
    check_words("x '' \"\"", "x||");
    check_words("a'b'\"c\"\\d", "abcd");
    check_words("x '$HOME | *' \"\\$5 \\\\ \\n\"", "x|$HOME | *|$5 \\ \\n");
    check_words("x --lr=0.1 k=v", "x|--lr=0.1|k=v");
}

static void what_only_a_shell_knows_goes_to_one(void **state)
{
    static const char *const texts[] = {"a $B",    "a `b`",    "a | b",    "a && b",  "a; b",  "a > b",
                                        "A=1 b",   "a *.py",   "a \"$b\"", "(a)",     "a # b", "~/a",
                                        "a 'open", "a \"open", "a \\",     "a b{1,2}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        const str wanted = str_printf(&arena, "sh|-c|%s", texts[i]);
        check_words(texts[i], wanted.at);
        arena_free(&arena);
    }
}

/* ---- records ---- */

static struct record read_text(const char *text, struct arena *arena)
{
    char path[] = "/tmp/steptime-record-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    struct record record;
    assert_true(record_read(path, arena, &record, NULL));
    unlink(path);
    return record;
}

static void a_record_is_read_line_by_line(void **state)
{
    struct arena arena = {0};
    const struct record record =
        read_text("I 2.13.0+cpu 3.11.7\nL 0x1.8p+1\nS\nL nan\nS\nU\nT ab12 3 0 saved.a b\nX\nD A GPU\n", &arena);
    assert_true(record.any && record.stopped);
    assert_true(str_eq(record.torch, S("2.13.0+cpu")) && str_eq(record.python, S("3.11.7")));
    assert_int_equal(record.loss_count, 2);
    assert_true(record.losses[0] == 3.0 && isnan(record.losses[1]));
    assert_int_equal(record.steps, 2);
    assert_int_equal(record.no_scalars, 1);
    assert_int_equal(record.saved_count, 1);
    assert_true(str_eq(record.saved[0].key, S("saved.a b")) && record.saved[0].count == 3);
    assert_true(str_eq(record.device, S("A GPU")));
    arena_free(&arena);
}

static void a_record_that_breaks_off_gives_what_it_holds(void **state)
{
    struct arena arena = {0};
    const struct record cut = read_text("I 2.13.0 3.11\nS 10\nS 20\nS 3", &arena);
    assert_int_equal(cut.step_ends.count, 2);
    const struct record strange =
        read_text("\n?\nS\nS x\nS 99999999999999999999\nT\nT a\nT a -1 0 k\nI\nB\nL\n\n", &arena);
    assert_int_equal(strange.steps, 3);
    assert_int_equal(strange.step_ends.count, 0);
    assert_int_equal(strange.saved_count, 0);
    struct record none;
    assert_true(record_read("/tmp/no such record", &arena, &none, NULL));
    assert_false(none.any);
    arena_free(&arena);
}

static void the_clock_of_the_device_comes_first_where_it_is_whole(void **state)
{
    struct arena arena = {0};
    const struct record device = read_text("S 1\nB 1\nS 2\nG 0\nG 7\n", &arena);
    const struct record torn = read_text("S 1\nB 1\nS 2\nG 0\n", &arena);
    const struct record none = read_text("B 5\nB 6\n", &arena);
    assert_int_equal(record_ends(&device)->ns[1], 7);
    assert_int_equal(record_ends(&torn)->ns[1], 2);
    assert_int_equal(record_ends(&none)->ns[1], 6);
    arena_free(&arena);
}

/* ---- losses ---- */

static struct loss_comparison compare(double *a, uint32_t a_count, double *b, uint32_t b_count, double relative,
                                      double absolute)
{
    const struct record before = {.losses = a, .loss_count = a_count}, after = {.losses = b, .loss_count = b_count};
    return compare_losses(&before, &after, (struct tolerance){relative, absolute});
}

static void losses_agree_by_bits_or_within_the_tolerance(void **state)
{
    double a[] = {1, 2, NAN, INFINITY, 0}, same[] = {1, 2, -NAN, INFINITY, 0};
    double off[] = {1, 2.002, NAN, INFINITY, -0.0}, far[] = {1, 2, 3, INFINITY, 0};
    assert_true(compare(a, 5, same, 5, 0, 0).agree);
    assert_int_equal(compare(a, 5, same, 5, 0, 0).equal, 5);
    const struct loss_comparison differ = compare(a, 5, off, 5, 0, 0);
    assert_false(differ.agree);
    assert_true(differ.first == 1 && differ.before == 2 && differ.after == 2.002);
    assert_true(fabs(differ.relative - 0.002 / 2.002) < 1e-15);
    assert_true(compare(a, 5, off, 5, 1.1e-3, 0).agree);
    assert_false(compare(a, 5, off, 5, 0.9e-3, 0).agree);
    assert_true(compare(a, 5, off, 5, 0, 0.0021).agree);
    assert_int_equal(compare(a, 5, far, 5, 1e9, 1e9).first, 2); /* NaN is near to nothing */
    assert_true(isinf(compare(a, 5, far, 5, 0, 0).worst));
}

static void fewer_losses_never_agree(void **state)
{
    double a[] = {1, 2, 3};
    const struct loss_comparison short_of = compare(a, 3, a, 2, 1, 1);
    assert_false(short_of.agree);
    assert_int_equal(short_of.first, COMPARE_NONE);
    assert_true(compare(a, 0, a, 0, 0, 0).agree);
}

/* ---- times ---- */

static struct pace pace_from(int64_t *ends, uint32_t count, int64_t warmup, struct arena *arena)
{
    const struct record record = {.step_ends = {ends, count}};
    return pace_of(&record, warmup, arena);
}

static void a_step_lasts_from_the_end_of_the_one_before(void **state)
{
    struct arena arena = {0};
    int64_t ends[] = {100, 110, 130, 160};
    const struct pace all = pace_from(ends, 4, 0, &arena), behind = pace_from(ends, 4, 3, &arena);
    assert_int_equal(all.count, 3);
    assert_true(all.ns[0] == 10 && all.ns[1] == 20 && all.ns[2] == 30);
    assert_true(behind.count == 1 && behind.ns[0] == 30);
    assert_int_equal(pace_from(ends, 4, 4, &arena).count, 0);
    assert_int_equal(pace_from(ends, 0, 5, &arena).count, 0);
    arena_free(&arena);
}

static void ratios_are_of_medians_of_means_and_of_pairs(void **state)
{
    int64_t a[] = {20, 20, 80}, b[] = {10, 10, 10};
    const struct pace before = {a, 3}, after = {b, 3}, none = {NULL, 0};
    const struct pace_ratio ratio = pace_compare(&before, &after, 1);
    assert_true(ratio.ratio == 2 && ratio.of_means == 4);
    assert_true(fabs(ratio.p10 - 2) < 1e-6 && fabs(ratio.p90 - 6.8) < 1e-6); /* 2 2 8, between ranks */
    assert_true(pace_compare(&none, &none, 1).ratio == 0);
    assert_true(pace_compare(&before, &none, 1).ratio == 0);
    const struct pace_summary summary = pace_summarise(&before, 1);
    assert_true(summary.steps == 3 && summary.p50_ns == 20 && summary.mean_ns == 40);
    assert_int_equal(a[2], 80); /* still in the order of the run */
}

/* Uniform in [0, 1), the same each time. */
static double draw(void)
{
    static uint64_t seed = 88172645463325252;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += draw();
    return sum - 6;
}

/* Runs that vary by `run` and steps that vary by `step` (of ln), the second script `gain` times as fast. */
static struct pace_ratio drawn(uint32_t runs, double run, double step, double gain)
{
    enum { STEPS = 30, MOST = 8 };
    static int64_t ns[2][MOST][STEPS];
    struct pace paces[2][MOST];
    for (uint32_t i = 0; i < runs; i++)
        for (int side = 0; side < 2; side++) {
            const double pace = (side ? 1e7 / gain : 1e7) * exp(run * normal());
            for (int k = 0; k < STEPS; k++)
                ns[side][i][k] = (int64_t)(pace * exp(step * normal()));
            paces[side][i] = (struct pace){ns[side][i], STEPS};
        }
    return pace_compare(paces[0], paces[1], runs);
}

static void the_interval_holds_what_it_says(void **state)
{
    enum { TRIALS = 2000 };
    static const double noise[][2] = {{0.02, 0.1}, {0, 0.1}, {0.1, 0.01}};
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        int held = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            const struct pace_ratio ratio = drawn(4, noise[i][0], noise[i][1], 1.2);
            held += ratio.low <= 1.2 && 1.2 <= ratio.high;
        }
        assert_in_range(held, TRIALS * 94 / 100, TRIALS);
    }
}

/* Steps of a length in ns; of a hundred `stalls` take five times as long, as on a machine that others use. */
struct kind_of_steps {
    double ns, run, step;
    int stalls;
};

enum { SOME_STEPS = 30, MOST_RUNS = 200 };

static struct pace_ratio run_steps(uint32_t runs, struct kind_of_steps of, double gain)
{
    static int64_t ns[2][MOST_RUNS][SOME_STEPS];
    static struct pace paces[2][MOST_RUNS];
    for (uint32_t i = 0; i < runs; i++)
        for (int side = 0; side < 2; side++) {
            const double pace = (side ? of.ns / gain : of.ns) * exp(of.run * normal());
            for (int k = 0; k < SOME_STEPS; k++)
                ns[side][i][k] = (int64_t)(pace * exp(of.step * normal()) * (100 * draw() < of.stalls ? 5 : 1));
            paces[side][i] = (struct pace){ns[side][i], SOME_STEPS};
        }
    return pace_compare(paces[0], paces[1], runs);
}

/* Of 0.03 to 11 ms, quiet and on a machine in use. */
static const struct kind_of_steps kinds[] = {{3e4, 0.02, 0.10, 0},  {3e4, 0.08, 0.30, 10}, {3e5, 0.05, 0.10, 5},
                                             {1e6, 0.05, 0.20, 10}, {11e6, 0.02, 0.05, 0}, {11e6, 0.10, 0.20, 15}};

/* A script against itself: a verdict is wrong. 2 runs of 30 steps are the fewest that are judged. */
static void what_is_alike_is_seldom_told_apart(void **state)
{
    enum { TRIALS = 1500 };
    static const uint32_t runs[] = {2, 4, 8};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
            int wrong = 0;
            for (int trial = 0; trial < TRIALS; trial++)
                wrong += run_steps(runs[r], kinds[i], 1).verdict != PACE_NOISY;
            assert_in_range(wrong, 0, TRIALS * 65 / 1000); /* 5 %, and 2.7 deviations of chance */
        }
}

/* As many runs as are said to tell a difference of the size that was seen do so in four cases of five. */
static void what_is_said_to_tell_does(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int asked = 0, told = 0;
        for (int trial = 0; trial < 4000 && asked < 400; trial++) {
            const struct pace_ratio first = run_steps(4, kinds[i], 1 + 1.5 * kinds[i].run);
            if (first.verdict != PACE_NOISY || !first.would_tell || first.paired < 1)
                continue;
            asked++;
            told += run_steps(first.would_tell, kinds[i], first.paired).verdict == PACE_FASTER;
        }
        assert_true(asked >= 200);
        assert_in_range(told * 100 / asked, 65, 100);
    }
}

static void a_verdict_follows_from_the_interval(void **state)
{
    assert_int_equal(drawn(4, 0.01, 0.02, 1.5).verdict, PACE_FASTER);
    assert_int_equal(drawn(4, 0.01, 0.02, 0.7).verdict, PACE_SLOWER);
    assert_int_equal(drawn(1, 0.01, 0.02, 9).verdict, PACE_UNKNOWN);
    const struct pace_ratio noisy = drawn(2, 0.3, 0.02, 1.2);
    assert_int_equal(noisy.verdict, PACE_NOISY);
    assert_true(noisy.low < 1 && 1 < noisy.high);
    assert_true(noisy.would_tell == 0 || noisy.would_tell > 2);
}

static void students_t_is_that_of_the_tables(void **state)
{
    assert_true(fabs(stat_t95(1) - 12.706) < 0.001);
    assert_true(fabs(stat_t95(11) - 2.201) < 0.001);
    assert_true(fabs(stat_t95(30) - 2.042) < 0.001);
    assert_true(fabs(stat_t95(1000000) - 1.960) < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_become_words_as_in_a_shell),
        cmocka_unit_test(what_only_a_shell_knows_goes_to_one),
        cmocka_unit_test(a_record_is_read_line_by_line),
        cmocka_unit_test(a_record_that_breaks_off_gives_what_it_holds),
        cmocka_unit_test(the_clock_of_the_device_comes_first_where_it_is_whole),
        cmocka_unit_test(losses_agree_by_bits_or_within_the_tolerance),
        cmocka_unit_test(fewer_losses_never_agree),
        cmocka_unit_test(a_step_lasts_from_the_end_of_the_one_before),
        cmocka_unit_test(ratios_are_of_medians_of_means_and_of_pairs),
        cmocka_unit_test(the_interval_holds_what_it_says),
        cmocka_unit_test(what_is_alike_is_seldom_told_apart),
        cmocka_unit_test(what_is_said_to_tell_does),
        cmocka_unit_test(a_verdict_follows_from_the_interval),
        cmocka_unit_test(students_t_is_that_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
