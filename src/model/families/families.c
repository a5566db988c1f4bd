/* SPDX-License-Identifier: Apache-2.0 */
/* A new family: three names in the table here, and a word in src/meson.build, which builds its text in. */
#include "families.h"

#include <math.h>

extern const struct family family_gemm;
extern const struct family family_attention;
extern const struct family family_attention_decode;
extern const struct family family_collective;
extern const struct family family_collective_queued;
extern const struct family family_convolution;
extern const struct family family_experts;
extern const struct family family_quantize;
extern const struct family family_gemm_matrix;
extern const struct family family_gemm_odd;
extern const struct family family_elementwise;
extern const struct family family_rows_reduced;
extern const struct family family_traffic;
extern const struct family family_iteration;
extern const struct family family_power;
extern const struct family family_recurrent;

extern const char model_gemm[];
extern const size_t model_gemm_bytes;
extern const char model_attention[];
extern const size_t model_attention_bytes;
extern const char model_attention_decode[];
extern const size_t model_attention_decode_bytes;
extern const char model_collective[];
extern const size_t model_collective_bytes;
extern const char model_collective_queued[];
extern const size_t model_collective_queued_bytes;
extern const char model_experts[];
extern const size_t model_experts_bytes;
extern const char model_quantize[];
extern const size_t model_quantize_bytes;
extern const char model_recurrent[];
extern const size_t model_recurrent_bytes;
extern const char model_convolution[];
extern const size_t model_convolution_bytes;
extern const char model_gemm_matrix[];
extern const size_t model_gemm_matrix_bytes;
extern const char model_gemm_odd[];
extern const size_t model_gemm_odd_bytes;
extern const char model_elementwise[];
extern const size_t model_elementwise_bytes;
extern const char model_rows[];
extern const size_t model_rows_bytes;
extern const char model_traffic[];
extern const size_t model_traffic_bytes;
extern const char model_iteration[];
extern const size_t model_iteration_bytes;
extern const char model_power[];
extern const size_t model_power_bytes;

/* New ones come last: the place of a family tells the bins of what its kernels err by themselves (interval.c). */
const struct family_row family_rows[] = {
    {&family_gemm_odd, model_gemm_odd, &model_gemm_odd_bytes},
    {&family_gemm_matrix, model_gemm_matrix, &model_gemm_matrix_bytes},
    {&family_gemm, model_gemm, &model_gemm_bytes},
    {&family_attention_decode, model_attention_decode, &model_attention_decode_bytes},
    {&family_attention, model_attention, &model_attention_bytes},
    {&family_collective_queued, model_collective_queued, &model_collective_queued_bytes},
    {&family_collective, model_collective, &model_collective_bytes},
    {&family_convolution, model_convolution, &model_convolution_bytes},
    {&family_experts, model_experts, &model_experts_bytes},
    {&family_quantize, model_quantize, &model_quantize_bytes},
    {&family_elementwise, model_elementwise, &model_elementwise_bytes},
    {&family_rows_reduced, model_rows, &model_rows_bytes},
    {&family_traffic, model_traffic, &model_traffic_bytes},
    {&family_iteration, model_iteration, &model_iteration_bytes},
    {&family_power, model_power, &model_power_bytes},
    {&family_recurrent, model_recurrent, &model_recurrent_bytes},
};
const uint32_t family_count = sizeof family_rows / sizeof *family_rows;

static bool has(const struct family *family, const struct kernel *kernel, const struct hardware *hardware)
{
    return family->of_power == (kernel->busy_us > 0) && (family->forms >> kernel->form & 1) &&
           (!family->takes || family->takes(kernel)) && (!family->has_device || family->has_device(hardware));
}

const struct family *family_of_kernel(const struct kernel *kernel, const struct hardware *hardware)
{
    for (uint32_t i = 0; i < family_count; i++) {
        if (has(family_rows[i].family, kernel, hardware))
            return family_rows[i].family;
    }
    return NULL;
}

const struct family *kernel_family_of_name(str name)
{
    for (uint32_t i = 0; i < family_count; i++)
        if (str_eq(name, str_of(family_rows[i].family->name)))
            return family_rows[i].family;
    return NULL;
}

str family_group(const struct family *family, const struct kernel *kernel, const struct hardware *hardware)
{
    return family->group ? str_of(family->group(kernel, hardware)) : kernel_form_word(kernel->form);
}

/* ---- what families share ---- */

uint32_t family_libraries(const struct family *family, const struct kernel *kernel)
{
    const bool told = kernel->library != LIBRARY_UNTOLD && kernel->library != LIBRARY_UNKNOWN;
    return family->libraries && !told ? family->libraries(kernel) : 0;
}

double family_doubt(const struct family *family, const struct kernel *kernel)
{
    return family->doubt ? family->doubt(kernel) : 1;
}

double family_most_residual(const struct family *family)
{
    const double usual = 0.7; /* a factor of two */
    return family->most_residual > 0 ? family->most_residual : usual;
}

/* Scaled by the larger, so that no power overflows. What the smaller adds below a thousandth is left out. */
double soft_max(double a, double b, double power)
{
    if (power >= 4 && (a < 0.15 * b || b < 0.15 * a))
        return fmax(a, b);
    const double most = fmax(a, b), least = fmin(a, b);
    return most > 0 ? most * pow(1 + pow(least / most, power), 1 / power) : 0;
}

/*
 * Short products of recorded steps take longer than repeated ones in a CUDA graph: 2.3 to 3.1 us on H100 (four traces), 1.6 on B200,
 * 0.4 and 1.4 on A100; of lone calls in single precision, whose own start is lost in the launch, 4 on V100 and 6 on A100. Their code is
 * to be fetched first, and their operands are where the kernel before left them.
 */
static const double started_us = 1.5, started_single_us = 3;

double among_us(const struct kernel *kernel)
{
    const bool single =
        (kernel->dtype == DTYPE_F32 || kernel->dtype == DTYPE_UNKNOWN) && kernel->format == FORMAT_PLAIN;
    return kernel->alone || !kernel->among ? 0 : single ? started_single_us : started_us;
}

double among_doubt(const struct kernel *kernel, double us)
{
    return log1p(among_us(kernel) / fmax(us, 1));
}

enum { INTEGER_LANES = 64 }; /* of a multiprocessor */

double issue_s(const struct hardware *hardware, double elements, double instructions)
{
    const double rate = hardware->figure[HW_SMS] * INTEGER_LANES * hardware->figure[HW_CLOCK];
    return rate > 0 ? elements * instructions / rate : 0;
}

/*
 * Instructions an element, by enum scattered: read off recorded kernels (32 to 50 where rows are in order, H100, A100 and MI300X;
 * 105 to 120 down columns, A100). Where the order is not known, the mean of both, of logarithms.
 */
static const double scattered_steps[] = {0, 40, 66, 110};

double scattered_s(const struct hardware *hardware, enum scattered scattered, double elements)
{
    const bool known = (size_t)scattered < sizeof scattered_steps / sizeof *scattered_steps;
    return issue_s(hardware, elements, known ? scattered_steps[scattered] : 0);
}

/*
 * A kernel that waits in a full queue starts as the one before it ends: nothing of launching or of events is left, only
 * blocks that begin and drain. The shortest kernels of real traces take 1 to 3 us.
 */
static const double floor_us = 2.5, offset_us = 1.5;

/*
 * On AMD the shortest take longer: half of all kernels of a recorded ResNet step on MI210 3.4 to 4.3 us, of a decoding step on
 * MI300X 4.4 to 6.2, fills of a few bytes 2.
 */
static const double floor_amd_us = 4, offset_amd_us = 2.5;

static bool is_amd(const struct hardware *hardware)
{
    return str_starts(hardware->name, S("AMD "));
}

double queued_floor_us(const struct hardware *hardware)
{
    return is_amd(hardware) ? floor_amd_us : floor_us;
}

double lone_floor_us(const struct kernel *kernel, const struct hardware *hardware, double fitted_us)
{
    return kernel->alone ? fitted_us : fmin(fitted_us, queued_floor_us(hardware));
}

double lone_offset_us(const struct kernel *kernel, const struct hardware *hardware, double fitted_us)
{
    return kernel->alone ? fitted_us : fmin(fitted_us, is_amd(hardware) ? offset_amd_us : offset_us);
}

/*
 * Middles of what half of the calls on an H200 took beside their kernels, where these are short, over 16.5 us of element-wise
 * ones (doc/models.md). No other table has such calls.
 */
static double launches_of_gradient(enum kernel_form form)
{
    switch (form) {
    case FORM_BATCH_NORM:
        return 8;
    case FORM_SOFTMAX:
        return 7;
    case FORM_EMBEDDING:
        return 6;
    default:
        return 5;
    }
}

static double launches_of_optimizer(int64_t states)
{
    return states < 1 ? 3 : states < 2 ? 4 : 7;
}

double lone_launches(const struct kernel *kernel)
{
    if (kernel->backward)
        return launches_of_gradient(kernel->form);
    switch (kernel->form) {
    case FORM_BATCH_NORM:
        return 5;
    case FORM_EMBEDDING:
        return 2;
    case FORM_OPTIMIZER:
        return launches_of_optimizer(kernel->optimizer.states);
    default:
        return 1;
    }
}

double stream_rate(const struct hardware *hardware, double reached, double efficiency)
{
    const double share = hardware->figure[HW_STREAM_SHARE];
    return hardware->figure[HW_MEMORY_RATE] * (share > 0 ? share * reached : efficiency);
}
