/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a program: what add_argument(), DEFINE_...() of absl and fields of a class declare, with their defaults.
 *
 *     parser.add_argument("--fancy", action="store_true")
 *     ...
 *     if args.fancy: here                    off, where no source and nothing beside the sources gives it
 *
 * A default is what the run has unless somebody gives the option. Any of these may: a keyword, a key or an attribute of
 * that name in the program, a command that is spelled in it, a word in a setting or script beside the sources, a command
 * in a document.
 */
#ifndef SOURCE_OPTIONS_H
#define SOURCE_OPTIONS_H

#include "source/ask/project.h"

/* Of given_build: a call that may declare an option, a string that may spell a command which gives some. */
void options_of_call(struct project *project, struct site call);
void options_of_string(struct project *project, struct site string);

/* The default of a field, where the value stands in the body of a class: of `field(default=x)` as x; SYNTAX_NONE. */
uint32_t options_of_field(const struct syntax *tree, uint32_t value);

#endif
