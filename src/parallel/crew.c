/* SPDX-License-Identifier: Apache-2.0 */
/* Which crew this process is of. */
#include "crew.h"

static bool gather_alone(str mine, struct arena *arena, str *parts, struct steptime_error *err)
{
    (void)arena;
    (void)err;
    parts[0] = mine;
    return true;
}

static bool total_alone(uint64_t mine, uint64_t *all, struct steptime_error *err)
{
    (void)err;
    *all = mine;
    return true;
}

static const struct crew alone = {.rank = 0, .count = 1, .gather = gather_alone, .total = total_alone};
static const struct crew *ours = &alone;

const struct crew *crew_ours(void)
{
    return ours;
}

void crew_join(const struct crew *crew)
{
    ours = crew;
}
