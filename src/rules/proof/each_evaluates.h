/* SPDX-License-Identifier: Apache-2.0 */
/* Full-batch training: a loop of which each round trains once and evaluates, which reads what it found. */
#ifndef RULES_EACH_EVALUATES_H
#define RULES_EACH_EVALUATES_H

#include "rules/ask/ask.h"

/* The loop of steps from which the line has its pace; site_none where a framework has it. */
struct site each_step_loop(const struct check *check, struct site site);

/* Breaks the gain of a read in such a round: the evaluation waits anyway. */
void each_evaluates_break(const struct check *check, struct match *match);

#endif
