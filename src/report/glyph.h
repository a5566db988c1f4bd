/* SPDX-License-Identifier: Apache-2.0 */
/* Text as a terminal shows it: counted in columns, shortened, wrapped. Texts are printable UTF-8 (str_printable). */
#ifndef REPORT_GLYPH_H
#define REPORT_GLYPH_H

#include "base/arena.h"
#include "base/str.h"

/* Columns it takes: two for East Asian wide characters and emoji, none for combining marks. */
unsigned glyph_width(str text);

/* The longest beginning of at most so many columns. */
str glyph_head(str text, unsigned columns);

/*
 * The text in at most so many columns. Where it is too long its middle goes, since
 * kernels and operators differ at both ends; of a path the beginning; of a call in others more of the end stays. A file of Python
 * and its line stay, whatever stands around them.
 */
str glyph_shorten(struct arena *arena, str text, unsigned columns, str ellipsis);

/* Takes the next line of at most so many columns, broken at blanks and newlines, off *rest; false when nothing is left. */
bool glyph_wrap(str *rest, unsigned columns, str *line);

#endif
