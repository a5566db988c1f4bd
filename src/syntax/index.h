/* SPDX-License-Identifier: Apache-2.0 */
/* What is looked for in a finished tree without a walk: names by their text, the statement or function around a node. */
#ifndef SYNTAX_INDEX_H
#define SYNTAX_INDEX_H

#include "syntax.h"

/* Fills tree->index, which lies in the arena. */
void index_build(struct arena *arena, struct syntax *tree);

#endif
