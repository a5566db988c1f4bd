/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What edits change, as a unified diff with three lines around each change; `git
 * apply` and `patch -p1` take it. It is made from the edits themselves, in one
 * pass over the lines they touch. Lines end in LF here, as both programs see
 * them; a CR is part of its line.
 */
#ifndef SYNTAX_DIFF_H
#define SYNTAX_DIFF_H

#include "base/buf.h"
#include "edit.h"

/*
 * Adds the diff of one file; nothing where the edits change nothing. The edits are in the order of the text and do not
 * overlap (edits_list). `path` is written below a/ and b/, without a leading "./" or "/", quoted as git does where it must.
 */
void diff_add(struct buf *diff, str path, str before, const struct edit *edits, uint32_t count);

#endif
