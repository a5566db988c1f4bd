/* SPDX-License-Identifier: Apache-2.0 */
#include "generation.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "carry.h"
#include "models.h"

/* What arithmetic there is, and how many threads a multiprocessor holds: boards for graphics have fewer. */
bool hardware_same_generation(const struct hardware *a, const struct hardware *b)
{
    static const enum hw_key units[] = {HW_TF32, HW_FP16, HW_BF16, HW_FP8, HW_FP4};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if ((a->figure[units[i]] > 0) != (b->figure[units[i]] > 0))
            return false;
    return a->figure[HW_THREADS_PER_SM] == b->figure[HW_THREADS_PER_SM] && same_vendor(a->name, b->name);
}

const struct coefficient_set *generation_sibling(const struct coefficient_set *sets, uint32_t count,
                                                 const struct hardware *hardware,
                                                 const struct coefficient_set *left_out)
{
    const struct coefficient_set *sibling = NULL;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const struct coefficient_set *set = &sets[i];
        if (set == left_out || !set->hardware.name.len || !hardware_same_generation(&set->hardware, hardware))
            continue;
        const double distance = hardware_distance(&set->hardware, hardware, false);
        if (distance >= least)
            continue;
        least = distance;
        sibling = set;
    }
    return sibling;
}

uint32_t generation_siblings(const struct coefficient_set *sets, uint32_t count, const struct coefficient_set *set)
{
    uint32_t siblings = 0;
    for (uint32_t i = 0; i < count; i++)
        siblings += hardware_same_generation(&sets[i].hardware, &set->hardware);
    return siblings ? siblings : 1;
}

/* What one engine launches on its generation says nothing of another one: then the mean of all engines is carried. */
static struct kernel as_carried(const struct family *family, const struct kernel *kernel)
{
    struct kernel carried = *kernel;
    if (family->engines_stay && family->engines_stay(kernel))
        carried.library = LIBRARY_UNTOLD;
    return carried;
}

double generations_us(const struct family *family, const struct coefficient_set *sets, uint32_t count,
                      const struct hardware *hardware, const struct kernel *kernel, const struct hardware *but)
{
    const struct kernel carried = as_carried(family, kernel);
    double sum = 0, voices = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (but && hardware_same_generation(&sets[i].hardware, but))
            continue;
        const double voice = 1.0 / generation_siblings(sets, count, &sets[i]);
        sum += voice * log(set_us(family, &sets[i], hardware, &carried, false));
        voices += voice;
    }
    return voices > 0 ? exp(sum / voices) : 0;
}

static bool is_asked(const struct coefficient_set *set, str but)
{
    return set->hardware.name.len && !str_eq(set->hardware.name, but);
}

double nearest_generation_us(const struct family *family, const struct coefficient_set *sets, uint32_t count,
                             const struct hardware *hardware, const struct kernel *kernel, str but)
{
    const int generation = hardware_generation(hardware);
    int nearest = INT_MAX;
    double sum = 0, voices = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_asked(&sets[i], but) && abs(hardware_generation(&sets[i].hardware) - generation) < nearest)
            nearest = abs(hardware_generation(&sets[i].hardware) - generation);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_asked(&sets[i], but) || abs(hardware_generation(&sets[i].hardware) - generation) != nearest)
            continue;
        sum += log(set_us(family, &sets[i], hardware, kernel, false));
        voices++;
    }
    return voices > 0 ? exp(sum / voices) : 0;
}
