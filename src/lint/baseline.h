/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that a project knows of already, so that only new ones count:
 *
 *     # steptime baseline: rule, file, how many, statement
 *     ST401	src/train.py	2	total += loss.item()
 *
 * A finding is told by its rule, its file as seen from the folder of the baseline,
 * and the text of its statement with single blanks (of a compound one its head):
 * lines above it may come and go. A statement that changes is new.
 */
#ifndef LINT_BASELINE_H
#define LINT_BASELINE_H

#include "lint.h"

/* Takes those findings of the source away that the file lists, each as often as it says. What traces alone show stays. */
bool baseline_apply(const char *path, struct lint *lint, struct steptime_error *err);

/* Writes the findings of the source as they are. The file is replaced whole, or untouched. */
bool baseline_write(const char *path, const struct lint *lint, struct steptime_error *err);

#endif
