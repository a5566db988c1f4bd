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
        cmocka_unit_test(the_library_writes_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
