/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turning a matrix of 16 bits into one of 8, a scale given or found: read once and written once, half of that where the
 * scale has to be found first. A row takes some clocks of a multiprocessor, and engines differ in both and in the floor.
 */
#include <math.h>

#include "engine.h"
#include "family.h"

enum coefficient {
    FLOOR,
    FLOOR_SGLANG,
    FLOOR_TRTLLM,
    LAUNCH_US,
    MEMORY,
    CACHED,
    LOAD,
    LOAD_SGLANG,
    LOAD_TRTLLM,
    ROW,
    ROW_SGLANG,
    ROW_TRTLLM,
    KNEE,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR] = {"floor_us", 2, 0.3, 40, 0.3, "the least that a kernel takes, us", false},
    [FLOOR_SGLANG] = {"floor_sglang", 1, 0.1, 10, 0.3, "the same of sglang's kernels, over that", false},
    [FLOOR_TRTLLM] = {"floor_trtllm", 1, 0.1, 10, 0.3, "the same of TensorRT-LLM's", false},
    [LAUNCH_US] = {"launch_us", 24, 24, 24, 0, "what launching a lone call adds, us", false},
    [MEMORY] = {"memory", 0.85, 0.3, 0.95, 0.1, "of memory bandwidth", false},
    [CACHED] = {"cached", 1.5, 1, 8, 0.3, "rate of what lies in L2, over that of memory", false},
    [LOAD] = {"load", 20, 0.5, 200, 0.3, "bytes a clock through a multiprocessor", false},
    [LOAD_SGLANG] = {"load_sglang", 1, 0.02, 10, 0.3, "the same of sglang's kernels, over that", false},
    [LOAD_TRTLLM] = {"load_trtllm", 1, 0.02, 10, 0.3, "the same of TensorRT-LLM's", false},
    [ROW] = {"row", 300, 1, 60000, 0.3, "clocks of a row, on one multiprocessor", false},
    [ROW_SGLANG] = {"row_sglang", 1, 0.02, 50, 0.3, "the same of sglang's kernels, over that", false},
    [ROW_TRTLLM] = {"row_trtllm", 1, 0.02, 50, 0.3, "the same of TensorRT-LLM's", false},
    [KNEE] = {"knee", 1.5, 1, 8, 0.2, "power with which floor, memory and rows overlap", false},
};

struct parts {
    double floor_us, memory_us, load_us, rows_us, hit;
};

static struct parts parts_of(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double bytes = kernel_bytes(kernel), sms = fmax(hardware->figure[HW_SMS], 1), clocks = clocks_in_us(hardware);
    const double again =
        kernel->quantize.finds_scale ? 1 + 2.0 / 3 : 1; /* the scale is found: 2 bytes in 3 once more */
    const double load = c[LOAD] * of_library(kernel->library, c[LOAD_SGLANG], c[LOAD_TRTLLM]);
    struct parts parts = {.hit = share_in_l2(hardware, bytes)};
    parts.floor_us = c[FLOOR] * of_library(kernel->library, c[FLOOR_SGLANG], c[FLOOR_TRTLLM]);
    parts.memory_us =
        again * bytes * (1 - parts.hit + parts.hit / c[CACHED]) / (c[MEMORY] * hardware->figure[HW_MEMORY_RATE] / 1e6);
    parts.load_us = again * bytes / (load * sms * clocks);
    parts.rows_us = (double)kernel->quantize.rows * c[ROW] * of_library(kernel->library, c[ROW_SGLANG], c[ROW_TRTLLM]) /
                    sms / clocks;
    return parts;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct parts parts = parts_of(kernel, hardware, c);
    const double most = fmax(fmax(parts.floor_us, parts.load_us), fmax(parts.memory_us, parts.rows_us));
    const double sum = quick_power(parts.floor_us / most, c[KNEE]) + quick_power(parts.memory_us / most, c[KNEE]) +
                       quick_power(parts.load_us / most, c[KNEE]) + quick_power(parts.rows_us / most, c[KNEE]);
    return most * quick_power(sum, 1 / c[KNEE]) + (kernel->alone ? c[LAUNCH_US] * lone_launches(kernel) : 0);
}

/* ---- features ---- */

enum feature { SGLANGS, TRTLLMS, LN_MEMORY, LN_ROWS_US, HIT, LN_ROWS, LN_COLS, LN_BYTES, FEATURES };

static const char *const feature_names[FEATURES] = {
    "by sglang",   "by TensorRT-LLM", "ln(memory / floor)", "ln(rows / floor)",
    "share in L2", "ln(rows)",        "ln(columns)",        "ln(bytes / L2)",
};

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    const struct parts parts = parts_of(kernel, hardware, c);
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[LN_MEMORY] = log(parts.memory_us / parts.floor_us);
    to[LN_ROWS_US] = log(parts.rows_us / parts.floor_us);
    to[HIT] = parts.hit;
    to[LN_ROWS] = log((double)kernel->quantize.rows);
    to[LN_COLS] = log((double)kernel->quantize.cols);
    to[LN_BYTES] = log(kernel_bytes(kernel) / fmax(hardware->figure[HW_L2_BYTES], 1));
}

/* ---- the family ---- */

static uint32_t libraries(const struct kernel *kernel)
{
    (void)kernel;
    return 1u << LIBRARY_SGLANG | 1u << LIBRARY_TRTLLM | 1u << LIBRARY_VLLM;
}

/*
 * Most of it is floor, which is of the engine's code for a generation: TensorRT-LLM's is 1.3 us on H100 and 1.75 on B200.
 * So another generation may be far off as a whole; by how much was set after seeing these.
 */
/* The root mean square of ln(one version / another) of two engines on two GPUs. */
static double versions(const struct kernel *kernel)
{
    (void)kernel;
    return 0.08;
}

const struct family family_quantize = {
    .name = "quantize",
    .forms = 1u << FORM_QUANTIZE,
    .needs = 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about = "16 bits to 8: a floor, the matrix through memory or L2, some clocks a row; by library.",
    .libraries = libraries,
    .versions = versions,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .features = feature_names,
    .feature_count = FEATURES,
    .generations = true,
    .near_all = true,
    .far_shift = .5,
    .trees = 60,
    .leaves = 16,
    .rate = .15,
};
