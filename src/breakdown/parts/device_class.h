/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of a device sweep: the parts of device work, compute split by what bounds it. */
#ifndef BREAKDOWN_DEVICE_CLASS_H
#define BREAKDOWN_DEVICE_CLASS_H

#include "part.h"

enum device_class {
    CLASS_COMPUTE_BOUND,
    CLASS_MEMORY_BOUND,
    CLASS_COMMUNICATION,
    CLASS_COPY, /* + part - PART_FIRST_COPY */
    CLASS_MEMSET = CLASS_COPY + COPY_PARTS,
    DEVICE_CLASSES,
};

enum {
    MASK_COMPUTE = 1 << CLASS_COMPUTE_BOUND | 1 << CLASS_MEMORY_BOUND,
    MASK_COMMUNICATION = 1 << CLASS_COMMUNICATION,
    MASK_COPY = (1 << CLASS_MEMSET) - (1 << CLASS_COPY),
    MASK_MEMSET = 1 << CLASS_MEMSET,
    MASK_MEMORY = MASK_COPY | MASK_MEMSET,

    /* the four parts of the cluster framework */
    MASK_INPUT_COPY = 7 << (CLASS_COPY + PART_COPY_H2D_PINNED - PART_FIRST_COPY),
    MASK_COMPUTE_BOUND = 1 << CLASS_COMPUTE_BOUND,
    MASK_MEMORY_BOUND = 1 << CLASS_MEMORY_BOUND | 1 << (CLASS_COPY + PART_COPY_D2D - PART_FIRST_COPY) | MASK_MEMSET,
    MASK_WEIGHT_COMMUNICATION = MASK_COMMUNICATION | 1 << (CLASS_COPY + PART_COPY_P2P - PART_FIRST_COPY),
};

_Static_assert((int)CLASS_MEMSET - (int)CLASS_COMMUNICATION == (int)PART_MEMSET - (int)PART_EXPOSED_COMMUNICATION,
               "classes and parts of device work follow each other alike");

enum device_class device_class(const struct work_classes *classes, uint32_t row);

/* The part that time belongs to while these classes are at work (at least one). */
enum part device_part(uint32_t active);

#endif
