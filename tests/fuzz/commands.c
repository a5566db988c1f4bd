/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace, through every command that reads traces: an error with a line, or one JSON document. */
#include <assert.h>
#include <string.h>

#include "cli/program/commands.h"
#include "memory_file.h"
#include "steptime/steptime.h"
#include "text/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The scanner wants room behind the text. */
static void check_json(const char *text, size_t bytes)
{
    char *padded = calloc(1, bytes + JSON_PAD);
    memcpy(padded, text, bytes);
    const char *wrong = NULL, *end = json_value_end(padded, &wrong);
    assert(end && json_blank(end) == padded + bytes);
    free(padded);
}

static void run(const char *command, const char *path)
{
    struct steptime_error err = {0};
    struct steptime_result *result = steptime_run(2, (const char *[]){command, path}, &err);
    if (result)
        check_json(steptime_result_text(result), steptime_result_bytes(result));
    else
        assert(err.code == STEPTIME_INPUT && err.message[0]);
    steptime_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = memory_file(bytes, size);
    for (const struct command *const *at = commands; *at; at++)
        if ((*at)->analysis)
            run((*at)->name, path);
    return 0;
}
