/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host comes to behind a wait: through the functions that it returns to and calls, and around the loop of steps.
 *
 *     for rows in loader:
 *         rows = rows.to(device)           stays: nothing says how to spare it
 *         losses.append(update(rows))      def update(rows): ...; optimizer.step(); return loss.item()
 *
 * With `.item()` gone the host would wait at the next copy, before it has launched anything: nothing is gained.
 */
#ifndef RULES_AHEAD_H
#define RULES_AHEAD_H

#include "drain.h"

/*
 * Breaks the gain of waits behind which the host comes to waits that stay, and of copies of batches behind which it comes to
 * any other wait. Matches in the order of the text.
 */
void ahead_break(const struct check *check, struct match *matches, uint32_t count, drain_asks *asks);

#endif
