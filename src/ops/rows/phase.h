/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward, backward or optimizer: the part of the training step a host row
 * belongs to, and through its cause every device row. Told by, in this order:
 * an enclosing operator of the autograd engine or with a forward thread id, an
 * enclosing Optimizer.step# / zero_grad annotation, a lane that runs the
 * autograd engine. Everything else inside an operator is forward. (The engine
 * comes first: a closure passed to the optimizer runs forward and backward.)
 */
#ifndef OPS_PHASE_H
#define OPS_PHASE_H

#include "trace/trace.h"

enum phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER, PHASE_NONE, PHASES }; /* PHASE_NONE: no operator */

str phase_word(enum phase phase);

/* What the name of an operator or annotation says by itself: "AddmmBackward0" is backward. PHASE_NONE: nothing. */
enum phase phase_of_name(str name);

/* A phase a row (enum phase), for all rows; in the arena. */
const uint8_t *phases_of(const struct trace *trace, struct arena *arena);

#endif
