/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting a file in its place. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "syntax/rewrite.h"

static char folder[] = "/tmp/rewrite_test.XXXXXX";

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *name, const char *wanted)
{
    char text[100] = "";
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, wanted);
}

static bool rewrite(const char *name, const char *before, const char *after, struct steptime_error *err)
{
    return rewrite_file(name, str_of(before), str_of(after), err);
}

static void a_file_is_replaced_and_keeps_its_rights(void **state)
{
    put("a.py", "old\n");
    chmod("a.py", 0751);
    struct steptime_error err = {0};
    assert_true(rewrite("a.py", "old\n", "new\n", &err));
    assert_holds("a.py", "new\n");
    struct stat status;
    stat("a.py", &status);
    assert_int_equal(status.st_mode & 07777, 0751);
}

static void a_file_that_changed_is_left_alone(void **state)
{
    static const char *const others[] = {"Old\n", "old\n\n", "old", "", "older\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        put("b.py", others[i]);
        struct steptime_error err = {0};
        assert_false(rewrite("b.py", "old\n", "new\n", &err));
        assert_int_equal(err.code, STEPTIME_OUTPUT);
        assert_non_null(strstr(err.message, "changed since it was read"));
        assert_holds("b.py", others[i]);
    }
}

static void a_large_file_is_compared_to_its_end(void **state)
{
    enum { BYTES = 3 << 16 };
    char *text = malloc(BYTES + 1);
    memset(text, 'x', BYTES);
    text[BYTES] = 0;
    put("c.py", text);
    struct steptime_error err = {0};
    assert_true(rewrite("c.py", text, text, &err));
    text[BYTES - 1] = 'y';
    assert_false(rewrite("c.py", text, "new\n", &err));
    free(text);
}

static void a_link_stays_a_link(void **state)
{
    put("real.py", "old\n");
    assert_int_equal(symlink("real.py", "link.py"), 0);
    struct steptime_error err = {0};
    assert_true(rewrite("link.py", "old\n", "new\n", &err));
    assert_holds("real.py", "new\n");
    struct stat status;
    lstat("link.py", &status);
    assert_true(S_ISLNK(status.st_mode));
}

static void what_cannot_be_written_is_said(void **state)
{
    struct steptime_error err = {0};
    assert_false(rewrite("missing.py", "", "new\n", &err));
    assert_int_equal(err.code, STEPTIME_OUTPUT);
    assert_int_equal(access("missing.py", F_OK), -1);
    assert_false(rewrite(".", "", "new\n", &err));
    assert_false(rewrite("/dev/null", "", "new\n", &err));
    assert_string_equal(err.message, "is no plain file");
}

/* Root may write everything, so it becomes somebody else for a while. */
static void a_file_without_rights_is_left_alone(void **state)
{
    put("d.py", "old\n");
    chmod("d.py", 0444);
    chmod(".", 0755);
    const uid_t user = geteuid();
    if (user == 0)
        assert_int_equal(seteuid(65534), 0);
    struct steptime_error err = {0};
    const bool written = rewrite("d.py", "old\n", "new\n", &err);
    assert_int_equal(seteuid(user), 0);
    assert_false(written);
    assert_holds("d.py", "old\n");
}

static int enter(void **state)
{
    return !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave(void **state)
{
    static const char *const names[] = {"a.py", "b.py", "c.py", "d.py", "link.py", "real.py"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    return chdir("/") != 0 || rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_and_keeps_its_rights),
        cmocka_unit_test(a_file_that_changed_is_left_alone),
        cmocka_unit_test(a_large_file_is_compared_to_its_end),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(a_file_without_rights_is_left_alone),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
