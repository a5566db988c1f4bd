/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that let a line run now and then: at an interval, where a flag is set, in
 * one process. A test may also ask for a value that is there only then:
 *
 *     store = metrics if step % 50 == 0 else None
 *     if store is not None: ...
 *
 * or for one that no call of the run gives: then the branch is not taken at all.
 */
#ifndef SOURCE_GATE_H
#define SOURCE_GATE_H

#include "source/contexts/contexts.h"

/* Of the two sides of a test. */
struct gates {
    enum gate then, otherwise;
};

/* Of all tests of the file, once: of ifs, of conditional expressions, of what stands left of `and` and `or`. */
void gate_build(struct project *project, uint32_t file);
/* Of a test that gate_build has looked at. */
struct gates gate_of_test(const struct project *project, struct site test);
/* The first node of the block that stands behind a `return`, or an `if ...: return` which each call of the run takes; NONE. */
uint32_t gate_behind(const struct project *project, struct site block);

/* The first step saves most, then what no call takes, what is for empty data, an interval, a flag, a rank. */
enum gate gate_stronger(enum gate a, enum gate b);

#endif
