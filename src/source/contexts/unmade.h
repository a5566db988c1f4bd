/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks that nothing in the files linted makes, in a program that trains and that makes others: none of its steps runs
 * them. One is open, and runs as others do, where anything may make it by its name: a setting beside the sources, a
 * string, a registry, a class that inherits, a module that is searched.
 */
#ifndef SOURCE_UNMADE_H
#define SOURCE_UNMADE_H

#include "contexts.h"

void unmade_build(struct project *project); /* of context_build, once it is known what trains and what is made */
bool unmade_is(const struct project *project, uint32_t class_id);

#endif
