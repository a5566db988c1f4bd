/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often values came, by their logarithm: eight bins of equal width between two powers of two; up to 16 each value has
 * its own. A bin is the upper four bits of the value, so no value is told wrong by more than an eighth. Those of a rank lie
 * packed, since most are empty; those of all ranks are counted in an array.
 */
#ifndef BREAKDOWN_LOG_BINS_H
#define BREAKDOWN_LOG_BINS_H

#include "base/arena.h"

enum { LOG_BINS = 8 * 61 };

/* Of values from least_ns to most_ns. */
struct log_bins {
    const uint8_t *packed; /* of each that is not empty: how far behind the one before, and its count */
    uint32_t count;        /* of these */
};

uint32_t log_bin_of(int64_t value); /* 0 or more */
int64_t log_bin_low(uint32_t bin);  /* the least value in it */

/* Up to the last that is not empty; in the arena. */
struct log_bins log_bins_pack(const uint64_t counts[LOG_BINS], uint32_t last, struct arena *arena);
void log_bins_add(const struct log_bins *bins, uint64_t counts[LOG_BINS]);

/* The value that a share q of them does not exceed: within its bin as if values lay evenly. Of none 0. */
double log_bins_quantile(const uint64_t counts[LOG_BINS], double q);

#endif
