/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that read and write each element once, in any order:
 *
 *     bytes = rows x cols x accesses x element
 *     memory = bytes / (stream x reached, or bandwidth x efficiency) x (1 - saved x hit)
 *     hit = 1 / (1 + (bytes / (share x L2))^4)      what is still in L2 from the kernel before
 *     us = max(floor, offset x floor + max(memory, elements x operations / peak))     with soft knees
 *
 * The offset is what starting and draining blocks costs, and for a lone call also
 * the launch that the host's work does not hide. Operations an element matter for
 * powers, whose function is long; on the other kernels memory decides.
 *
 * Below the floor only the host counts: floors of one device differ by operator as
 * the host's code does, and those of the table's P100 rows moved by half between
 * operators that were measured on different days (doc/models.md).
 */
#include <math.h>

#include "family.h"

enum coefficient { FLOOR_US, OFFSET, EFFICIENCY, REACHED, OPERATIONS, SHARE, SAVED, COEFFICIENTS };

static const struct parameter parameters[COEFFICIENTS] = {
    [FLOOR_US] = {"floor_us", 30, 2, 200, 1.5, "the least that a lone call takes, us", true},
    [OFFSET] = {"offset", 0.57, 0.3, 0.95, 0.2, "of the floor that a lone call takes besides its work", false},
    [EFFICIENCY] = {"efficiency", 0.8, 0.3, 1.05, 0.15, "of memory bandwidth, where it is not known what streams reach",
                    false},
    [REACHED] = {"reached", 1, 0.85, 1.2, 0.05, "of the bandwidth that streams were measured to reach", false},
    [OPERATIONS] = {"operations", 15, 1, 250, 0.3, "an element, as multiplications of the peak", false},
    [SHARE] = {"share", 0.6, 0.2, 1.5, 0.3, "of L2 that holds what the kernel before left", false},
    [SAVED] = {"saved", 0.5, 0.05, 0.9, 0.3, "of the time of memory where all of it is in L2", false},
};

/* Operators that were measured by themselves; the others have the coefficients of an addition like them. */
static const char *const measured[] = {"add",  "addu", "div",  "divu", "gelu", "mul",
                                       "mulu", "pow",  "powu", "relu", "tanh"};

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    const bool unary = kernel->elements.accesses <= 2;
    if (unary && str_eq(kernel->variant, S("pow")))
        return "powu";
    if (unary && str_eq(kernel->variant, S("mul")))
        return "mulu";
    if (unary && str_eq(kernel->variant, S("div")))
        return "divu";
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (!(unary && str_eq(kernel->variant, S("add"))) && str_eq(kernel->variant, str_of(measured[i])))
            return measured[i];
    return unary ? "addu" : "add";
}

/* Loads of 2 bytes and 1 are packed as those of 4 are, so arithmetic counts elements whatever their type. */
static double peak(const struct hardware *hardware)
{
    return hardware->figure[HW_FP32] > 0 ? hardware->figure[HW_FP32] : INFINITY;
}

/*
 * Over lists of tensors a block of 512 threads takes a chunk, four elements a thread at a time (PyTorch, multi_tensor_apply):
 * a trip to memory each, however few chunks there are.
 */
static double chunk_s(const struct kernel *kernel)
{
    const double step = 512 * 4, trip_s = 0.6e-6;
    return ceil((double)kernel->elements.chunk / step) * trip_s;
}

/* A measurement repeats a kernel on the same tensors. In a model the kernel before has left what it wrote, not what else is read or written. */
static const double left_by_others = 0.5;

static double work_us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double elements = (double)kernel->elements.rows * (double)kernel->elements.cols, bytes = kernel_bytes(kernel);
    const double l2 = c[SHARE] * hardware->figure[HW_L2_BYTES];
    const double hit = l2 > 0 ? 1 / (1 + pow(bytes / l2, 4)) : 0;
    const double memory = bytes / stream_rate(hardware, c[REACHED], c[EFFICIENCY]) *
                          (1 - c[SAVED] * hit * (kernel->among ? left_by_others : 1));
    const double arithmetic = elements * c[OPERATIONS] / peak(hardware);
    const double issued = scattered_s(hardware, (enum scattered)kernel->elements.scattered, elements);
    return fmax(soft_max(memory, arithmetic, 4), fmax(issued, chunk_s(kernel))) * 1e6;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const double busy = lone_offset_us(kernel, hardware, c[OFFSET] * c[FLOOR_US]) + work_us(kernel, hardware, c);
    return soft_max(lone_floor_us(kernel, hardware, c[FLOOR_US]), busy, 16);
}

/* How rows lie is known in part, and what a chunk takes was read off one kernel. */
static double unlike(const struct kernel *kernel, double us)
{
    (void)us;
    const int64_t scattered = kernel->elements.scattered;
    return scattered == SCATTERED_SOMEHOW ? 0.3 : scattered || kernel->elements.chunk ? 0.15 : 0;
}

const struct family family_elementwise = {
    .name = "elementwise",
    .forms = 1u << FORM_ELEMENTWISE,
    .needs = 1u << HW_MEMORY_RATE,
    .about = "Bytes over bandwidth, less what is still in L2; arithmetic where a function is long.",
    .group = group,
    .unlike = unlike,
    .set_shift = 0.01,
    .lone_tables = true,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .light_us = 40,
    .held = 0.005,
};
