/* SPDX-License-Identifier: Apache-2.0 */
/* What only tensors are indexed by. */
#ifndef RULES_INDEXED_H
#define RULES_INDEXED_H

#include "ask.h"

/* Whether what is indexed is a tensor of the device, or lies there and is indexed as only tensors are: `x[:, i]`. */
bool indexed_on_device(const struct check *check, uint32_t subscript);

/*
 * `mask` of `mask = labels != ignored`, nothing being known of the labels: of a comparison of numbers True or False would
 * come, by which nobody indexes.
 */
bool indexed_by_comparison(const struct check *check, uint32_t index);

#endif
