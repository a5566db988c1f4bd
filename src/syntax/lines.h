/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text as Python counts them: LF, CRLF and CR end one. */
#ifndef SYNTAX_LINES_H
#define SYNTAX_LINES_H

#include "syntax.h"

/* Fills line_at and line_count. A line begins behind the last end of line too, if only an empty one. */
void lines_index(struct arena *arena, struct syntax *tree);

#endif
