/* SPDX-License-Identifier: Apache-2.0 */
/* How unlike two GPUs are, as far as their figures tell: which measured one stands in for one that was not. */
#ifndef MODEL_CARRY_H
#define MODEL_CARRY_H

#include "model/families/tile_table.h"

/*
 * 0 for the same figures. Differences of how a multiprocessor is built count most, for they tell architectures apart;
 * size and speed, which every analytic form takes into account by itself, count little, and so do FLOP for each byte of
 * memory, and power. A figure that either lacks counts as a small difference. Of another vendor none is near. What goes over
 * links is as unlike as these are, too.
 */
double hardware_distance(const struct hardware *a, const struct hardware *b, bool over_links);

#endif
