/* SPDX-License-Identifier: Apache-2.0 */
/* What a piece of memory is for, by the frames that it was made in and by how long it lives. */
#ifndef MEMORY_CATEGORY_H
#define MEMORY_CATEGORY_H

#include "lives.h"
#include "steps.h"

/* `owners`: of memory_common. */
void memory_categorise(struct memory_lives *lives, const struct memory_steps *steps, const struct map *owners);

const char *memory_category_word(enum memory_category category); /* "activations" */

#endif
