/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a text that edits have made, as edits of the first text: what several
 * rounds change becomes one diff.
 */
#ifndef SYNTAX_COMPOSE_H
#define SYNTAX_COMPOSE_H

#include "edit.h"

struct edit_list {
    struct edit *at; /* in the order of the text; they do not overlap */
    uint32_t count;
    uint64_t *tags; /* by edit: bits of the caller's; where edits grow together they have those of both. NULL: none */
};

/* `first` changes a text of so many bytes, `then` what comes of it. The list and its texts lie in the arena. */
struct edit_list edits_compose(struct arena *arena, uint32_t bytes, struct edit_list first, struct edit_list then);

#endif
