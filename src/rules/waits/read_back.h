/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of a device tensor by the host, and which rule each falls under. A read
 * is told of once, by the rule whose advice goes furthest: one that nobody needs
 * is deleted, not deferred.
 */
#ifndef RULES_READ_BACK_H
#define RULES_READ_BACK_H

#include "rules/ask/ask.h"

enum read_back {
    READ_NONE,      /* no read, or its value was on the CPU already */
    READ_DEAD,      /* ST405: nobody uses the result */
    READ_TRIP,      /* ST301: the result goes back to the device */
    READ_ECHO,      /* ST408: it was uploaded a moment before */
    READ_SCATTERED, /* ST409: one of several in a step, or between forward and backward */
    READ_SCALAR,    /* ST401 */
    READ_WHOLE,     /* ST404 */
};

enum read_back read_back_of(const struct check *check, uint32_t call);

/* The tensor that a read-back call reads: x of x.item(), float(x), to_cpu(x); SYNTAX_NONE where it is no read-back. */
uint32_t read_back_what(const struct check *check, uint32_t call);

#endif
