/* SPDX-License-Identifier: Apache-2.0 */
/* The table of waits that a dry run writes, whole and broken. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dry/waits.h"

static struct dry_waits read_text(const char *text, size_t bytes, struct arena *arena)
{
    char path[] = "/tmp/dry-waits-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    const struct dry_waits waits = dry_waits_read(path, arena);
    unlink(path);
    return waits;
}

static const char whole[] =
    "steptime-waits\t1\n"
    "w\t1\titem\t4\t37\t12\t/a/train.py:31\t-\t-\t.item()\n"
    "s\t1\t3\t0\n"
    "w\t2\tshape\t128\t5\t3\t/a/train.py:25\t/p/torch/x.py:9\t/a/main.py:7|/a/run.py:8\tmasked_select\n"
    "s\t2\t0\t0\n"
    "c\t2\t256\t/a/train.py:19\t-\tpinned\n"
    "l\t2\t1\t4\t1\t/a/train.py:14\n"
    "r\t/a/train.py\t17:1,18:1\n"
    "m\t3\t1\n"
    "end\n";

static void every_row_is_taken(void **state)
{
    struct arena arena = {0};
    const struct dry_waits waits = read_text(whole, sizeof whole - 1, &arena);
    assert_int_equal(waits.wrong.len, 0);
    assert_int_equal(waits.steps, 2);
    assert_int_equal(waits.count, 2);
    assert_int_equal(waits.at[0].kind, DRY_ITEM);
    assert_int_equal(waits.at[0].queued, 37);
    assert_int_equal(waits.at[0].heavy, 12);
    assert_int_equal(waits.at[0].via.len, 0);
    assert_true(str_eq(waits.at[1].at.file, S("/a/train.py")));
    assert_int_equal(waits.at[1].at.line, 25);
    assert_true(str_eq(waits.at[1].via, S("/p/torch/x.py:9")));
    assert_true(str_eq(waits.at[1].call, S("masked_select")));
    assert_int_equal(waits.at[0].around_count, 0);
    assert_int_equal(waits.at[1].around_count, 2);
    assert_true(str_eq(waits.at[1].around[1].file, S("/a/run.py")));
    assert_int_equal(waits.at[1].around[1].line, 8);
    assert_int_equal(waits.stay_count, 1);
    assert_true(str_eq(waits.stays[0].how, S("pinned")));
    assert_int_equal(waits.loader_count, 1);
    assert_int_equal(waits.loaders[0].workers, 2);
    assert_true(waits.loaders[0].pins);
    assert_int_equal(waits.loaders[0].batches, 4);
    assert_int_equal(waits.ran_count, 2);
    assert_int_equal(waits.ran[1].at.line, 18);
    assert_int_equal(waits.dropped, 3);
    assert_true(waits.lines_short);
    arena_free(&arena);
}

/* Wherever it breaks off, it says so, and nothing of it is used. */
static void no_part_of_it_is_taken_for_the_whole(void **state)
{
    for (size_t bytes = 0; bytes < sizeof whole - 1 - 4; bytes++) {
        struct arena arena = {0};
        const struct dry_waits waits = read_text(whole, bytes, &arena);
        assert_true(waits.wrong.len > 0);
        assert_int_equal(waits.count + waits.stay_count + waits.loader_count + waits.ran_count, 0);
        arena_free(&arena);
    }
}

static void broken_rows_are_told_by_their_line(void **state)
{
    static const char *const rows[] = {
        "x\t1",
        "w\t1\titem\t4\t37\t12\t/a/train.py:0\t-\t-\tx",
        "w\t1\titem\t4\t37\t12\t/a/train.py:99999999999\t-\t-\tx",
        "w\t1\twaits\t4\t37\t12\t/a/train.py:3\t-\t-\tx",
        "w\t0\titem\t4\t37\t12\t/a/train.py:3\t-\t-\tx",
        "w\t1\titem\t-4\t37\t12\t/a/train.py:3\t-\t-\tx",
        "w\t1\titem\t9223372036854775807\t37\t12\t/a/train.py:3\t-\t-\tx",
        "w\t1\titem\t4\t37\t12\ttrain.py\t-\t-\tx",
        "w\t1\titem\t4\t37\t12\t/a/train.py:3\t-\t/a/b.py\tx",
        "w\t1\titem\t4\t37\t12\t/a/train.py:3\t-\t/a:1|/a:2|/a:3|/a:4\tx",
        "s\t2\t0\t0",
        "s\t-1\t0\t0",
        "c\t1\t2\t/a/x.py:1\t-",
        "l\t1\t2\t/a/x.py:1",
        "r\t/a/x.py\t5:0",
        "r\t/a/x.py\t5",
        "r\t/a/x.py\t-5:1",
        "m\t1",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        const str text = str_printf(&arena, "steptime-waits\t1\n%s\nend\n", rows[i]);
        const struct dry_waits waits = read_text(text.at, text.len, &arena);
        assert_true(str_eq(waits.wrong, S("its line 2 is no row of it")));
        arena_free(&arena);
    }
}

static void another_version_and_no_file_are_told(void **state)
{
    struct arena arena = {0};
    static const char later[] = "steptime-waits\t2\nend\n", other[] = "\x7f"
                                                                      "ELF\n";
    assert_true(str_has(read_text(later, sizeof later - 1, &arena).wrong, S("version 2")));
    assert_true(str_has(read_text(other, sizeof other - 1, &arena).wrong, S("no table of waits")));
    assert_true(str_has(dry_waits_read("/nowhere/at/all", &arena).wrong, S("not written")));
    assert_true(str_has(dry_waits_read(NULL, &arena).wrong, S("not written")));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_taken),
        cmocka_unit_test(no_part_of_it_is_taken_for_the_whole),
        cmocka_unit_test(broken_rows_are_told_by_their_line),
        cmocka_unit_test(another_version_and_no_file_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
