/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of two sides by their path: those that both have, those that are new, those that are gone. What a kernel is
 * called says nothing here: its time is that of the operator that launched it, so a renamed kernel is no change.
 */
#ifndef DIFF_OPERATORS_H
#define DIFF_OPERATORS_H

#include "side.h"

struct diff_operator {
    str name;
    uint32_t parent; /* PATH_OUTERMOST */
    double before_ns,
        after_ns; /* of its own a mean step: work that it launched; without a device its time on the host */
    double before_calls, after_calls;
    double before_host_ns, after_host_ns; /* its own time on the host */
};

struct diff_operators {
    struct diff_operator *at; /* a path comes behind that around it */
    uint32_t count;
    uint32_t *by_change; /* indices, the largest change of time first */
    double shared; /* of all their time on the host that in operators which both sides call; NAN: a side records none */
    bool device;   /* both sides have device work: times are of that */
    bool largest_only; /* a sketch holds the largest alone: what is new or gone may only be small on the other side */
};

/* In the arena. */
struct diff_operators diff_operators_of(const struct diff_side *before, const struct diff_side *after,
                                        struct arena *arena);

/* "DistributedDataParallel.forward > aten::linear > aten::addmm"; of more than 32 names the last. */
str diff_operator_path(const struct diff_operators *operators, uint32_t at, struct arena *arena);

/* The name whose paths together changed most into the direction of `sign`, and by how much. "" where none did. */
str diff_operator_most(const struct diff_operators *operators, double sign, struct arena *arena, double *change_ns);

#endif
