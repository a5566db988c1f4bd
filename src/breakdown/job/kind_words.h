/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of time of a job in words. */
#ifndef BREAKDOWN_KIND_WORDS_H
#define BREAKDOWN_KIND_WORDS_H

#include "job.h"

const char *kind_id(const struct line_kind *kind); /* of the cause, else of the class */
str kind_title(const struct line_kind *kind);      /* the cause, else the class */
str kind_phase(const struct line_kind *kind);      /* "" where it is not known */

/* Cells of the columns class, cause, title, phase, name. */
void kind_cells(const struct line_kind *kind, struct table *table);

#endif
