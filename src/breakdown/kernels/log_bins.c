/* SPDX-License-Identifier: Apache-2.0 */
#include "log_bins.h"

#include "base/varint.h"

uint32_t log_bin_of(int64_t value)
{
    const uint64_t bits = value < 0 ? 0 : (uint64_t)value;
    if (bits < 8)
        return (uint32_t)bits;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(bits);
    return 8 * (octave - 2) + (uint32_t)(bits >> (octave - 3) & 7);
}

int64_t log_bin_low(uint32_t bin)
{
    if (bin < 8)
        return bin;
    const unsigned shift = bin / 8 - 1;
    return shift > 59 ? INT64_MAX : (int64_t)(8 + bin % 8) << shift;
}

struct log_bins log_bins_pack(const uint64_t counts[LOG_BINS], uint32_t last, struct arena *arena)
{
    struct buf bytes = {0};
    struct log_bins out = {0};
    for (uint32_t bin = 0, next = 0; bin <= last; bin++)
        if (counts[bin]) {
            varint_put(&bytes, bin - next);
            varint_put(&bytes, counts[bin]);
            next = bin + 1;
            out.count++;
        }
    out.packed = (const uint8_t *)str_copy(arena, buf_str(&bytes)).at;
    buf_free(&bytes);
    return out;
}

void log_bins_add(const struct log_bins *bins, uint64_t counts[LOG_BINS])
{
    const uint8_t *at = bins->packed;
    uint64_t bin = 0;
    for (uint32_t i = 0; i < bins->count; i++, bin++) {
        bin += varint_get(&at);
        counts[bin] += varint_get(&at);
    }
}

double log_bins_quantile(const uint64_t counts[LOG_BINS], double q)
{
    uint64_t all = 0, below = 0;
    uint32_t bin = 0;
    for (uint32_t i = 0; i < LOG_BINS; i++)
        all += counts[i];
    if (!all)
        return 0;
    const double wanted = q * (double)all;
    while (bin < LOG_BINS - 1 && (!counts[bin] || (double)(below + counts[bin]) < wanted))
        below += counts[bin++];
    const double low = (double)log_bin_low(bin), width = (double)(log_bin_low(bin + 1) - 1) - low;
    return counts[bin] ? low + width * (wanted - (double)below) / (double)counts[bin] : low;
}
