/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a call: what every command asks of them alike. */
#ifndef CLI_READING_H
#define CLI_READING_H

#include "command.h"
#include "inputs/inputs.h"

/*
 * inputs_read with what the command line says: the paths are its arguments unless `asked` has some, --rank, --steps and
 * --threads count where the command has them. Shows progress, and refuses where an output would be written over an
 * input. Where nothing can be used, all reasons but the one in *err are told on standard error.
 */
bool call_inputs(const struct call *call, struct inputs_asked *asked, struct inputs *inputs,
                 struct steptime_error *err);

/*
 * For a command without a report: what inputs_tell would put there, the first of it, on standard error; except for *err
 * (NULL: all).
 */
void say_inputs(const struct inputs *inputs, const struct steptime_error *err);

#endif
