/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock that a board's power holds: one rule for all kernels, launched by themselves or in a model. What arithmetic wants
 * beyond the board's power is lost time. NVIDIA's boards run at their full clock until they have been beyond their power for some
 * milliseconds, so a short kernel shows little of it; AMD's do not, and every kernel shows all.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "hw/hardware.h"

/*
 * What arithmetic of single precision at its peak wants beyond the board's power, over that power; 0: it has enough.
 * `energy`: of an operation, over what the board's generation needs.
 */
double clock_missing_power(const struct hardware *hardware, double energy);

/* Watts for so many FLOP/s of single precision, at the full clock. */
double clock_watts(const struct hardware *hardware, double flop_per_s);

/* By how much lost time half of it shows, `burst_us` for boards that have bursts; 0: all shows at once. */
double clock_burst_us(const struct hardware *hardware, double burst_us);

/* Of time that would be lost for good, what a kernel shows: half of it where that is `burst_us`, all where that is 0. */
double clock_shown_us(double lost_us, double burst_us, double sharp);

/*
 * How much longer than at full clocks a product of matrix units takes that would take so long at its peak: boards are short of
 * power in long ones, each decade by `loss` for a peak of twice the board's watts in TFLOP/s. 1 where the power is not known.
 */
double lack_of_power(const struct hardware *hardware, double ideal_us, double flop_per_us, double loss);

#endif
