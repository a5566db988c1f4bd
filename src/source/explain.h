/* SPDX-License-Identifier: Apache-2.0 */
/* What the analysis believes, in words: one line an expression. For tests and for who doubts a finding. */
#ifndef SOURCE_EXPLAIN_H
#define SOURCE_EXPLAIN_H

#include "source/project.h"

/* "12:8  loss.item()  float downloaded | step" for each call, attribute, subscript and name of a file, in order. */
str explain_file(struct arena *arena, const struct project *project, uint32_t file);
/* The same of one expression, without the place. */
str explain_site(struct arena *arena, const struct project *project, struct site site);

#endif
