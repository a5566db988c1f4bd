/* SPDX-License-Identifier: Apache-2.0 */
#include "possible.h"

#include <math.h>

#include "ops/rows/collective.h"

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

/*
 * Within a server every rank sends, or receives, what the others have of the message over its link at least once, though
 * switches add it up. Where there is no such link, or ranks of several servers meet, no figure bounds it.
 */
static double least_over_links_us(const struct kernel *kernel, const struct hardware *hardware)
{
    const double ranks = (double)kernel->collective.ranks, link = hardware->figure[HW_GPU_LINK];
    const bool whole = kernel->collective.kind == COLLECTIVE_POINT_TO_POINT + 1;
    if (link <= 0 || ranks < 2 || kernel->collective.ranks > kernel->collective.server_ranks)
        return 0;
    return (double)kernel->collective.bytes * (whole ? 1 : (ranks - 1) / ranks) / link * 1e6;
}

/* What links and other devices take part in is bounded by other figures. */
static bool is_of_one_device(const struct kernel *kernel)
{
    return kernel->form != FORM_ITERATION && kernel->form != FORM_HOST_COPY;
}

double least_possible_us(const struct kernel *kernel, const struct hardware *hardware)
{
    if (kernel->form == FORM_COLLECTIVE)
        return least_over_links_us(kernel, hardware);
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
