/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where names, attributes and items are bound or changed in place, by what they read: so that "does this loop change it"
 * is a look-up, however long the loop is.
 */
#ifndef SOURCE_CHANGES_H
#define SOURCE_CHANGES_H

#include "none.h"

/* A place that binds or changes what it names. */
struct change {
    uint32_t key; /* of its kind and last name */
    uint32_t node;
};

struct changes {
    struct change *at; /* by key, then by node */
    size_t count, room;
};

void changes_build(struct changes *changes, const struct syntax *tree);
/* Whether a place below `within` that reads as the expression binds or changes it. */
bool changes_below(const struct changes *changes, const struct syntax *tree, uint32_t expression, uint32_t within);
/* Whether the expression stands where it is bound: on the left of an assignment, as the target of a loop. */
bool changes_is_target(const struct syntax *tree, uint32_t node);
/* Whether the use changes what it names: `x[i] = v`, `x.add_(y)`, `x += y`, `x.append(v)`. */
bool changes_by_use(const struct syntax *tree, uint32_t use);
/* The name at the bottom of `a.b[c].d`; NONE. */
uint32_t changes_base(const struct syntax *tree, uint32_t node);

#endif
