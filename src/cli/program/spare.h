/* SPDX-License-Identifier: Apache-2.0 */
/* No result is written over what the command reads. */
#ifndef CLI_SPARE_H
#define CLI_SPARE_H

#include "command.h"

/* False with STEPTIME_USAGE where an option that names a file to write (--output, --keep) leads to the file that is read. */
bool outputs_spare(const struct call *call, const char *read, struct steptime_error *err);

/*
 * The same of all files that the command line names to be read or run, before any is; and where two options would write the
 * same file. Those in folders are asked by who lists them.
 */
bool outputs_spare_named(const struct call *call, struct steptime_error *err);

#endif
