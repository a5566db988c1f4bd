/* SPDX-License-Identifier: Apache-2.0 */
/* A command line as text, cut into words as a shell would, where that needs no shell. */
#ifndef VERIFY_WORDS_H
#define VERIFY_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Quotes and backslashes are understood. Where the text asks for more (variables,
 * pipes, patterns, comments, an open quote, ...) the words are those that hand it
 * to a shell: sh -c TEXT. Ended by NULL; *count does not count that.
 */
const char **words_of(const char *text, struct arena *arena, uint32_t *count);

#endif
