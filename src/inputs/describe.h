/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a file that is read: what it is, what was wrong with it, which rank it is taken for. */
#ifndef INPUTS_DESCRIBE_H
#define INPUTS_DESCRIBE_H

#include "inputs.h"

/* Fills `about`, `trust` and the remarks. */
void describe_file(struct input_file *file, const struct selection *steps);

/* A remark where the rank is not the one that the file records. */
void describe_rank(const struct inputs *inputs, struct input_file *file, const struct rank *rank);

#endif
