/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a time that a table tells can be: no kernel is faster than the figures of its device. */
#ifndef MODEL_POSSIBLE_H
#define MODEL_POSSIBLE_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/*
 * The least that a device takes for the arithmetic of the kernel by its peak, and for what memory must bring beyond what
 * the L2 holds; of a collective within a server for the message over its link; microseconds. 0 where no figure says anything.
 */
double least_possible_us(const struct kernel *kernel, const struct hardware *hardware);

/* Peaks are of data sheets, and clocks may be somewhat above them: a time below this share of the least cannot be. */
bool time_is_possible(const struct kernel *kernel, const struct hardware *hardware, double us);

#endif
