/* SPDX-License-Identifier: Apache-2.0 */
#include "ensemble.h"

#include <math.h>

#include "models.h"

enum { FEWEST = 2 };

struct members {
    const struct coefficient_set *sets;
    uint32_t count;
};

/* The measured devices, each by its coefficients as they are carried. */
static struct members members_of(const struct group_model *group)
{
    if (group->carry == CARRY_NEAREST_GENERATION)
        return (struct members){group->held, group->held_count};
    return (struct members){group->sets + 1, group->set_count ? group->set_count - 1 : 0};
}

bool ensemble_of(const struct group_model *group)
{
    return group->carry != CARRY_GENERATIONS && members_of(group).count >= FEWEST;
}

static bool of_kind(const struct group_model *group, const struct hardware *a, const struct hardware *b)
{
    const bool links_of_a = a->figure[HW_GPU_LINK] > 0, links_of_b = b->figure[HW_GPU_LINK] > 0;
    return same_vendor(a->name, b->name) && (!group->over_links || links_of_a == links_of_b);
}

static uint32_t count_of_kind(const struct group_model *group, const struct hardware *hardware)
{
    const struct members members = members_of(group);
    uint32_t count = 0;
    for (uint32_t i = 0; i < members.count; i++)
        count += of_kind(group, &members.sets[i].hardware, hardware);
    return count;
}

bool few_of_kind(const struct group_model *group, const struct hardware *hardware)
{
    return count_of_kind(group, hardware) < FEWEST;
}

double ensemble_spread(const struct family *family, const struct group_model *group, const struct hardware *hardware,
                       const struct kernel *kernel, double us)
{
    const struct members members = members_of(group);
    const bool all = count_of_kind(group, hardware) < (group->over_links ? FEWEST : 1);
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < members.count; i++) {
        const struct coefficient_set *set = &members.sets[i];
        if (!all && !of_kind(group, &set->hardware, hardware))
            continue;
        const double off = log(set_us(family, set, hardware, kernel, false) / us);
        squares += off * off;
        count++;
    }
    return count ? sqrt(squares / count) : 0;
}
