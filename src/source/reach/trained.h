/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes that a program that trains comes to: from what trains backward to all that runs it, and from these forward to
 * all that they name. What only an inference or a test makes is not among them.
 */
#ifndef SOURCE_TRAINED_H
#define SOURCE_TRAINED_H

#include "mentions.h"

void trained_build(struct project *project,
                   const struct mentions *mentions); /* of context_build, once it is known what trains */

#endif
