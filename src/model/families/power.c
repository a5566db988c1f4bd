/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The power that a board draws while a kernel runs, of which the time is told (kernel->busy_us): what the family answers is
 * watts, not microseconds. A board that has work takes something for that alone, something for each operation and
 * something for each byte, until it comes to its limit. By the limit and the memory's rate these are told from board to
 * board: measured were boards of one generation only (B200, GB200).
 */
#include <math.h>

#include "attention.h"
#include "clock.h"
#include "engine.h"
#include "family.h"

enum coefficient {
    IDLE,
    HALF,
    EIGHT,
    FOUR,
    SINGLE,
    TRTLLM,
    BLOCKS,
    OPERATIONS,
    MEMORY,
    BYTES,
    KNEE,
    CAP,
    COEFFICIENTS,
};

/* A spread says how far from what all boards show together one may be (near_all). */
static const struct parameter parameters[COEFFICIENTS] = {
    [IDLE] = {"idle", 0.24, 0.2, 0.28, 0.1, "of a board that has work, over the root of its power and its memory's",
              false},
    [HALF] = {"half", 1.2, 0.05, 4, 0.3, "of operations of 16 bits at the peak, over the board's power", false},
    [EIGHT] = {"eight", 1.8, 0.05, 6, 0.3, "the same of 8 bits", false},
    [FOUR] = {"four", 2, 0.05, 6, 0.3, "the same of 4 bits", false},
    [SINGLE] =
        {"single", 0.8, 0.8, 0.8, 0,
         "of operations of single precision, over what boards are rated for that hold their clock; never measured",
         false},
    [TRTLLM] = {"trtllm", 1, 0.3, 3, 0.3, "of TensorRT-LLM's operations and bytes, over others'", false},
    [BLOCKS] = {"blocks", 1, 0.3, 3, 0.3, "of operations with scales of blocks, over those of 8 bits", false},
    [OPERATIONS] = {"operations", 0.8, 0.3, 1.2, 0.2, "power of the share of the peak that is reached", false},
    [MEMORY] = {"memory", 0.8, 0.05, 1.5, 0.2, "of bytes at the memory's rate, over 100 pJ a byte", false},
    [BYTES] = {"bytes", 0.7, 0.3, 1.2, 0.2, "power of the share of the rate that is reached", false},
    [KNEE] = {"knee", 5, 2, 12, 0.3, "power with which the limit is approached", false},
    [CAP] = {"cap", 0.98, 0.9, 1, 0.02, "of the board's power, at most", false},
};

/* Of memory stacked beside the chip, with the way to the multiprocessors: 101 pJ on both boards. */
static const double joules_a_byte = 100e-12;

/* ---- what a kernel does with the board ---- */

static bool is_narrow(const struct kernel *kernel)
{
    enum precision precision;
    return kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16 || kernel->dtype == DTYPE_F8 ||
           format_precision(kernel->format, &precision);
}

/* The precision of its operations, and their peak. */
static enum coefficient operations_of(const struct kernel *kernel, const double *figure, double *peak)
{
    enum precision precision;
    const double half = matrix_peak(DTYPE_BF16, figure);
    if (format_precision(kernel->format, &precision)) {
        *peak = first_above_0(figure[HW_FP32 + (int)precision], half, half);
        return precision == PRECISION_FP4 ? FOUR : EIGHT;
    }
    const bool narrow = is_narrow(kernel);
    *peak = narrow ? matrix_peak(kernel->dtype, figure) : fmax(figure[HW_FP32], figure[HW_FP32_MATRIX]);
    return kernel->dtype == DTYPE_F8 ? EIGHT : narrow ? HALF : SINGLE;
}

struct use {
    double operations, bytes; /* shares of the peak and of the memory's rate, at most 1 */
    enum coefficient precision;
    double flop_per_s;
};

static struct use use_of(const struct kernel *kernel, const struct hardware *hardware)
{
    const double s = fmax(kernel->busy_us, 1e-3) / 1e6;
    double peak = 0;
    struct use use = {.precision = operations_of(kernel, hardware->figure, &peak)};
    use.operations = peak > 0 ? fmin(1, kernel_flops(kernel) / s / peak) : 0;
    use.flop_per_s = use.operations * peak;
    use.bytes = fmin(1, kernel_bytes(kernel) / s / hardware->figure[HW_MEMORY_RATE]);
    return use;
}

/* Of single precision by what boards are rated for, of matrix units by their share of the peak. */
static double operations_w(const struct kernel *kernel, const struct hardware *hardware, const struct use *use,
                           const double *c)
{
    const double blocks = kernel->format == FORMAT_W8A8_BLOCK ? c[BLOCKS] : 1;
    if (use->precision == SINGLE)
        return c[SINGLE] * clock_watts(hardware, use->flop_per_s);
    return c[use->precision] * blocks * hardware->figure[HW_POWER] * quick_power(use->operations, c[OPERATIONS]);
}

/* Watts. A board's own, without work, stays by the memory's and the board's power alike. */
static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct use use = use_of(kernel, hardware);
    const double board = hardware->figure[HW_POWER], memory = hardware->figure[HW_MEMORY_RATE] * joules_a_byte;
    const double work = operations_w(kernel, hardware, &use, c) + c[MEMORY] * memory * quick_power(use.bytes, c[BYTES]);
    const double wanted = c[IDLE] * sqrt(board * memory) + work * of_library(kernel->library, 1, c[TRTLLM]);
    const double most = c[CAP] * board;
    return wanted / quick_power(1 + quick_power(wanted / most, c[KNEE]), 1 / c[KNEE]);
}

/* ---- groups ---- */

/* Of products in single precision, of links and of whole iterations nothing was measured. */
static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    if (kernel_form_is_matrix(kernel->form) && !is_narrow(kernel))
        return "single";
    switch (kernel->form) {
    case FORM_BMM:
    case FORM_LINEAR:
    case FORM_CONVOLUTION:
        return "products";
    case FORM_EXPERTS:
        return "experts";
    case FORM_ATTENTION:
        return attention_decodes(kernel) ? "decode" : kernel->attention.causal ? "prefill" : "encoder";
    case FORM_COLLECTIVE:
    case FORM_HOST_COPY:
    case FORM_ITERATION:
        return "links";
    default:
        return "memory";
    }
}

/* ---- what the form leaves over ---- */

/* All of the kernel and none of its time: of one kernel that takes longer the watts only fall. */
enum feature { LN_IDEAL, LN_INTENSITY, PRECISION, TRTLLMS, WIDTH, SHARED, NARROW_KEYS, ROWS, FEATURES };

static const char *const feature_names[FEATURES] = {
    "ln(least time / 300 us)", "ln(operations / bytes)", "precision", "by TensorRT-LLM", "width",
    "queries of a key",        "keys of 8 bits",         "ln(rows)",
};

static double rows_of(const struct kernel *kernel)
{
    switch (kernel->form) {
    case FORM_BMM:
    case FORM_LINEAR:
        return (double)kernel->product.m;
    case FORM_EXPERTS:
        return (double)kernel->experts.tokens;
    case FORM_ATTENTION:
        return (double)kernel->attention.batch * (double)kernel->attention.heads;
    default:
        return 1;
    }
}

/* Queries that share a key's heads, where the kernel attends. */
static double queries_of_key(const struct kernel *kernel)
{
    const bool shared = kernel->form == FORM_ATTENTION && kernel->attention.key_heads;
    return shared ? (double)kernel->attention.heads / (double)kernel->attention.key_heads : 1;
}

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    (void)c;
    double peak = 0;
    const enum coefficient precision = operations_of(kernel, hardware->figure, &peak);
    const double least_us = 1e-3, bytes_us = kernel_bytes(kernel) / hardware->figure[HW_MEMORY_RATE] * 1e6 + least_us,
                 flops_us = (peak > 0 ? kernel_flops(kernel) / peak * 1e6 : 0) + least_us;
    to[LN_IDEAL] = log(fmax(bytes_us, flops_us) / 300);
    to[LN_INTENSITY] = log(flops_us / bytes_us);
    to[PRECISION] = (double)precision;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[WIDTH] = kernel->form == FORM_ATTENTION ? (double)kernel->attention.width : 0;
    to[SHARED] = queries_of_key(kernel);
    to[NARROW_KEYS] = kernel->key_dtype == DTYPE_F8;
    to[ROWS] = log(fmax(rows_of(kernel), 1));
}

static bool is_told(const struct kernel *kernel)
{
    return kernel->library != LIBRARY_UNTOLD && kernel->library != LIBRARY_UNKNOWN;
}

/* Of which engine's kernels it is must be told: a mean over engines of what was learned would take long, for little. */
static bool like_measured(const struct kernel *kernel)
{
    const uint32_t measured =
        1u << FORM_BMM | 1u << FORM_LINEAR | 1u << FORM_ATTENTION | 1u << FORM_EXPERTS | 1u << FORM_QUANTIZE;
    return is_told(kernel) && is_narrow(kernel) && (measured >> kernel->form & 1);
}

/* So much further off are the forms than what was learned beside them, on the measured boards, and engines from each other. */
static double doubt(const struct kernel *kernel)
{
    return is_told(kernel) ? 1 : 1.5;
}

/*
 * Of another generation none was measured: as a whole it may be off by 0.45, ln, before what few devices say
 * (estimate/doubt.c), so nine of ten are taken to lie within two fifths. No measurement stands behind that.
 */
const struct family family_power = {
    .name = "power",
    .of_power = true,
    .forms = UINT32_MAX,
    .group = group,
    .needs = 1u << HW_POWER | 1u << HW_MEMORY_RATE,
    .about =
        "Watts of the board while a kernel runs: something for having work, for operations by their share of the peak, "
        "for bytes by their share of the memory's rate, up to the board's limit.",
    .doubt = doubt,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
    .like_measured = like_measured,
    .generations = true,
    .near_all = true,
    .far_shift = 0.45,
    .sibling_shift = 0.12,
    .learn_rows = 250,
    .trees = 40,
    .leaves = 12,
    .rate = 0.15,
};
