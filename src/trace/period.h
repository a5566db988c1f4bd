/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The period of a sequence of symbols: after how many it says the same again.
 * Layers repeat too, inside of one step. What tells a step from them is that
 * nothing stands around it: the first and the last period must agree with their
 * neighbours symbol by symbol, so an embedding before the layers, or a head
 * behind them, forbids the layers as a period.
 */
#ifndef TRACE_PERIOD_H
#define TRACE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Two repetitions have one distance, which is regular whatever it is. Three have two, and only from there on can a
 * sequence contradict that it repeats.
 */
enum { PERIOD_LEAST = 3 };

/* The period that at least 98 of 100 symbols keep, over at least PERIOD_LEAST repetitions; 0: there is none. */
size_t period_of(const uint64_t *symbols, size_t count);

#endif
