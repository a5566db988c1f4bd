/* SPDX-License-Identifier: Apache-2.0 */
/* From a report to bytes, as --format, --output, --table, --rows and --color ask. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "command.h"

/* False: wrong options, or output that did not arrive. Files are whole or untouched. */
bool output_report(const struct call *call, struct report *report, struct steptime_error *err);

/* Looks at those options before any work is done. */
bool output_check(const struct call *call, struct steptime_error *err);

/* Plain text to standard output, checked like every other result. */
bool output_text(str text, struct steptime_error *err);

#endif
