/* SPDX-License-Identifier: Apache-2.0 */
/* Whose time the joined nodes of a lab take, in the judged steps. */
#ifndef BREAKDOWN_SPENT_H
#define BREAKDOWN_SPENT_H

#include "lab.h"

/* What one joined node spends on one resource; another entry may add to it. */
struct spent {
    uint32_t node;         /* of the joined net */
    uint32_t resource : 5; /* enum resource */
    uint32_t odd : 27;     /* how many of the times that were added up are odd: halves are rounded down one by one */
    int64_t ns;
};

/* Of nodes that end before some time nothing is told. */
struct spending {
    struct spent *at;
    size_t count, room;
    size_t last[RESOURCES]; /* the newest of a resource */
};

/* Which resource each account is of; and all of a node that is in no slice. */
void spent_resources(const struct lab *lab, enum resource of[CHARGES]);
enum resource spent_of_node(const struct lab *lab, const enum resource of[CHARGES], uint32_t node);

/* Up to the end of the judged steps. spending_free releases it. */
struct spending spending_of(const struct lab *lab, int64_t from_ns);
void spending_free(struct spending *spending);

#endif
