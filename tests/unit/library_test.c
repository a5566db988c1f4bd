/* SPDX-License-Identifier: Apache-2.0 */
/* The library as its users see it: steptime/steptime.h alone. */
#include "cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steptime/steptime.h"

static const char *recorded_trace(void)
{
    static char path[4096];
    const char *source = getenv("STEPTIME_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/recorded/ddp-gloo-rank0.json.gz", source ? source : ".");
    return path;
}

static void a_command_gives_json(void **state)
{
    struct steptime_error err;
    struct steptime_result *result = steptime_run(2, (const char *[]){"info", recorded_trace()}, &err);
    assert_non_null(result);
    const char *text = steptime_result_text(result);
    assert_int_equal(strlen(text), steptime_result_bytes(result));
    assert_int_equal(text[0], '{');
    assert_non_null(strstr(text, "\"command\""));
    steptime_result_free(result);
}

static void another_format_may_be_asked_for(void **state)
{
    const char *words[] = {"info", recorded_trace(), "--format", "csv", "--table", "steps"};
    struct steptime_result *result = steptime_run(6, words, NULL);
    assert_non_null(result);
    assert_int_equal(strncmp(steptime_result_text(result), "rank,", 5), 0);
    steptime_result_free(result);
}

static void failures_are_told_by_code_and_line(void **state)
{
    struct steptime_error err;
    assert_null(steptime_run(2, (const char *[]){"info", "/nowhere/at/all.json"}, &err));
    assert_int_equal(err.code, STEPTIME_INPUT);
    assert_non_null(strstr(err.path, "all.json"));
    assert_null(steptime_run(2, (const char *[]){"info", "--no-such-option"}, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_null(steptime_run(1, (const char *[]){"help"}, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_null(steptime_run(0, NULL, NULL));
}

static struct steptime_result *run_words(const char *const *words, struct steptime_error *err)
{
    int count = 0;
    while (words[count])
        count++;
    return steptime_run(count, words, err);
}

/* Commands that read no trace are functions, too. */
static void every_command_with_a_report_is_there(void **state)
{
    const char *trace = recorded_trace();
    const char *const calls[][6] = {
        {"summary", trace},
        {"breakdown", trace},
        {"kernels", trace},
        {"ops", trace},
        {"critical-path", trace},
        {"ranks", trace},
        {"overheads", trace},
        {"info", trace},
        {"predict", "--mode", "model", "--hw", "V100"},
        {"hw"},
        {"model", "show"},
        {"rules"},
        {"lint", "--fail-on", "never", "."},
        {"fleet", "features", trace},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *words[8] = {0};
        memcpy(words, calls[i], sizeof calls[i]);
        if (!strcmp(words[0], "predict"))
            words[5] = trace;
        if (!strcmp(words[0], "lint"))
            words[3] = getenv("STEPTIME_SOURCE") ? getenv("STEPTIME_SOURCE") : ".";
        struct steptime_error err;
        struct steptime_result *result = run_words(words, &err);
        if (!result)
            print_error("%s: %s: %s\n", words[0], err.path, err.message);
        assert_non_null(result);
        assert_int_equal(err.code, STEPTIME_OK);
        assert_non_null(strstr(steptime_result_text(result), words[0]));
        steptime_result_free(result);
    }
}

static void what_gives_no_report_is_refused(void **state)
{
    const char *const calls[][5] = {{"help"},
                                    {"completion", "bash"},
                                    {"fix", "."},
                                    {"rules", "show", "ST401"},
                                    {"predict", "kernel"},
                                    {"model", "fit", "table.csv"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct steptime_error err;
        assert_null(run_words(calls[i], &err));
        assert_int_equal(err.code, STEPTIME_USAGE);
        assert_non_null(strstr(err.message, "for the program, not for the library"));
    }
}

static void inputs_that_can_be_used_are_answered(void **state)
{
    struct steptime_error err;
    struct steptime_result *result =
        steptime_run(3, (const char *[]){"info", "/nowhere/at/all.json", recorded_trace()}, &err);
    assert_non_null(result);
    assert_int_equal(err.code, STEPTIME_INPUT);
    assert_non_null(strstr(err.path, "all.json"));
    steptime_result_free(result);
}

static void the_library_writes_no_file(void **state)
{
    struct steptime_error err;
    assert_null(steptime_run(4, (const char *[]){"info", recorded_trace(), "-o", "/tmp/never"}, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_gives_json),
        cmocka_unit_test(another_format_may_be_asked_for),
        cmocka_unit_test(failures_are_told_by_code_and_line),
        cmocka_unit_test(every_command_with_a_report_is_there),
        cmocka_unit_test(what_gives_no_report_is_refused),
        cmocka_unit_test(inputs_that_can_be_used_are_answered),
        cmocka_unit_test(the_library_writes_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
