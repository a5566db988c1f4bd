/* SPDX-License-Identifier: Apache-2.0 */
#include "device_class.h"

/* Operators with many operations a byte, as the cluster framework splits them: matrix products and convolutions. */
static bool compute_bound(enum kernel_class class)
{
    return class == KERNEL_GEMM || class == KERNEL_CONVOLUTION || class == KERNEL_ATTENTION;
}

enum device_class device_class(const struct work_classes *classes, uint32_t row)
{
    switch (work_class(classes, row)) {
    case WORK_COMMUNICATION:
        return CLASS_COMMUNICATION;
    case WORK_MEMSET:
        return CLASS_MEMSET;
    case WORK_COPY:
        return CLASS_COPY + part_of_copy(work_copy_direction(classes, row), work_copy_memory(classes, row)) -
               PART_FIRST_COPY;
    default:
        return compute_bound(work_kernel_class(classes, row)) ? CLASS_COMPUTE_BOUND : CLASS_MEMORY_BOUND;
    }
}

enum part device_part(uint32_t active)
{
    if (active & MASK_COMPUTE)
        return PART_COMPUTE;
    return PART_EXPOSED_COMMUNICATION + __builtin_ctz(active) - CLASS_COMMUNICATION;
}
