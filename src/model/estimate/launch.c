/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include <math.h>

#include "interval.h"

/*
 * Floors of lone calls on the hosts of seven GPUs in the public tables (five with CUDA, two with ROCm, 14 operators: 13 to 58 us)
 * over the middle of them: nine of ten are within this (ln), a factor of 1.86; the root mean square is 0.368.
 */
static const double hosts_half_width = 0.62;

/* The shortest kernels of recorded traces take 1 to 3 us on GPUs with CUDA, 2 to 6 on AMD's: queued_floor_us, within this. */
static const double shortest_factor = 2.5;

/* Copies and fills, 0.7 to 3 us: typical ones are no shorter than other kernels, and the shortest are. */
static const double shortest_copy_factor = 3.5;

double launch_half_width(double share, double half_width)
{
    return log1p(fmin(fmax(share, 0), 1) * expm1(half_width));
}

double launch_of(const struct family *family, const double *coefficients, const struct hardware *hardware,
                 const struct kernel *kernel, double lone_us)
{
    struct kernel queued = *kernel;
    queued.alone = false;
    const double us = lone_us > 0 ? lone_us : family->us(kernel, hardware, coefficients);
    return fmax(0, 1 - family->us(&queued, hardware, coefficients) / us);
}

static bool is_copied(const struct kernel *kernel)
{
    return kernel->form == FORM_COPY || kernel->form == FORM_FILL || kernel->form == FORM_HOST_COPY;
}

static double shortest_half_width(const struct hardware *hardware, const struct kernel *kernel, double us)
{
    return launch_half_width(queued_floor_us(hardware) / us,
                             log(is_copied(kernel) ? shortest_copy_factor : shortest_factor));
}

double launch_doubt(const struct family *family, const struct hardware *hardware, const struct kernel *kernel,
                    const struct estimate *estimate)
{
    if (kernel->alone)
        return launch_half_width(estimate->launch_us / estimate->us, hosts_half_width);
    return family->lone_tables ? shortest_half_width(hardware, kernel, estimate->us) : 0;
}

double launch_prior(const struct hardware *hardware, const struct kernel *kernel, const struct estimate *estimate)
{
    const double kernel_us = estimate->us - estimate->launch_us;
    if (!kernel->alone)
        return fmax(log(prior_factor), shortest_half_width(hardware, kernel, estimate->us));
    return log((estimate->launch_us * exp(hosts_half_width) + kernel_us * prior_factor) / estimate->us);
}
