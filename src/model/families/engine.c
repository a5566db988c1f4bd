/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <math.h>

double first_above_0(double a, double b, double c)
{
    return a > 0 ? a : b > 0 ? b : c;
}

double of_library(enum library library, double sglang, double trtllm)
{
    switch (library) {
    case LIBRARY_SGLANG:
        return sglang;
    case LIBRARY_TRTLLM:
        return trtllm;
    case LIBRARY_VLLM:
        return 1;
    default:
        return cbrt(sglang * trtllm);
    }
}

uint32_t serving_libraries(const struct kernel *kernel)
{
    (void)kernel;
    return 1u << LIBRARY_SGLANG | 1u << LIBRARY_TRTLLM | 1u << LIBRARY_VLLM;
}

static const double usual_clock = 1.5e9;

double clocks_in_us(const struct hardware *hardware)
{
    return first_above_0(hardware->figure[HW_CLOCK], usual_clock, usual_clock) / 1e6;
}

/*
 * Of the peak what products of 8192 cubed reach on A100, H100, B200 and GB200 (0.85, 0.78, 0.71, 0.65): coefficients are fitted
 * to that, so where a board is known to reach another share, its peak is taken as that much more or less. Known of 16 bits.
 */
static const double usual_share = 0.75;

double matrix_reach(const double *figure)
{
    return figure[HW_MATRIX_SHARE] > 0 ? figure[HW_MATRIX_SHARE] / usual_share : 1;
}

double matrix_peak(enum dtype dtype, const double *figure)
{
    const double half = first_above_0(figure[HW_BF16], figure[HW_FP16], figure[HW_FP32]), reach = matrix_reach(figure);
    if (dtype == DTYPE_F8)
        return first_above_0(figure[HW_FP8], half, half);
    return reach * (dtype == DTYPE_F16 ? first_above_0(figure[HW_FP16], half, half) : half);
}

double product_peak(const struct kernel *kernel, const double *figure)
{
    enum precision precision;
    const double half = first_above_0(figure[HW_BF16], figure[HW_FP16], figure[HW_FP32]);
    return format_precision(kernel->format, &precision) ? first_above_0(figure[HW_FP32 + (int)precision], half, half)
                                                        : matrix_peak(kernel->dtype, figure);
}

double overlap_of_four(const double *us, double knee, double enough_us)
{
    const double most = fmax(fmax(us[0], us[1]), fmax(us[2], us[3]));
    double sum = 0;
    if (most >= enough_us)
        return most;
    for (int i = 0; i < 4; i++)
        sum += quick_power(us[i] / most, knee);
    return most * quick_power(sum, 1 / knee);
}

double quick_power(double base, double exponent)
{
    return (double)powf((float)base, (float)exponent);
}

double share_in_l2(const struct hardware *hardware, double bytes)
{
    const double crowd = bytes / (0.7 * fmax(hardware->figure[HW_L2_BYTES], 1));
    return 1 / (1 + crowd * crowd * crowd);
}

bool has_pairs(const struct hardware *hardware)
{
    return hardware->figure[HW_FP4] > 0 && hardware->figure[HW_SHARED_BYTES_PER_SM] > 200 * 1024;
}
