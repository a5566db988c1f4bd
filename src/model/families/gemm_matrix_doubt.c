/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_matrix_doubt.h"

#include <math.h>

/*
 * Scales of blocks take one kernel or several, by engine and generation, which no figure tells: sglang's least product takes
 * 4 us on H100 and 12 on Blackwell. Set after seeing these.
 */
double matrix_shift(const struct kernel *kernel)
{
    return kernel->format == FORMAT_W8A8_BLOCK ? 0.8 : 0;
}

/*
 * vLLM has other products of eight bits for one row, and from a thousand on, of which those of more rows are further off. By the
 * width of what is left over on H100, over that of all its rows; the shorter ones by H100 and one GPU of Blackwell.
 */
static double doubt_of_vllm(double rows)
{
    const double many = 1024;
    if (rows < 2)
        return 1.5;
    return rows < many ? 0.8 : 1.25 * pow(rows / many, 0.4);
}

/* In eight bits engines differ in how alike their kernels are. */
double matrix_doubt(const struct kernel *kernel)
{
    if (kernel->format != FORMAT_W8A8_FP8)
        return 1;
    switch (kernel->library) {
    case LIBRARY_SGLANG:
        return 1.1;
    case LIBRARY_TRTLLM:
        return 0.5;
    case LIBRARY_VLLM:
        return doubt_of_vllm((double)kernel->product.m);
    default:
        return 1;
    }
}

/*
 * Products that name no engine are cuBLAS's own, of sizes that no engine asks for. On H200, which was not fitted, 20 of them were off
 * by 0.184 (ln, root mean square) where 0.098 was said, 6 batched ones with a short side, which no table has, by 0.9. The other half
 * of its rows judges this (doc/models.md).
 */
double matrix_scatter(const struct kernel *kernel)
{
    const int64_t short_side = 64;
    const bool is_short = kernel->product.n < short_side || kernel->product.reduced < short_side;
    const bool told = kernel->library != LIBRARY_UNTOLD && kernel->library != LIBRARY_UNKNOWN;
    if (told || kernel->format != FORMAT_PLAIN || kernel->dtype == DTYPE_F8)
        return 0;
    return kernel->product.batch > 1 && is_short ? 0.9 : 0.156;
}

/* Root mean squares of ln(one version / another) of three engines on four GPUs, 2,375 to 11,816 shapes each. */
double matrix_versions(const struct kernel *kernel)
{
    if (!format_word(kernel->format).len && kernel->dtype != DTYPE_F8)
        return 0.07;
    if (kernel->format == FORMAT_W4A4_FP4)
        return 0.09;
    return kernel->format == FORMAT_W8A8_BLOCK ? 0.41 : 0.24;
}
