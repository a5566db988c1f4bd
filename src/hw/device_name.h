/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device's name consists of, whatever its spelling: "NVIDIA H100 80GB
 * HBM3", "NVIDIA_H100_80GB_HBM3" and "h100 80 gb" are the same two words.
 * Makers, brands and memory kinds carry nothing that the rest does not.
 */
#ifndef HW_DEVICE_NAME_H
#define HW_DEVICE_NAME_H

#include "base/arena.h"
#include "base/str.h"

enum { DEVICE_NAME_WORDS = 8 };

/* Lower-case words in ascending order. Words past the last are left out and counted. */
struct device_name {
    str words[DEVICE_NAME_WORDS];
    uint32_t count;
};

struct device_name device_name(struct arena *arena, str name);
bool device_name_eq(const struct device_name *a, const struct device_name *b);

/* How far apart two names are: 0 for equal ones, growing with the letters that differ. */
uint32_t device_name_distance(const struct device_name *a, const struct device_name *b);

/* Whether at least half of the letters asked for are in the name, so that it may be what was meant. */
bool device_name_like(const struct device_name *asked, const struct device_name *name);

#endif
