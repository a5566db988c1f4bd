/* SPDX-License-Identifier: Apache-2.0 */
/* --save DIR: a sketch of each trace, as its file is done. */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "command.h"
#include "inputs/inputs.h"

struct save;

/*
 * Makes the folder; *save is NULL where the call does not ask for it. False with *err: the folder cannot be made, or is an
 * input itself, where traces and their sketches would be read together from then on.
 */
bool save_open(const struct call *call, struct arena *arena, struct save **save, struct steptime_error *err);

/*
 * Writes the sketch of the file's trace: whole or not at all. Called from several threads at once. Its name is that of
 * the rank, where the trace records one or its name says one; else that of the trace, with its host and its place among
 * the inputs, for one of several machines may have the same.
 */
void save_sketch(struct save *save, const struct input_file *file);

/* False with *err: one of them could not be written. NULL is fine. */
bool save_close(const struct save *save, struct steptime_error *err);

/* What is to be said of the sketches: that they are larger than they should be. NULL is fine. */
void save_tell(const struct save *save, struct report *report);

#endif
