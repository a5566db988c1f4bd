/* SPDX-License-Identifier: Apache-2.0 */
/* From a report to bytes, as --format, --output, --table, --rows and --color ask. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "command.h"

/* False: wrong options, or output that did not arrive. Files are whole or untouched. */
bool output_report(const struct call *call, struct report *report, struct steptime_error *err);

/*
 * The first warnings, on standard error: what went wrong with the input must not go unsaid because the output has no place for it,
 * or goes to a file that nobody may look at.
 */
void output_tell_warnings(const struct report *report);

/* As JSON to standard output, of a command that has none of those options. */
bool output_json(const struct call *call, const struct report *report, struct steptime_error *err);

/* Looks at those options before any work is done. */
bool output_check(const struct call *call, struct steptime_error *err);

/* Whether a table that is a detail (table_json_only) is in what will be written: what nobody sees need not be kept. */
bool output_shows(const struct call *call, str table);

/*
 * What is no report: tables as they stream, texts, changed files. It has no place in the library, which gives reports:
 * false with STEPTIME_USAGE there. Asked before any work is done.
 */
bool output_takes_text(const struct call *call, struct steptime_error *err);

/* Plain text to standard output, checked like every other result. The call is NULL of the program itself. */
bool output_text(str text, const struct call *call, struct steptime_error *err);

#endif
