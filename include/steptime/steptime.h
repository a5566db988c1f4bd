/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steptime as a library: a command as a function, its result as text in memory.
 *
 *     const char *const words[] = {"breakdown", "trace.json.gz", "--skip-warmup"};
 *     struct steptime_error err;
 *     struct steptime_result *result = steptime_run(3, words, &err);
 *     if (!result)
 *         return complain(err.path, err.message);
 *     parse(steptime_result_text(result), steptime_result_bytes(result));
 *     steptime_result_free(result);
 *
 * The words are those of the command line, without the program's name; the text
 * is the JSON document that `--format json` prints, whose form is a contract.
 * Build with `pkg-config --cflags --libs steptime`.
 */
#ifndef STEPTIME_STEPTIME_H
#define STEPTIME_STEPTIME_H

#include <stddef.h>

#include "steptime/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct steptime_result;

/* "0.1.0" */
const char *steptime_version(void);

/*
 * Runs a command that reads traces. Another --format may be asked for; --output
 * may not. NULL with *err (may be NULL) where the program would end with a code
 * other than 0. Nothing is written to standard output. Several threads may call
 * at once. The caller owns the result.
 */
struct steptime_result *steptime_run(int count, const char *const *words, struct steptime_error *err);

/* The text ends in NUL, which is not counted; it lives as long as the result. */
const char *steptime_result_text(const struct steptime_result *result);
size_t steptime_result_bytes(const struct steptime_result *result);

void steptime_result_free(struct steptime_result *result); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
