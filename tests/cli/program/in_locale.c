/* SPDX-License-Identifier: Apache-2.0 */
/* A host program with a locale of its own: in_locale LOCALE WORD... sets it and prints what the library answers. */
#include <locale.h>
#include <stdio.h>

#include <steptime/steptime.h>

int main(int count, char **words)
{
    if (count < 3 || !setlocale(LC_ALL, words[1])) {
        fprintf(stderr, "no locale '%s'\n", count < 2 ? "" : words[1]);
        return 125;
    }
    struct steptime_error err;
    struct steptime_result *result = steptime_run(count - 2, (const char *const *)words + 2, &err);
    if (!result) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        return err.code;
    }
    fwrite(steptime_result_text(result), 1, steptime_result_bytes(result), stdout);
    steptime_result_free(result);
    return 0;
}
