/* SPDX-License-Identifier: Apache-2.0 */
#include "like.h"

#include <math.h>

#include "base/hash.h"

enum { LEAST_EXTENT = 16, TRIES = 8, ALIGNED = 8 };
static const double most_seconds = 1, most_memory = 0.3, usual_memory = 8e9;

/* From -1 to 1, the same every time. */
static double drawn(uint64_t *state)
{
    *state = hash_add(*state, 1);
    return (double)(*state >> 11) / (double)(1ULL << 52) - 1;
}

static bool is_reasonable(const struct kernel *kernel, const struct hardware *hardware)
{
    const double memory = hardware->figure[HW_MEMORY_BYTES] > 0 ? hardware->figure[HW_MEMORY_BYTES] : usual_memory;
    const double peak = hardware->figure[HW_FP32];
    return !kernel_check(kernel) && kernel_bytes(kernel) < most_memory * memory &&
           (peak <= 0 || kernel_flops(kernel) < most_seconds * peak);
}

/* As well aligned as the other. */
static int64_t like_size(int64_t size, double times)
{
    const int64_t step = size % ALIGNED ? 1 : ALIGNED;
    return step * (int64_t)fmax(1, round((double)size * times / (double)step));
}

static struct kernel resized(const struct kernel *kernel, uint64_t *state)
{
    struct kernel other = *kernel;
    const double octaves = 3;
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    for (uint32_t i = 0; i < sizes.count; i++) {
        const int64_t size = kernel_size(kernel, &sizes.at[i]);
        if (size >= LEAST_EXTENT)
            kernel_set_size(&other, &sizes.at[i], like_size(size, exp2(octaves * drawn(state))));
    }
    return other;
}

const struct kernel *const *kernels_like(const struct kernel *const *kernels, uint32_t count, uint32_t wanted,
                                         const struct hardware *hardware, struct arena *arena)
{
    uint64_t state = 0;
    const struct kernel **pointers = arena_array(arena, wanted, sizeof *pointers);
    struct kernel *drawn_kernels = arena_array(arena, wanted, sizeof *drawn_kernels);
    for (uint32_t i = 0; i < wanted; i++) {
        const struct kernel *kernel = kernels[i % count];
        drawn_kernels[i] = *kernel;
        for (int turn = 0; turn < TRIES; turn++) {
            const struct kernel other = resized(kernel, &state);
            if (!is_reasonable(&other, hardware))
                continue;
            drawn_kernels[i] = other;
            break;
        }
        pointers[i] = &drawn_kernels[i];
    }
    return pointers;
}
