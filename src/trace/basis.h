/* SPDX-License-Identifier: Apache-2.0 */
/* How sure steps are: their regularity as numbers, and in words where they come from, or why there are none. */
#ifndef TRACE_BASIS_H
#define TRACE_BASIS_H

#include "signs.h"

/* Why what repeats tells no steps; the later, the nearer it came. */
enum step_doubt {
    DOUBT_NONE,
    DOUBT_FEW,       /* comes less than three times */
    DOUBT_NO_PERIOD, /* comes in no order that repeats */
    DOUBT_IN_ONE,    /* inside of one range: a layer */
    DOUBT_TOGETHER,  /* on several threads at once: requests */
    DOUBT_PART,      /* too much of the work lies outside */
    DOUBT_UNEVEN,    /* or in some that are much longer or shorter than the others */
    DOUBT_IRREGULAR,
};

/* The nearest that was refused. */
struct refusal {
    enum step_doubt doubt;
    enum step_source source;
    str name, around;
    size_t count;
    double spread, covered, typical;
};

/* spread, variation and covered of the steps as they stand. */
void basis_measure(struct trace *trace);

/* Share of the work in steps between half and twice as long as their median. */
double basis_typical(const struct trace *trace);

/* DOUBT_NONE, or what speaks against steps that this sign tells. */
enum step_doubt basis_doubt(const struct trace *trace, const struct sign *sign);

/* The words, once all else stands: of so many signs, of which a step has `period`. */
void basis_tell(struct trace *trace, size_t signs, size_t period, const struct refusal *refusal);

#endif
