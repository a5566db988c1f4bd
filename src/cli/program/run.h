/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in, for the program and for the library. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "command.h"

/* Runs what the command line asks for, once nothing that is read would be written over. The code is err's, or JUDGED. */
enum steptime_code call_run(const struct call *call, struct steptime_error *err);

#endif
