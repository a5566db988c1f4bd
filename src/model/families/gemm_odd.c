/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on ways that no table has, analytic:
 *
 * Rows of 16 bits that do not begin at 16 bytes. Two bytes cannot go to shared memory past the registers (cp.async takes 4 at
 * least), so cuBLAS takes kernels of Turing's kind: tiles of 128 x 128, an element a lane on the way in, then arithmetic at
 * Turing's rate, then C an element a lane. Nothing of a tile overlaps, blocks of a multiprocessor hide what they wait for.
 *
 *     tile = K x ((tm tn)/512 + (tm + tn)(1/16 + 1/32)) + tm tn / 8 clocks        us = turns x tile / clock + C / memory
 *
 * A few rows by threads (gemmSN in a kernel's name): as long as the instructions for each element of the larger operand.
 */
#include <math.h>

#include "engine.h"
#include "family.h"
#include "tiles.h"

enum coefficient { LAUNCH_US, MEMORY, ARITHMETIC, LOADED, STORED, WRITTEN, VECTOR_STEPS, COEFFICIENTS };

/* Constants: low == high. Of the multiprocessor's rates, as NVIDIA's guides have them; the steps are read off a recorded kernel. */
static const struct parameter parameters[COEFFICIENTS] = {
    [LAUNCH_US] = {"launch_us", 6, 6, 6, 0, "what launching a lone call adds, us", false},
    [MEMORY] = {"memory", 0.8, 0.8, 0.8, 0, "of memory bandwidth", false},
    [ARITHMETIC] = {"arithmetic", 512, 512, 512, 0, "multiplications a clock and multiprocessor", false},
    [LOADED] = {"loaded", 16, 16, 16, 0, "elements a clock out of memory into registers", false},
    [STORED] = {"stored", 32, 32, 32, 0, "elements a clock from there into shared memory", false},
    [WRITTEN] = {"written", 8, 8, 8, 0, "elements of C a clock", false},
    [VECTOR_STEPS] = {"vector_steps", 90, 90, 90, 0, "instructions for each element of the larger operand, by threads",
                      false},
};

enum { SIDE = 128, THIN = 32, ALIGNED_BYTES = 16, LEAST_US = 2 };

static bool is_half(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
}

static bool by_threads(const struct kernel *kernel)
{
    return str_eq(kernel->variant, S("vector"));
}

/* Thin products go by other kernels, from whatever place. */
static bool takes(const struct kernel *kernel)
{
    const int64_t whole = ALIGNED_BYTES / 2;
    const bool matrix = kernel->product.m >= THIN && kernel->product.n >= THIN && kernel->product.reduced > 1;
    return by_threads(kernel) || (is_half(kernel) && kernel->format == FORMAT_PLAIN && matrix &&
                                  (kernel->product.n % whole || kernel->product.reduced % whole));
}

/* AMD's kernels load what is not aligned by vectors, too. */
static bool has_device(const struct hardware *hardware)
{
    return !str_starts(hardware->name, S("AMD "));
}

static double by_threads_us(const struct tiled *on, const struct hardware *hardware, const double *c)
{
    const double larger = on->batch * on->k * fmax(on->m, on->n);
    const double bytes = on->batch * (on->k * (on->m + on->n) + on->m * on->n) * on->element_bytes;
    return fmax(1e6 * issue_s(hardware, larger, c[VECTOR_STEPS]), bytes / (c[MEMORY] * on->bytes_per_us));
}

static double unaligned_us(const struct tiled *on, const struct hardware *hardware, const double *c)
{
    const double tiles = on->batch * ceil(on->m / SIDE) * ceil(on->n / SIDE), turns = fmax(1, ceil(tiles / on->sms));
    const double step = (double)SIDE * SIDE / c[ARITHMETIC] + 2.0 * SIDE * (1 / c[LOADED] + 1 / c[STORED]);
    const double clocks = turns * (on->k * step + (double)SIDE * SIDE / c[WRITTEN]);
    const double read = on->batch * on->k * (on->m + on->n) * on->element_bytes,
                 written = on->batch * on->m * on->n * on->element_bytes;
    return fmax(clocks / clocks_in_us(hardware), read / (c[MEMORY] * on->bytes_per_us)) +
           written / (c[MEMORY] * on->bytes_per_us);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct tiled on = tiled_of(kernel, hardware, hardware->figure[HW_FP32], kernel_element_bytes(kernel));
    return LEAST_US + (kernel->alone ? c[LAUNCH_US] : 0) +
           (by_threads(kernel) ? by_threads_us(&on, hardware, c) : unaligned_us(&on, hardware, c));
}

const struct family family_gemm_odd = {
    .name = "gemm_odd",
    .forms = 1u << FORM_BMM | 1u << FORM_LINEAR,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about =
        "Analytic: products whose rows of 16 bits do not begin at 16 bytes, element by element into tiles; and of a few "
        "rows by threads. No table has them.",
    .takes = takes,
    .has_device = has_device,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
};
