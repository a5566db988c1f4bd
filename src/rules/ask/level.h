/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What breaks the links of a match (proof.h), as the context of its line tells. One policy for all rules, told in
 * doc/rules.md:
 *
 *   warning   it runs each training step, or each element of one, a value on the device is known to take part, and
 *             the change spares something
 *   note      pace: it runs in an evaluation, behind a gate (`% k == 0`), once an epoch or at set-up, in code that
 *             nobody in the run calls, in a file of tests; device: it is only guessed; gain: the host needs the value
 *   nothing   all values are on the CPU, or it stands where no time is lost: in the loader's workers, in an error's
 *             message, in a branch for machines without a device
 */
#ifndef RULES_LEVEL_H
#define RULES_LEVEL_H

#include "rule.h"
#include "source/contexts/context.h"
#include "source/ask/value_at.h"

enum certainty { GPU_NO, GPU_GUESSED, GPU_SURE };

/* Whether a value is, or holds, a tensor on the device. */
enum certainty gpu_certainty(const struct value *value);

/* Breaks the links of a match that runs where `node` stands. False: nothing is to be said here. */
bool level_at(const struct check *check, uint32_t node, enum certainty gpu, struct match *match);
/* The same of a line that speaks of all steps: how often it runs itself does not matter. */
bool level_of_run(const struct check *check, uint32_t node, struct match *match);
/* The same of data that is made for each step, by the training thread or by a worker that hands it over. */
bool level_of_data(const struct check *check, uint32_t node, struct match *match);
/* The same of a call that makes a loader: only whether any program comes to it. */
void level_of_loader(const struct check *check, uint32_t call, struct match *match);

#endif
