/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that run training scripts have in common: the script's words, numbers of options, lines for people. */
#ifndef CLI_RUN_TRAINING_H
#define CLI_RUN_TRAINING_H

#include "base/arena.h"
#include "cli/program/call.h"

/*
 * The command that trains, ended by NULL: a script that is named alone is run by --python. NULL with STEPTIME_USAGE where there
 * is none.
 */
const char *const *training_words(const struct call *call, struct arena *arena, struct steptime_error *err);

/* The same of the arguments from one on, at least one. */
const char *const *training_words_from(const struct call *call, uint32_t first, struct arena *arena);

/* The interpreter of scripts that are named alone. */
const char *training_python(const struct call *call);

/* Of an option whose value is a number from 0 on. */
bool training_real(const struct call *call, const char *option, double otherwise, double *value,
                   struct steptime_error *err);

/* A line on standard error. */
void training_say(str line);

/* A path as a shell takes it for one word: in single quotes where it holds more than letters, digits and _@%+=:,./- */
str training_in_shell(const char *path, struct arena *arena);

/* Frees the arena, then ends the program as an interrupt asked for that came while a script ran; else gives the code. */
enum steptime_code training_end(struct arena *arena, enum steptime_code code);

#endif
