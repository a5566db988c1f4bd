/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of batches of which pinned memory spares no wait:
 *
 *     for x, y in loader:
 *         x = x.to(device)              loss.item() of the round before has emptied the device: there is no queue to wait for
 *         y = y.float().to(device)      what is copied is not what the loader gives, and lies in no pinned memory
 *         losses.append(step(x, y).item())
 */
#ifndef RULES_IDLE_COPY_H
#define RULES_IDLE_COPY_H

#include "rules/ask/ask.h"

/* The copy of a batch, of which the wait is all that pinned memory would spare; not a note. */
bool idle_copy_is(const struct match *match);

/* Breaks the gain of such copies. Matches in the order of the text. */
void idle_copy_break(const struct check *check, struct match *matches, uint32_t count);

#endif
