/* SPDX-License-Identifier: Apache-2.0 */
/* Whose gradient an operator of the backward pass computes. */
#ifndef PROGRAM_FORWARD_H
#define PROGRAM_FORWARD_H

#include "program.h"

/*
 * By autograd's sequence numbers (by operator; -1: none). Every operator that
 * comes by while gradients are on records the number that the next node of the
 * backward graph will get, so the last one of a number is that which made the node.
 */
void program_forward_by_sequence(struct program_op *ops, uint32_t count, const int64_t *sequences);

/*
 * By name, where no numbers were recorded: "AddmmBackward0" belongs to the last
 * "aten::addmm" that no node before it belongs to; the backward pass goes the
 * way of the forward pass in reverse.
 */
void program_forward_by_name(struct program_op *ops, uint32_t count);

#endif
