/* SPDX-License-Identifier: Apache-2.0 */
#include "possible.h"

#include <math.h>

static const double least_share = 0.75;

/* The highest peak that the type may be multiplied with; 0: none is known. */
static double peak_of(const struct kernel *kernel, const struct hardware *hardware)
{
    enum precision precision;
    const double *figure = hardware->figure;
    if (kernel->dtype == DTYPE_UNKNOWN || kernel->dtype == DTYPE_F32)
        return fmax(figure[HW_FP32], fmax(figure[HW_FP32_MATRIX], figure[HW_TF32]));
    const bool known = format_precision(kernel->format, &precision) || dtype_precision(kernel->dtype, true, &precision);
    return known ? hardware_peak(hardware, precision) : 0;
}

/* Convolutions are computed with fewer products than their definition has (Winograd, Fourier), so no peak bounds them. */
static double flops_of(const struct kernel *kernel)
{
    return kernel->form == FORM_CONVOLUTION ? 0 : kernel_flops(kernel);
}

/* What links and other devices take part in is bounded by other figures. */
static bool is_of_one_device(const struct kernel *kernel)
{
    return kernel->form != FORM_COLLECTIVE && kernel->form != FORM_ITERATION && kernel->form != FORM_HOST_COPY;
}

double least_possible_us(const struct kernel *kernel, const struct hardware *hardware)
{
    if (!is_of_one_device(kernel))
        return 0;
    const double peak = peak_of(kernel, hardware), rate = hardware->figure[HW_MEMORY_RATE];
    const double brought = fmax(0, kernel_bytes(kernel) - hardware->figure[HW_L2_BYTES]);
    const double arithmetic_s = peak > 0 ? flops_of(kernel) / peak : 0;
    const double memory_s = rate > 0 && hardware->figure[HW_L2_BYTES] > 0 ? brought / rate : 0;
    return fmax(arithmetic_s, memory_s) * 1e6;
}

bool time_is_possible(const struct kernel *kernel, const struct hardware *hardware, double us)
{
    return us >= least_share * least_possible_us(kernel, hardware);
}
