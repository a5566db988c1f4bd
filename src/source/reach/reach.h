/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that reach methods by their name alone. */
#ifndef SOURCE_REACH_H
#define SOURCE_REACH_H

#include "source/contexts/contexts.h"

struct named_call {
    struct site call;
    const struct name *name;
};

struct by_name {
    struct named_call *at;
    size_t count, room;
};

/* Fills the list; its array is the caller's to free. */
void reach_by_name(struct project *project, struct by_name *list);

/*
 * Calls of modules that are kept under a key: `post["boxes"](x)` where `post["boxes"] = Boxes()` or
 * `{"boxes": Boxes()}`. Each with the forward() that it reaches.
 */
struct by_key {
    struct keyed_call {
        struct site call;
        uint32_t forward;
    } * at;
    size_t count, room;
};
void reach_by_key(const struct project *project, struct by_key *list);

#endif
