/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks that no program in the files linted makes that trains, where others are trained: no step runs them. One is
 * open, and runs as others do, where anything may make it by its name: a setting beside the sources, a text of a module,
 * a registry, a class that inherits.
 */
#ifndef SOURCE_UNMADE_H
#define SOURCE_UNMADE_H

#include "source/contexts/contexts.h"

void unmade_build(struct project *project); /* of context_build, once it is known what trains (trained.h) */
bool unmade_is_named_by_setting(const struct project *project, uint32_t class_id);
bool unmade_is_open(const struct project *project, uint32_t class_id);
bool unmade_is(const struct project *project, uint32_t class_id);

#endif
