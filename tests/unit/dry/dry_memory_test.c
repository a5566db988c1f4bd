/* SPDX-License-Identifier: Apache-2.0 */
/* The peak of memory, from lives of storages. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dry/memory.h"

static struct dry_memory read_text(const char *text, struct arena *arena)
{
    char path[] = "/tmp/dry-memory-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const struct dry_lives lives = dry_lives_read(path, arena);
    const struct dry_memory memory = dry_memory_of(&lives, arena);
    unlink(path);
    return memory;
}

static void the_peak_is_told_by_kind_and_line(void **state)
{
    struct arena arena = {0};
    const struct dry_memory memory = read_text("+\t1\t1024\tforward\ta.py:1\n" /* a parameter, named later */
                                               "+\t2\t1\tforward\ta.py:2\n"    /* takes 512 */
                                               "s\t1\n"
                                               "+\t3\t4096\tbackward\ta.py:3\n" /* the peak: 5632 */
                                               "-\t3\n"
                                               "+\t4\t2048\tother\ta.py:4\n"
                                               "k\t1\tparameter\n",
                                               &arena);
    assert_int_equal(memory.peak_bytes, 1024 + 512 + 4096);
    assert_true(str_eq(memory.place, S("a.py:3")));
    assert_int_equal(memory.step, 2);
    assert_int_equal(memory.storages, 4);
    assert_int_equal(memory.by_kind[DRY_PARAMETERS], 1024);
    assert_int_equal(memory.by_kind[DRY_ACTIVATIONS], 512);
    assert_int_equal(memory.by_kind[DRY_BACKWARD], 4096);
    assert_int_equal(memory.by_kind[DRY_OTHERS], 0);
    arena_free(&arena);
}

static void what_cannot_be_is_passed_over(void **state)
{
    struct arena arena = {0};
    const struct dry_memory memory = read_text("-\t7\nk\t9\tgradient\n+\t1\t-5\tforward\tx\n+\t1\n\n"
                                               "+\t1\t600\tforward\tx:1\n-\t1\n-\t1\n-\t0\n+\t2\t600\tforward\ty:1\n",
                                               &arena);
    assert_int_equal(memory.peak_bytes, 1024);
    assert_int_equal(memory.storages, 2);
    assert_true(str_eq(memory.place, S("x:1")));
    assert_int_equal(dry_lives_read(NULL, &arena).event_count, 0);
    assert_int_equal(dry_lives_read("/nowhere/at/all", &arena).event_count, 0);
    assert_int_equal(read_text("", &arena).peak_bytes, 0);
    arena_free(&arena);
}

static void sizes_beyond_reason_stay_numbers(void **state)
{
    struct arena arena = {0};
    const struct dry_memory memory =
        read_text("+\t1\t9223372036854775807\tforward\tx:1\n+\t2\t9223372036854775807\tforward\tx:2\n", &arena);
    assert_true(memory.peak_bytes > 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_told_by_kind_and_line),
        cmocka_unit_test(what_cannot_be_is_passed_over),
        cmocka_unit_test(sizes_beyond_reason_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
