/* SPDX-License-Identifier: Apache-2.0 */
#include "known_sets.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST_KEPT = 32 }; /* a search through devices that nobody built asks for more, each once */

struct known_device {
    const struct known_device *older;
    uint32_t number; /* from 1 */
    str name;
    double figure[HW_KEYS];
    const struct coefficient_set *set;
    struct kin kin;
    struct arena arena; /* that holds this, too */
};

struct known_sets {
    _Atomic(const struct known_device *) newest;
};

struct known_sets *known_sets_new(struct arena *arena)
{
    return arena_alloc(arena, sizeof(struct known_sets));
}

static const struct known_device *newest_of(const struct known_sets *known)
{
    return atomic_load_explicit(&known->newest, memory_order_acquire);
}

bool known_sets_find(const struct known_sets *known, const struct hardware *hardware,
                     const struct coefficient_set **set, struct kin *kin)
{
    const struct known_device *device = newest_of(known);
    while (device && (memcmp(device->figure, hardware->figure, sizeof device->figure) != 0 ||
                      !str_eq(device->name, hardware->name)))
        device = device->older;
    if (!device)
        return false;
    *set = device->set;
    *kin = device->kin;
    return true;
}

static struct known_device *device_of(const struct hardware *hardware, const struct coefficient_set *set,
                                      const struct kin *kin)
{
    struct arena arena = {0};
    struct known_device *device = arena_alloc(&arena, sizeof *device);
    *device = (struct known_device){.name = str_copy(&arena, hardware->name), .set = set, .kin = *kin};
    memcpy(device->figure, hardware->figure, sizeof device->figure);
    device->arena = arena;
    return device;
}

void known_sets_keep(struct known_sets *known, const struct hardware *hardware, const struct coefficient_set *set,
                     const struct kin *kin)
{
    const struct known_device *newest = newest_of(known);
    if (newest && newest->number >= MOST_KEPT)
        return;
    struct known_device *device = device_of(hardware, set, kin);
    do {
        device->older = newest;
        device->number = newest ? newest->number + 1 : 1;
    } while (!atomic_compare_exchange_weak(&known->newest, &newest, device));
}
