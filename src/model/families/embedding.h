/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookup of bags of rows in tables (FORM_EMBEDDING), by the traffic of its warps:
 * one for each bag of each table. Rows that lie in L2 are not read from memory.
 */
#ifndef MODEL_EMBEDDING_H
#define MODEL_EMBEDDING_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/* Seconds of the work alone; `efficiency` of the bandwidth of memory. */
double embedding_s(const struct kernel *kernel, const struct hardware *hardware, double efficiency);

/* Share of the rows read that are found in L2, 0 to 1. */
double embedding_hit_rate(const struct kernel *kernel, const struct hardware *hardware);

#endif
