/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file is laid out, so that a rewrite looks as if its people had written
 * it: how wide its lines are, and where a line that grew too long is broken. As
 * black does: at the last bracket, what is in it on a line of its own, or one
 * part a line with a comma behind each.
 */
#ifndef RULES_LAYOUT_H
#define RULES_LAYOUT_H

#include "rules/ask/rule.h"

enum { LAYOUT_LEAST_WIDTH = 88 };

/* The width that the file keeps to: 88, 100 or 120 columns; 120 where it keeps to none. */
uint32_t layout_width(const struct syntax *tree);

/* Columns of the line up to `at`; of the whole line. */
uint32_t layout_line_width(const struct syntax *tree, uint32_t at);

/*
 * The text of a statement that stands on one line at this indent, broken where it is wider than `width`. The text itself
 * where it is not, or cannot be.
 */
str layout_broken(struct arena *arena, str text, str indent, str unit, uint32_t width);

/* The parts of a row between brackets that stand on other lines, one a line; "" where it is no such row. */
str layout_row_broken(struct arena *arena, str row, str indent);

/* "a, b=(1, 2)" as lines "indent a,\nindent b=(1, 2),". "" where it cannot be taken apart. */
str layout_one_a_line(struct arena *arena, str parts, str indent);

#endif
