/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops train, evaluate, or go around those: from what they call. */
#ifndef SOURCE_LOOPS_H
#define SOURCE_LOOPS_H

#include "source/contexts/contexts.h"

void loops_build(struct project *project);
/*
 * Whether the call stands in the other branch of an `if` from a loop, and is given what that goes over: `if lbfgs:
 * step(loader) else: for batch in loader: ...`. It does what all rounds of that do.
 */
bool loops_beside(const struct project *project, struct site call);
/* The innermost for or while of the function in whose body the node stands; SYNTAX_NONE. */
uint32_t loops_around(const struct syntax *tree, uint32_t node, uint32_t function);
/* Whether the call runs a network, as far as its value or its name tells. */
bool loops_runs_network(const struct project *project, const struct file *file, uint32_t call);
/* Whether the node is a call that runs a network, itself or in what it calls. */
bool loops_runs_network_in(const struct project *project, const struct file *file, uint32_t call);
/* Whether a network runs in the function. */
bool loops_run_model(const struct project *project, uint32_t function);
/* Whether the function trains, itself or through others. */
bool loops_train(const struct project *project, uint32_t function);
/* Whether a call of the function is a training, or an epoch of one: its steps stand in loops. */
bool loops_hold_training(const struct project *project, uint32_t function);
/* LOOP_ELEMENT is told by the context, not here. */
enum loop_kind loops_kind(const struct project *project, struct site loop);

#endif
