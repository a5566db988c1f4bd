/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of struct analysis: files in, one report out. */
#ifndef CLI_ANALYSE_H
#define CLI_ANALYSE_H

#include "command.h"

/*
 * Runs call's analysis over all inputs and writes the report. One unusable file
 * among several is a warning; when none is usable each is told on standard error
 * and the code is STEPTIME_INPUT.
 */
enum steptime_code analyse(const struct call *call, struct steptime_error *err);

#endif
