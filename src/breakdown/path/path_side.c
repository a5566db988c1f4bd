/* SPDX-License-Identifier: Apache-2.0 */
#include "path_side.h"

const char *path_side_title(enum bound bound)
{
    static const char *const titles[BOUNDS] = {
        [BOUND_COMPUTE] = "The device's own work",
        [BOUND_COMMUNICATION] = "Communication",
        [BOUND_COPIES] = "Copying",
        [BOUND_INPUT] = "Data loading",
        [BOUND_HOST] = "The host's own work",
        [BOUND_STALL] = "Stalls",
        [BOUND_START] = "What comes once",
    };
    return titles[bound];
}

enum bound path_class_bound(enum path_class class)
{
    switch (class) {
    case PATH_LOADING:
        return BOUND_INPUT;
    case PATH_START:
        return BOUND_START;
    case PATH_STALL:
        return BOUND_STALL;
    case PATH_COLLECTIVE:
    case PATH_COMMUNICATION:
        return BOUND_COMMUNICATION;
    case PATH_COMPUTE:
    case PATH_MEMSET:
        return BOUND_COMPUTE;
    case PATH_COPY:
        return BOUND_COPIES;
    default:
        return class < PATH_PROFILER ? BOUND_HOST : BOUND_UNKNOWN;
    }
}

struct path_side path_side_of(const struct path_sums *sums, enum bound bound)
{
    struct path_side side = {0, PATH_UNKNOWN};
    int64_t most_ns = 0;
    for (int class = 0; class < PATH_CLASSES; class ++) {
        if (bound == BOUND_UNKNOWN || path_class_bound((enum path_class) class) != bound)
            continue;
        side.ns += sums->ns[class];
        if (sums->ns[class] > most_ns) {
            most_ns = sums->ns[class];
            side.most = (enum path_class) class;
        }
    }
    return side;
}
