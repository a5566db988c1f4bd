/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a recurrent layer in one direction, as cuDNN runs them. What a step hands on is wanted by the next, so each
 * takes its own time. The product of the inputs of all steps is a kernel of its own (gemm).
 *
 * Where weights are read anew at each step (groups "steps", "steps_backward"):
 *
 *     work   = 2 batch weights / (efficiency peak)       batch and `filled` beside
 *     read   = bytes of weights / (memory rate)
 *     depth  = units x `depth` / clock                   one tile goes through all that it sums
 *     us     = steps x (gap + work, read and depth with a knee)
 *
 * All but the gap is fitted to tables of cuDNN 5 to 7, whose gaps were 20 to 70 us. Since cuDNN 8 the shortest steps that are
 * published take 7 us forward, and backward 10 without the products of all steps (doc/models.md).
 *
 * A small layer is one kernel that keeps its weights in registers (groups "held", ...): of up to 64 Ki words of weights, which is
 * what the registers of one multiprocessor hold, a step is a few hundred nanoseconds and what the weights add; beyond, they come
 * out of a cache for each few sequences. PyTorch takes it up to `held_units`, of sequences of one length, not in double precision.
 */
#include <math.h>

#include "engine.h"
#include "family.h"

enum coefficient {
    GAP_OLD,
    GAP,
    GAP_BACKWARD,
    EFFICIENCY,
    EFFICIENCY_HALF,
    FILLED,
    MEMORY,
    DEPTH,
    KNEE,
    HELD,
    HELD_WORDS,
    HELD_OUT,
    HELD_BACKWARD,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [GAP_OLD] = {"gap_old", 25, 2, 80, 0.5, "of a step beside its product, before cuDNN 8, us", false},
    [GAP] = {"gap", 7, 7, 7, 0.4, "the same since, forward", false},
    [GAP_BACKWARD] = {"gap_backward", 10, 10, 10, 0.4, "the same since, backward", false},
    [EFFICIENCY] = {"efficiency", 0.7, 0.05, 1, 0.3, "of the peak, of 32 bits", false},
    [EFFICIENCY_HALF] = {"efficiency_half", 0.4, 0.02, 1, 0.4, "the same of matrix units", false},
    [FILLED] = {"filled", 16, 1, 256, 0.5, "sequences that a product takes beside those there are", false},
    [MEMORY] = {"memory", 0.7, 0.1, 1.2, 0.3, "of memory bandwidth", false},
    [DEPTH] = {"depth", 25, 2, 250, 0.5, "clocks for each of what is summed", false},
    [KNEE] = {"knee", 2, 2, 2, 0, "power with which work, reading and depth overlap", false},
    [HELD] = {"kept", 0.35, 0.35, 0.35, 0.3, "of a step whose weights stay in registers, us", false},
    [HELD_WORDS] = {"kept_full", 2, 2, 2, 0.3, "beside, where they fill the registers of a multiprocessor, us", false},
    [HELD_OUT] = {"kept_out", 0.065, 0.065, 0.065, 0.3, "of a thousand words that do not fit, us", false},
    [HELD_BACKWARD] = {"kept_backward", 1.8, 1.8, 1.8, 0.3, "times as long a gradient takes", false},
};

enum { REGISTER_WORDS = 1 << 16, SEQUENCES_TOGETHER = 8 };

/* By how many units PyTorch takes the kernel that keeps them. */
static int64_t held_units(const struct kernel *kernel)
{
    const bool plain = kernel->recurrent.gates == 1;
    return kernel->backward ? (plain ? 256 : 128) : plain ? 384 : 192;
}

static bool is_held(const struct kernel *kernel)
{
    return kernel->recurrent.units <= held_units(kernel) && !kernel->recurrent.packed && kernel->dtype != DTYPE_F64 &&
           kernel->recurrent.width == kernel->recurrent.units;
}

static bool is_half(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    if (is_held(kernel))
        return kernel->backward ? "held_backward" : "held";
    return kernel->backward ? "steps_backward" : "steps";
}

static double weights_of(const struct kernel *kernel)
{
    const double projected = kernel->recurrent.width < kernel->recurrent.units;
    return (double)kernel->recurrent.units * (double)kernel->recurrent.width *
           ((double)kernel->recurrent.gates + projected);
}

static double held_step_us(const struct kernel *kernel, const double *c)
{
    const double words = weights_of(kernel), fills = words / REGISTER_WORDS,
                 rounds = ceil((double)kernel->recurrent.batch / SEQUENCES_TOGETHER),
                 out = fills > 1 ? c[HELD_OUT] * words / 1000 * rounds : 0;
    return (c[HELD] + c[HELD_WORDS] * fmin(fills, 1) + out) * (kernel->backward ? c[HELD_BACKWARD] : 1);
}

/* Peak in FLOP a microsecond: matrix units where there are some for the type, else lanes. */
static double peak_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double lanes = hardware->figure[HW_FP32] * c[EFFICIENCY],
                 matrix = is_half(kernel) ? hardware->figure[HW_FP16] * c[EFFICIENCY_HALF] : 0;
    return fmax(lanes, matrix) * 1e-6;
}

static bool is_old(const struct kernel *kernel)
{
    return kernel->library == LIBRARY_CUDNN && kernel->version != VERSION_UNTOLD &&
           kernel->version < version_of_word(S("8"));
}

static double gap_us(const struct kernel *kernel, const double *c)
{
    return c[is_old(kernel) ? GAP_OLD : kernel->backward ? GAP_BACKWARD : GAP];
}

/* Nothing was fitted to the libraries of today. */
static double unlike(const struct kernel *kernel, double us)
{
    const double since = 0.3;
    (void)us;
    return is_old(kernel) ? 0 : since;
}

static double step_us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double weights = weights_of(kernel);
    const double work = 2 * weights * ((double)kernel->recurrent.batch + c[FILLED]) / peak_of(kernel, hardware, c);
    const double read = weights * kernel_element_bytes(kernel) / (hardware->figure[HW_MEMORY_RATE] * c[MEMORY] * 1e-6);
    const double depth = (double)kernel->recurrent.units * c[DEPTH] / clocks_in_us(hardware);
    return gap_us(kernel, c) + soft_max(soft_max(work, read, c[KNEE]), depth, c[KNEE]);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double one = is_held(kernel) ? held_step_us(kernel, c) : step_us(kernel, hardware, c);
    return lone_floor_us(kernel, hardware, queued_floor_us(hardware)) + (double)kernel->recurrent.steps * one;
}

const struct family family_recurrent = {
    .name = "recurrent",
    .forms = 1u << FORM_RECURRENT,
    .needs = 1u << HW_FP32 | 1u << HW_MEMORY_RATE,
    .about =
        "Steps of a recurrent layer in one direction: a product each, which waits for the one before; of a small layer "
        "one kernel that keeps its weights in registers, analytic.",
    .group = group,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .unlike = unlike,
    /* GPUs that were left out were off by 0.6 at most as a whole, as cuDNN changed between them; set after seeing them. */
    .device_shift = 0.6,
};
