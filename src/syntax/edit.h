/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of one file. An edit puts a text in the place of some bytes; a group of
 * edits is what one fix does, and is taken whole or not at all: not where it
 * would touch what a group before it changes. What no edit names stays as it is,
 * byte for byte.
 *
 *     struct edits *edits = edits_new(&arena, tree);
 *     struct edit fix[2];
 *     if (edit_lines_before(&arena, tree, statement, S("n = x.item()"), &fix[0]) && ...)
 *         edits_take(edits, fix, 2);
 *     edits_settle(edits);
 *     const str after = edits_apply(edits, &arena);
 *
 * In the texts '\n' is an end of line; the file's own is written (CRLF, CR).
 */
#ifndef SYNTAX_EDIT_H
#define SYNTAX_EDIT_H

#include "syntax.h"

struct edit {
    uint32_t begin, end; /* the same: an insertion */
    str text;
    uint32_t deletes; /* the statement that it takes away; 0: none */
};

struct edits;

enum { EDITS_REFUSED = UINT32_MAX };

/* Both lie in the arena, the texts of edits that are taken too. The tree must outlive them. */
struct edits *edits_new(struct arena *arena, const struct syntax *tree);

/*
 * Takes a group and returns its number, from 0; EDITS_REFUSED where it overlaps
 * itself or a group before. Insertions at one place do not overlap: they follow
 * one another as they came. An insertion that an earlier group makes too, word
 * for word (an import), is made once. Where it takes away the last statement of a
 * block, `pass` takes its place.
 */
uint32_t edits_take(struct edits *edits, const struct edit *group, uint32_t count);

/* Whether a group makes that insertion already, word for word: taken again it is made once. */
bool edits_makes(const struct edits *edits, const struct edit *insertion);
/* Whether what is inserted at `at` ends with lines below `head` ("  if x:\n"), which begin with `indent`. */
bool edits_ends_below(const struct edits *edits, uint32_t at, str head, str indent);

uint32_t edits_groups(const struct edits *edits);            /* how many were taken, dropped ones counted */
bool edits_holds(const struct edits *edits, uint32_t group); /* it was not dropped */
void edits_drop(struct edits *edits, uint32_t group);

/* Parses the result, and drops each group that brings errors which the file does not have. Returns how many. */
uint32_t edits_settle(struct edits *edits);

/* What holds, in the order of the text. Valid until the next change. */
const struct edit *edits_list(const struct edits *edits, uint32_t *count);
uint32_t edits_group_at(const struct edits *edits, uint32_t i); /* the group of edit i of that list */

/* The text with all of them. */
str edits_apply(const struct edits *edits, struct arena *arena);

/* --- edits of statements; false where one cannot be made cleanly ------------------------------------------------------ */

/* Lines before or behind a statement, with its indent. Not where something else stands on its line there. */
bool edit_lines_before(struct arena *arena, const struct syntax *tree, uint32_t statement, str lines,
                       struct edit *edit);
bool edit_lines_after(struct arena *arena, const struct syntax *tree, uint32_t statement, str lines, struct edit *edit);

/* Takes a statement away with its lines; leaves `pass` where it shares one, or was alone in its block. */
void edit_delete(const struct syntax *tree, uint32_t statement, struct edit *edit);

/* How the lines of this file end: as the first one. */
str edit_line_end(const struct syntax *tree);

#endif
