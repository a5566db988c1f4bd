/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of one step of a list of operators (operator_list.h). The words of
 * the list become the operators that PyTorch would call, with their sizes; rows
 * that a step does several times in a row are a block, done so often as a whole:
 * the layers of a transformer.
 */
#ifndef PROGRAM_LIST_H
#define PROGRAM_LIST_H

#include "operator_list.h"
#include "program.h"

/* Which step of the list; "" stands for the one that comes first. */
struct list_choice {
    str model, mode, seq, batch;
};

/* False with *err: unreadable, no such step, or a row that makes no sense, named by its line. Lives in the arena. */
bool program_of_list(const char *path, const struct list_choice *choice, struct arena *arena, struct program *program,
                     struct steptime_error *err);

#endif
