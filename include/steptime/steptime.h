/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steptime as a library: a command as a function, its result as text in memory.
 *
 *     const char *const words[] = {"breakdown", "trace.json.gz", "--skip-warmup"};
 *     struct steptime_error err;
 *     struct steptime_result *result = steptime_run(3, words, &err);
 *     if (err.code > STEPTIME_JUDGED)
 *         complain(err.path, err.message);
 *     if (!result)
 *         return;
 *     parse(steptime_result_text(result), steptime_result_bytes(result));
 *     steptime_result_free(result);
 *
 * The words are those of the command line, without the program's name; the text
 * is the JSON document that `--format json` prints, whose form is a contract.
 *
 * Every command is here whose result is a report: all but `fix` (a diff, or
 * changed files), `model fit`, `predict kernel`, `predict graph` (tables and
 * coefficients that stream), `rules show`, `help` and `completion` (texts).
 *
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
 * Runs a command. Another --format may be asked for; --output may not. The
 * caller owns the result; NULL where there is no report.
 *
 * err->code (err may be NULL) is the code that the program would end with. There
 * is a result beside STEPTIME_OK, beside STEPTIME_JUDGED (lint found something),
 * and beside STEPTIME_INPUT where some of the inputs could be used: then *err is
 * one that could not, and the report answers the others.
 *
 * Nothing is written to standard output; warnings for which the format has no
 * place go to standard error. Several threads may call at once, except for `verify`,
 * which runs two programs and listens to the signals of this one meanwhile.
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
