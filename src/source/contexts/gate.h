/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that let a line run now and then: at an interval, where a flag is set, in
 * one process. A test may also ask for a value that is there only then:
 *
 *     store = metrics if step % 50 == 0 else None
 *     if store is not None: ...
 */
#ifndef SOURCE_GATE_H
#define SOURCE_GATE_H

#include "contexts.h"

/* Of the test of an if. Calls are followed, so summaries must be built. */
enum gate gate_of_test(const struct project *project, struct site test);

/* An interval saves most, then a flag, then a rank. */
enum gate gate_stronger(enum gate a, enum gate b);

#endif
