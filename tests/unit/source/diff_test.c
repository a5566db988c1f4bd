/* SPDX-License-Identifier: Apache-2.0 */
/* Diffs: as people read them, and as git and patch take them. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "syntax/diff.h"

static struct arena arena;

static str diff_of(const char *path, str before, const struct edit *edits, uint32_t count)
{
    struct buf diff = {0};
    diff_add(&diff, str_of(path), before, edits, count);
    const str text = str_copy(&arena, buf_str(&diff));
    buf_free(&diff);
    return text;
}

static void assert_diff(const char *before, const struct edit *edits, uint32_t count, const char *wanted)
{
    assert_string_equal(str_z(&arena, diff_of("t.py", str_of(before), edits, count)), wanted);
}

/* --- as people read them ---------------------------------------------------------------------------------------------------- */

static void a_change_stands_between_three_lines(void **state)
{
    const struct edit edit = {8, 9, S("X"), 0};
    assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", &edit, 1,
                "--- a/t.py\n+++ b/t.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

static void lines_that_are_put_in_take_none_away(void **state)
{
    const struct edit edit = {2, 2, S("x\ny\n"), 0};
    assert_diff("1\n2\n", &edit, 1, "--- a/t.py\n+++ b/t.py\n@@ -1,2 +1,4 @@\n 1\n+x\n+y\n 2\n");
}

static void lines_that_go_leave_their_neighbours(void **state)
{
    const struct edit edit = {2, 4, S(""), 0};
    assert_diff("1\n2\n3\n", &edit, 1, "--- a/t.py\n+++ b/t.py\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n");
}

static void near_changes_share_a_hunk_and_far_ones_do_not(void **state)
{
    const struct edit near[] = {{0, 1, S("A"), 0}, {14, 15, S("B"), 0}};
    assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", near, 2,
                "--- a/t.py\n+++ b/t.py\n@@ -1,9 +1,9 @@\n-1\n+A\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+B\n 9\n");
    const struct edit far[] = {{0, 1, S("A\nA"), 0}, {16, 17, S("B"), 0}};
    assert_diff(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n", far, 2,
        "--- a/t.py\n+++ b/t.py\n@@ -1,4 +1,5 @@\n-1\n+A\n+A\n 2\n 3\n 4\n@@ -6,4 +7,4 @@\n 6\n 7\n 8\n-9\n+B\n");
}

static void edits_of_one_line_are_one_change(void **state)
{
    const struct edit edits[] = {{0, 1, S("A"), 0}, {2, 3, S("B"), 0}};
    assert_diff("1 2 3\n", edits, 2, "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-1 2 3\n+A B 3\n");
}

static void a_missing_end_of_line_is_said(void **state)
{
    const struct edit edit = {3, 3, S("\nx"), 0};
    assert_diff(
        "1\n2", &edit, 1,
        "--- a/t.py\n+++ b/t.py\n@@ -1,2 +1,3 @@\n 1\n-2\n\\ No newline at end of file\n+2\n+x\n\\ No newline at end "
        "of file\n");
}

static void a_file_can_fill_and_empty(void **state)
{
    const struct edit fill = {0, 0, S("x\n"), 0}, empty = {0, 2, S(""), 0};
    assert_diff("", &fill, 1, "--- a/t.py\n+++ b/t.py\n@@ -0,0 +1 @@\n+x\n");
    assert_diff("x\n", &empty, 1, "--- a/t.py\n+++ b/t.py\n@@ -1 +0,0 @@\n-x\n");
}

static void edits_that_change_nothing_make_no_diff(void **state)
{
    const struct edit edit = {0, 1, S("1"), 0};
    assert_diff("1\n2\n", &edit, 1, "");
    assert_diff("1\n2\n", NULL, 0, "");
}

static void names_are_written_as_git_does(void **state)
{
    const struct edit edit = {0, 1, S("x"), 0};
    assert_true(str_starts(diff_of("./a b.py", S("1\n"), &edit, 1), S("--- a/a b.py\t\n+++ b/a b.py\t\n@@")));
    assert_true(str_starts(diff_of("/c\"\t\xc3.py", S("1\n"), &edit, 1),
                           S("--- \"a/c\\\"\\011\\303.py\"\n+++ \"b/c\\\"\\011\\303.py\"\n@@")));
}

/* --- as programs take them -------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/diff_test.XXXXXX";

static void write_file(const char *name, str text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.at, 1, text.len, file), text.len);
    fclose(file);
}

static str read_back(const char *name)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    struct buf buf = {0};
    for (int c; (c = fgetc(file)) != EOF;)
        buf_char(&buf, (char)c);
    fclose(file);
    const str text = str_copy(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

/* Where it is not installed there is nothing to try. */
static bool have(const char *program)
{
    return system(str_z(&arena, str_printf(&arena, "command -v %s >/dev/null", program))) == 0;
}

static void assert_applies(const char *command, const char *name, str before, str after, str diff)
{
    write_file(name, before);
    write_file("the.diff", diff);
    if (system(command) != 0)
        fail_msg("%s refuses\n%.*s", command, (int)diff.len, diff.at);
    assert_true(str_eq(read_back(name), after));
    remove(name);
}

static uint32_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* Some lines, whose ends are of one kind; the last may have none. */
static str random_text(void)
{
    static const char *const ends[] = {"\n", "\n", "\r\n", "\r"};
    const char *end = ends[below(4)];
    struct buf buf = {0};
    for (uint32_t i = below(40); i; i--)
        buf_printf(&buf, "%u%s", below(9), i == 1 && !below(2) ? "" : end);
    const str text = str_copy(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

static str random_change(void)
{
    static const str changes[] = {{"", 0}, {"x", 1}, {"x\n", 2}, {"\n", 1}, {"x\ny\nz\n", 6}, {"\r\n", 2}, {"1\n", 2}};
    return changes[below(sizeof changes / sizeof *changes)];
}

static struct edits *random_edits(str before)
{
    struct edits *edits = edits_new(&arena, syntax_parse(&arena, S("r.py"), before));
    for (uint32_t i = below(6); i; i--) {
        const uint32_t begin = below((uint32_t)before.len + 1);
        const uint32_t end = begin + below((uint32_t)before.len - begin + 1) * below(2) / 2;
        edits_take(edits, &(struct edit){begin, end, random_change(), 0}, 1);
    }
    return edits;
}

static void take_random_diffs(const char *command, const char *name)
{
    int tried = 0;
    for (seed = 1; tried < 60; tried++) {
        const str before = random_text();
        const struct edits *edits = random_edits(before);
        uint32_t count;
        const struct edit *list = edits_list(edits, &count);
        const str diff = diff_of(name, before, list, count), after = edits_apply(edits, &arena);
        assert_int_equal(diff.len == 0, str_eq(before, after));
        if (diff.len && after.len) /* both programs remove a file that is left empty */
            assert_applies(command, name, before, after, diff);
    }
}

static void git_takes_them(void **state)
{
    if (!have("git"))
        return;
    take_random_diffs("git apply --whitespace=nowarn the.diff", "plain.py");
    take_random_diffs("git apply --whitespace=nowarn the.diff", "with blank.py");
    take_random_diffs("git apply --whitespace=nowarn the.diff", "quote\" \\ \xc3\xa9.py");
}

static void patch_takes_them(void **state)
{
    if (!have("patch"))
        return;
    take_random_diffs("patch --binary -s -p1 <the.diff", "plain.py");
    take_random_diffs("patch --binary -s -p1 <the.diff", "with blank.py");
    take_random_diffs("patch --binary -s -p1 <the.diff", "quote\" \\ \xc3\xa9.py");
}

/* --- size --------------------------------------------------------------------------------------------------------------------- */

static void few_changes_of_a_large_file_cost_little(void **state)
{
    struct buf text = {0};
    for (int i = 0; i < 1000000; i++)
        buf_printf(&text, "line %d of a file\n", i);
    const struct edit edits[] = {{7, 7, S("x"), 0}, {(uint32_t)text.len - 5, (uint32_t)text.len - 4, S("y"), 0}};
    const str diff = diff_of("big.py", buf_str(&text), edits, 2);
    assert_in_range(diff.len, 100, 1000);
    assert_true(str_has(diff, S("@@ -999997,4 +999997,4 @@")));
    buf_free(&text);
}

static void a_file_of_one_line_is_no_trap(void **state)
{
    enum { EDITS = 20000 };
    struct buf text = {0};
    for (int i = 0; i < 40 * EDITS; i++)
        buf_add(&text, S("abcd\r"));
    struct edit *edits = arena_array(&arena, EDITS, sizeof *edits);
    for (uint32_t i = 0; i < EDITS; i++)
        edits[i] = (struct edit){200 * i, 200 * i + 1, S("x"), 0};
    const str diff = diff_of("one.py", buf_str(&text), edits, EDITS);
    assert_in_range(diff.len, 2 * text.len, 2 * text.len + 200);
    buf_free(&text);
}

static int enter(void **state)
{
    return !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave(void **state)
{
    arena_free(&arena);
    remove("the.diff");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_stands_between_three_lines),
        cmocka_unit_test(lines_that_are_put_in_take_none_away),
        cmocka_unit_test(lines_that_go_leave_their_neighbours),
        cmocka_unit_test(near_changes_share_a_hunk_and_far_ones_do_not),
        cmocka_unit_test(edits_of_one_line_are_one_change),
        cmocka_unit_test(a_missing_end_of_line_is_said),
        cmocka_unit_test(a_file_can_fill_and_empty),
        cmocka_unit_test(edits_that_change_nothing_make_no_diff),
        cmocka_unit_test(names_are_written_as_git_does),
        cmocka_unit_test(git_takes_them),
        cmocka_unit_test(patch_takes_them),
        cmocka_unit_test(few_changes_of_a_large_file_cost_little),
        cmocka_unit_test(a_file_of_one_line_is_no_trap),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
