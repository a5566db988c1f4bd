/* SPDX-License-Identifier: Apache-2.0 */
/* Where Python's faulthandler says that a script stood. */
#include "unit/cmocka_first.h"

#include <stdlib.h>
#include <unistd.h>

#include "dry/fault.h"

#define SITE "/usr/lib/python3/site-packages/"
#define HEAD "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f0 (most recent call first):\n"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static str place_in(const char *text)
{
    char path[] = "/tmp/steptime-fault-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const size_t bytes = strlen(text);
    assert_int_equal(write(file, text, bytes), bytes);
    close(file);
    const str place = dry_fault_place(path, &arena);
    unlink(path);
    return place;
}

#define assert_place(text, place) assert_string_equal(str_z(&arena, place_in(text)), place)

static void the_innermost_call_of_the_script(void **state)
{
    assert_place(HEAD "  File \"/tmp/a/steptime_dry_values.py\", line 7 in wrapper\n"
                      "  File \"/usr/lib/python3.12/ctypes/__init__.py\", line 8 in string_at\n"
                      "  File \"" SITE "torch/nn/module.py\", line 9 in forward\n"
                      "  File \"/home/me/my \"own\".py\", line 12 in peek\n"
                      "  File \"/home/me/train.py\", line 30 in <module>\n",
                 "/home/me/my \"own\".py:12");
}

static void else_of_a_package_other_than_pytorch(void **state)
{
    assert_place(HEAD "  File \"" SITE "torch/nn/module.py\", line 9 in forward\n"
                      "  File \"" SITE "lightning/loop.py\", line 10 in run\n"
                      "  File \"" SITE "lightning/main.py\", line 11 in main\n",
                 SITE "lightning/loop.py:10");
    assert_place(HEAD "  File \"" SITE "torch/nn/module.py\", line 9 in forward\n", "");
}

static void what_is_no_call_tells_nothing(void **state)
{
    assert_place("", "");
    assert_place(HEAD "  <no Python frame>\n", "");
    assert_place(HEAD "  File \"/home/me/train.py\", line\n  File \"\n  File \"a.py\", line x in y\n", "");
    assert_int_equal(dry_fault_place("/nowhere/fault", &arena).len, 0);
}

static void signals_have_their_names(void **state)
{
    assert_string_equal(str_z(&arena, dry_fault_signal(139)), "SIGSEGV");
    assert_int_equal(dry_fault_signal(0).len + dry_fault_signal(1).len + dry_fault_signal(128).len, 0);
    assert_true(dry_fault_is_wild_read(139));
    assert_false(dry_fault_is_wild_read(137));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_innermost_call_of_the_script),
        cmocka_unit_test(else_of_a_package_other_than_pytorch),
        cmocka_unit_test(what_is_no_call_tells_nothing),
        cmocka_unit_test(signals_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
