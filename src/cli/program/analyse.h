/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of struct analysis: files in, one report out. */
#ifndef CLI_ANALYSE_H
#define CLI_ANALYSE_H

#include "command.h"

/*
 * Runs call's analysis over all inputs and writes the report. Inputs that cannot be used are told in it; where one of
 * them was named itself the code is STEPTIME_INPUT all the same, and *err the first of them. Where none is usable there
 * is no report.
 */
enum steptime_code analyse(const struct call *call, struct steptime_error *err);

#endif
