/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the path that belongs to what bounds the steps. A bound may be made
 * of many classes while one class of another side is larger than each of them.
 */
#ifndef BREAKDOWN_PATH_SIDE_H
#define BREAKDOWN_PATH_SIDE_H

#include "critical_path.h"

struct path_side {
    int64_t ns;           /* all classes of the side */
    enum path_class most; /* the largest of them; PATH_UNKNOWN: there is none */
};

struct path_side path_side_of(const struct path_sums *sums, enum bound bound);

const char *path_side_title(enum bound bound); /* "The host's own work"; NULL: of no side */

/* BOUND_UNKNOWN: of waiting and of what is not recorded. */
enum bound path_class_bound(enum path_class class);

#endif
