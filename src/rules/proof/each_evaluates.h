/* SPDX-License-Identifier: Apache-2.0 */
/* Full-batch training: a loop of which each round trains once and evaluates, which reads what it found. */
#ifndef RULES_EACH_EVALUATES_H
#define RULES_EACH_EVALUATES_H

#include "rules/ask/ask.h"

/* The loop of steps from which the line has its pace; site_none where a framework has it. */
struct site each_step_loop(const struct check *check, struct site site);

/* The calls on the way from a line to that loop, inmost first, and the function that each calls. */
enum { EACH_MOST_CALLS = 16 };
struct each_way {
    struct site calls[EACH_MOST_CALLS];
    uint32_t functions[EACH_MOST_CALLS];
    uint32_t count;
};
/* The same loop, and the way there. */
struct site each_way_to(const struct check *check, struct site site, struct each_way *ways);

/* Breaks the gain of a read in such a round: the evaluation waits anyway. */
void each_evaluates_break(const struct check *check, struct match *match);

#endif
