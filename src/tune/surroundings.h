/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of the environment that decide how a training script runs: which interpreter and libraries, how many
 * threads, which devices. Others are left out, since some hold secrets.
 */
#ifndef TUNE_SURROUNDINGS_H
#define TUNE_SURROUNDINGS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct variable {
    str name, value;
};

struct surroundings {
    struct variable *at; /* by name */
    uint32_t count;
};

struct surroundings surroundings_now(struct arena *arena);

/* Sets and unsets so that they are these. The names of those that were otherwise, with commas between them; "": none. */
str surroundings_set(const struct surroundings *wanted, struct arena *arena);

#endif
