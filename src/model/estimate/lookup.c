/* SPDX-License-Identifier: Apache-2.0 */
/* Which set of coefficients answers for a device. */
#include <math.h>

#include "carry.h"
#include "coefficients.h"
#include "generation.h"
#include "known_sets.h"

static const double same_chip = 0.2; /* the distance of boards with the same chip is less; of chips, more */

str vendor_of(str device)
{
    str vendor;
    return str_cut(&device, ' ', &vendor) ? vendor : S("");
}

/* Asked for each measured device with each kernel, and so by the letter. */
bool same_vendor(str device, str other)
{
    size_t i = 0;
    while (i < device.len && i < other.len && device.at[i] == other.at[i] && device.at[i] != ' ')
        i++;
    return (i == device.len || device.at[i] == ' ') && (i == other.len || other.at[i] == ' ');
}

const struct group_model *coefficients_group(const struct family_model *model, str group)
{
    for (uint32_t i = 0; i < model->group_count; i++)
        if (str_eq(model->groups[i].group, group))
            return &model->groups[i];
    return NULL;
}

static const struct coefficient_set *nearest_set(const struct group_model *group, const struct hardware *hardware,
                                                 double *distance)
{
    const struct coefficient_set *nearest = &group->sets[0];
    *distance = INFINITY;
    for (uint32_t i = 1; i < group->set_count; i++) {
        const struct hardware *other = &group->sets[i].hardware;
        const double this_far = other->name.len ? hardware_distance(other, hardware, group->over_links) : INFINITY;
        if (this_far >= *distance)
            continue;
        *distance = this_far;
        nearest = &group->sets[i];
    }
    return nearest;
}

/* Left out, a device is left with all others. */
static double distance_left_out(const struct group_model *group, const struct hardware *hardware)
{
    double least = INFINITY;
    for (uint32_t i = 1; i < group->set_count; i++) {
        const struct hardware *other = &group->sets[i].hardware;
        const bool gone = other == hardware || !other->name.len;
        least = gone ? least : fmin(least, hardware_distance(other, hardware, group->over_links));
    }
    return least;
}

void coefficients_settle(struct family_model *model)
{
    for (uint32_t g = 0; g < model->group_count; g++) {
        struct group_model *group = &model->groups[g];
        double squares = 0, count = 0;
        group->over_links = family_over_links(model->family);
        for (uint32_t i = 1; i < group->set_count && group->carry != CARRY_GENERATIONS; i++) {
            const double distance = distance_left_out(group, &group->sets[i].hardware);
            squares += isfinite(distance) ? distance * distance : 0;
            count += isfinite(distance);
        }
        group->apart = count > 0 ? sqrt(squares / count) : 0;
    }
}

bool carries_one(const struct group_model *group)
{
    return group->carry == CARRY_NEAREST || group->carry == CARRY_NEAREST_GENERATION;
}

/* What is carried to a device that is like no measured one. */
static const struct coefficient_set *carried_set(const struct group_model *group, const struct hardware *hardware,
                                                 const struct coefficient_set *nearest)
{
    const str vendor = vendor_of(hardware->name);
    for (uint32_t i = 0; group->carry == CARRY_VENDOR && i < group->vendor_count; i++)
        if (str_eq(group->vendors[i].device, vendor))
            return &group->vendors[i];
    return carries_one(group) ? nearest : &group->sets[0];
}

static const struct coefficient_set *find_set(const struct group_model *group, const struct hardware *hardware,
                                              struct kin *kin)
{
    *kin = (struct kin){.kinship = KINSHIP_NONE, .stranger = true};
    for (uint32_t i = 0; i < group->calibrated_count; i++)
        if (str_eq(group->calibrated[i].device, hardware->name)) {
            kin->kinship = KINSHIP_SELF;
            kin->learned = true;
            return &group->calibrated[i];
        }
    if (!group->set_count)
        return NULL;
    for (uint32_t i = 1; i < group->set_count; i++) {
        kin->stranger &= !same_vendor(group->sets[i].device, hardware->name);
        if (!str_eq(group->sets[i].device, hardware->name))
            continue;
        kin->kinship = KINSHIP_SELF;
        kin->learned = true;
        return &group->sets[i];
    }
    const struct coefficient_set *nearest = nearest_set(group, hardware, &kin->distance);
    const struct coefficient_set *sibling =
        group->carry == CARRY_GENERATIONS ? generation_sibling(group->sets + 1, group->set_count - 1, hardware, NULL)
                                          : NULL;
    if (sibling) {
        kin->kinship = KINSHIP_GENERATION;
        kin->learned = group->residual == RESIDUAL_GENERATION;
        return sibling;
    }
    if (kin->distance >= same_chip)
        return carried_set(group, hardware, nearest);
    kin->kinship = KINSHIP_CHIP;
    return nearest;
}

const struct coefficient_set *coefficients_for(const struct group_model *group, const struct hardware *hardware,
                                               struct kin *kin)
{
    const struct coefficient_set *set;
    if (group->known && known_sets_find(group->known, hardware, &set, kin))
        return set;
    set = find_set(group, hardware, kin);
    if (group->known)
        known_sets_keep(group->known, hardware, set, kin);
    return set;
}
