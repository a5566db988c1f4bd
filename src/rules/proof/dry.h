/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of batches that a loader without workers makes, in a training of which each step ends in a wait: the device is
 * idle while the training thread loads, so that a copy waits for nothing, and pinning would be that thread's work too.
 * What is to be mended is the loading (ST604).
 */
#ifndef RULES_DRY_H
#define RULES_DRY_H

#include "rules/ask/ask.h"

/* Whether the gain of the match is broken so. */
bool dry_is(const struct match *match);

/* Breaks the gain of such copies and of their loaders' pinning. Matches in the order of the text. */
void dry_break(const struct check *check, struct match *matches, uint32_t count);

#endif
