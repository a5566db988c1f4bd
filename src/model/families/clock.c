/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <math.h>

#include "engine.h"

/*
 * Watts for each TFLOP/s of single precision that boards of a generation are built for: what the largest boards that hold
 * their clock in such products are rated for, by their data sheets (GTX 1080 Ti and P100, RTX 2080 Ti and V100, RTX 3090,
 * RTX 4090). A board that is rated for less, as T4 and L4 are, lowers its clock when it is busy for long.
 */
static double watts_per_tflops(const struct hardware *hardware)
{
    const double *figure = hardware->figure;
    const bool fp8 = figure[HW_FP8] > 0, tf32 = figure[HW_TF32] > 0;
    const bool matrix_units = figure[HW_FP16] > 3 * figure[HW_FP32];
    return fp8 ? 5.4 : tf32 ? 9.8 : matrix_units ? 17 : 18;
}

double clock_watts(const struct hardware *hardware, double flop_per_s)
{
    return watts_per_tflops(hardware) * flop_per_s / 1e12;
}

double clock_missing_power(const struct hardware *hardware, double energy)
{
    const double need = clock_watts(hardware, energy * hardware->figure[HW_FP32]);
    return hardware->figure[HW_POWER] > 0 ? fmax(0, need / hardware->figure[HW_POWER] - 1) : 0;
}

/*
 * Bursts beyond the power are what was measured of NVIDIA's boards. AMD's hold the clock down from the start: rows of the MI210 by
 * themselves are as far below the full clock at 64 us as at 10 ms.
 */
double clock_burst_us(const struct hardware *hardware, double burst_us)
{
    return str_starts(hardware->name, S("AMD ")) ? 0 : burst_us;
}

double clock_shown_us(double lost_us, double burst_us, double sharp)
{
    if (lost_us <= 0 || burst_us <= 0)
        return fmax(0, lost_us);
    return lost_us / (1 + quick_power(burst_us / lost_us, sharp));
}

double lack_of_power(const struct hardware *hardware, double ideal_us, double flop_per_us, double loss)
{
    const double board = hardware->figure[HW_POWER], decades = fmin(1.5, fmax(0, log10(ideal_us / 30)));
    return board > 0 ? 1 + loss * decades * flop_per_us / 1e6 / (2 * board) : 1;
}
