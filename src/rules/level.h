/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a site weighs. One policy for all rules, told in doc/rules.md:
 *
 *   warning   it runs each training step, or each element of one, and a value on
 *             the device is known to take part
 *   note      it runs in an evaluation, behind a gate (`% k == 0`), once at
 *             set-up, or the device is only guessed (a parameter of unknown
 *             origin)
 *   nothing   all values are on the CPU
 */
#ifndef RULES_LEVEL_H
#define RULES_LEVEL_H

#include "rule.h"

enum certainty { DEVICE_NO, DEVICE_GUESSED, DEVICE_KNOWN };

/*
 * Sets the level of a site that runs where `node` stands. False: this is no
 * place to speak up at all (DEVICE_NO, or code that no step and no evaluation
 * reaches).
 */
bool level_at(const struct check *check, uint32_t node, enum certainty device, struct site *site);

#endif
