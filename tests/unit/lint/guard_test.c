/* SPDX-License-Identifier: Apache-2.0 */
/* A file over which the analysis dies is left out, and named. The hook stands for a fault of the analysis. */
#include "unit/cmocka_first.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/at_work.h"
#include "lint/lint.h"

static char folder[] = "/tmp/guard_test_XXXXXX";
static const char training[] = "import torch\n\n\ndef train(model, loader, opt):\n    model.cuda()\n"
                               "    total = 0.0\n    for x, y in loader:\n"
                               "        loss = model(x.cuda(non_blocking=True)).sum()\n        opt.zero_grad()\n"
                               "        loss.backward()\n        opt.step()\n        total += loss.item()\n"
                               "    return total\n";

static void write_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(training, file);
    fclose(file);
}

static int make(void **state)
{
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    write_file("bad1.py");
    write_file("bad2.py");
    write_file("good.py");
    return 0;
}

static int clean(void **state)
{
    static const char *const names[] = {"bad1.py", "bad2.py", "good.py"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    return chdir("/") || rmdir(folder);
}

/* ---- faults ---- */

static void dies_over_bad(const char *path)
{
    if (strstr(path, "bad"))
        raise(SIGABRT);
}

static void has_no_memory_for_bad1(const char *path)
{
    if (strstr(path, "bad1"))
        _exit(STEPTIME_MEMORY);
}

static void dies_over_all(const char *path)
{
    (void)path;
    raise(SIGABRT);
}

/* ---- what the worker says of its run ---- */

static bool names(const struct lint *lint, const char *path, const char *why)
{
    for (uint32_t i = 0; i < lint->remark_count; i++)
        if (str_ends(lint->remarks[i].path, str_of(path)) && str_has(lint->remarks[i].message, str_of(why)))
            return true;
    return false;
}

static bool is_left_out(const struct lint *lint, uint32_t files, const char *why)
{
    return lint->file_count == files && lint->skipped_count == 3 - files && lint->finding_count > 0 &&
           names(lint, "bad1.py", why);
}

/* How a run of its own ends: 0 where it goes on and says what is expected. */
static int end_of(void (*fault)(const char *path), const char *path, uint32_t files, const char *why)
{
    const pid_t child = fork();
    if (!child) {
        struct arena arena = {0};
        struct lint lint;
        struct steptime_error err = {0};
        const struct lint_options options = {.paths = &path, .path_count = 1, .threads = 2};
        at_work_alone = true;
        at_work_hook = fault;
        const bool good = lint_run(&options, &arena, &lint, &err) && is_left_out(&lint, files, why);
        _exit(good ? 0 : 9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static void a_file_that_kills_costs_that_file(void **state)
{
    assert_int_equal(end_of(dies_over_bad, ".", 1, "signal 6"), 0);
}

static void a_file_that_takes_all_memory_too(void **state)
{
    assert_int_equal(end_of(has_no_memory_for_bad1, ".", 2, "ran out of memory"), 0);
}

static void where_nothing_is_left_the_run_ends_as_it_died(void **state)
{
    const int one = end_of(dies_over_bad, "bad1.py", 0, ""), all = end_of(dies_over_all, ".", 0, "");
    assert_true(WIFSIGNALED(one) && WTERMSIG(one) == SIGABRT);
    assert_true(WIFSIGNALED(all) && WTERMSIG(all) == SIGABRT);
}

/* ---- one who serves ---- */

/* A look at the folder: as many files are looked at, and as many remarks tell of lost ones. */
static bool looks(void (*fault)(const char *path), const char *path, uint32_t files, uint32_t lost)
{
    struct arena arena = {0};
    struct lint lint;
    struct steptime_error err = {0};
    const struct lint_options options = {.paths = &path, .path_count = 1, .threads = 2, .serves = true};
    at_work_hook = fault;
    const bool good = lint_run(&options, &arena, &lint, &err) && lint.file_count == files && lint.lost_count == lost;
    lint_release(&lint);
    arena_free(&arena);
    return good;
}

/* Whether all looks of a process that serves are as told; its number stays that of the watcher of all. */
static int end_of_service(bool (*service)(void))
{
    const pid_t child = fork();
    if (!child) {
        const pid_t first = getpid();
        at_work_alone = true;
        const bool good = service();
        _exit(good && getppid() == first ? 0 : 9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static bool dies_in_later_looks(void)
{
    return looks(NULL, ".", 3, 0) && looks(dies_over_bad, ".", 1, 2) && looks(has_no_memory_for_bad1, ".", 2, 1) &&
           looks(NULL, ".", 3, 0) && looks(dies_over_bad, ".", 1, 2);
}

static bool loses_all(void)
{
    return looks(dies_over_bad, "bad1.py", 0, 1) && looks(dies_over_all, ".", 0, 3) && looks(NULL, ".", 3, 0);
}

static bool looks_often(void)
{
    for (int i = 0; i < 20; i++)
        if (!looks(NULL, "good.py", 1, 0))
            return false;
    return true;
}

static bool is_killed(void)
{
    return looks(NULL, ".", 3, 0) && looks(NULL, ".", 3, 0) && raise(SIGTERM);
}

static void each_look_of_a_service_is_guarded(void **state)
{
    assert_int_equal(end_of_service(dies_in_later_looks), 0);
}

static void a_service_outlives_a_look_that_loses_all(void **state)
{
    assert_int_equal(end_of_service(loses_all), 0);
}

static void looks_leave_no_processes_behind(void **state)
{
    assert_int_equal(end_of_service(looks_often), 0);
}

static void between_looks_a_service_ends_as_it_dies(void **state)
{
    const int status = end_of_service(is_killed);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_kills_costs_that_file),
        cmocka_unit_test(a_file_that_takes_all_memory_too),
        cmocka_unit_test(where_nothing_is_left_the_run_ends_as_it_died),
        cmocka_unit_test(each_look_of_a_service_is_guarded),
        cmocka_unit_test(a_service_outlives_a_look_that_loses_all),
        cmocka_unit_test(looks_leave_no_processes_behind),
        cmocka_unit_test(between_looks_a_service_ends_as_it_dies),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
