/* SPDX-License-Identifier: Apache-2.0 */
/* A host program: in_library WORD... prints what the library answers, and ends with the code that it tells. */
#include <stdio.h>

#include <steptime/steptime.h>

int main(int count, char **words)
{
    struct steptime_error err;
    struct steptime_result *result = steptime_run(count - 1, (const char *const *)words + 1, &err);
    if (result)
        fwrite(steptime_result_text(result), 1, steptime_result_bytes(result), stdout);
    if (err.code > STEPTIME_JUDGED)
        fprintf(stderr, "%s: %s\n", err.path, err.message);
    steptime_result_free(result);
    return (int)err.code;
}
