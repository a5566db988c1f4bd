/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a file is a notebook: places are told by cell, and not all can be rewritten. */
#ifndef LINT_CELL_H
#define LINT_CELL_H

#include "lint.h"

struct edit;
struct edits;
struct finding_edit;
struct notebook;

/* A line as people are told it: of a cell of a notebook, or of a file (cell 0). */
struct cell_line {
    uint32_t cell;
    int64_t line;
};

struct cell_line cell_line(const struct lint_file *file, int64_t line);

/* "line 3", "cell 2, line 3", "cell 2"; "" where nothing is known. */
str cell_line_words(struct arena *arena, struct cell_line at);

/* The line as the file has it, without what is masked in it. */
str shown_line(const struct lint_file *file, uint32_t line);

/* Adds the edits that rewrite a match. False where there are none, or where they could not be written to the file. */
bool rewrite_match(const struct check *check, const struct lint_file *file, const struct match *match,
                   struct edits *edits);

/* Edits of the program of a notebook as those of its file. */
struct finding_edit *edits_in_file(const struct notebook *notebook, struct arena *arena, const struct edit *list,
                                   uint32_t count);

#endif
