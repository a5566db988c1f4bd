/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of one device that cannot all be true. */
#ifndef HW_CONTRADICTION_H
#define HW_CONTRADICTION_H

#include "hardware.h"

/* "l2_rate is below memory"; how many there are of such in *count. "" where figures agree or are not known. */
str hardware_contradiction(const struct hardware *hardware, struct arena *arena, uint32_t *count);

#endif
