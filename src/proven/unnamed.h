/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that no rule found in the source. */
#ifndef PROVEN_UNNAMED_H
#define PROVEN_UNNAMED_H

#include "judge.h"

/*
 * Those of linted files that cost something in the rounds, and whose kind says which rule fits, become findings of tier dry.
 * How many there are; in *untold how many had no room.
 */
uint32_t unnamed_tell(struct judging *judging, uint32_t *untold);

#endif
