/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators under the roofs of their device: arithmetic a byte of least traffic, arithmetic a second. doc/numbers/ops.md
 * defines the table.
 */
#ifndef BREAKDOWN_ROOFLINE_H
#define BREAKDOWN_ROOFLINE_H

#include "operators.h"

/* Section "roofline"; nothing where no operator tells both arithmetic and traffic, or the device was not recorded. */
void roofline_show(const struct operators *const *ranks, uint32_t count, struct report *report);

#endif
