/* SPDX-License-Identifier: Apache-2.0 */
/* Why a kind of time changed, as far as the traces themselves show it: names of files are no evidence. */
#ifndef DIFF_WHY_H
#define DIFF_WHY_H

#include "change.h"
#include "operators.h"

/* "it left the training loop for worker processes"; "" where nothing is seen. In the arena. */
str diff_why(const struct diff *diff, const struct diff_operators *operators, enum diff_kind kind, struct arena *arena);

#endif
