/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm.update(batch)`, where the algorithm comes out of a table of classes, a setting or `globals()[name]`: nobody
 * knows its class, but that it learns its name says, and a method of that name that trains is one of a class of the run.
 */
#ifndef SOURCE_LEARNERS_H
#define SOURCE_LEARNERS_H

#include "source/contexts/contexts.h"

/* Finds such calls, each with a method that it may reach. */
void learners_find(struct project *project);

#endif
