/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that no program in the files linted comes to, where it comes to others that train: nothing that a module
 * runs when it is run or imported names them, nor what that names, and so on. One is open, and may run, where anything
 * may call it by its name: a decorator keeps it, a setting beside the sources names it, a framework looks it up.
 */
#ifndef SOURCE_UNREACHED_H
#define SOURCE_UNREACHED_H

#include "mentions.h"

/* Of context_build, once trained_build has said what trains. */
void unreached_build(struct project *project, const struct mentions *mentions);
bool unreached_is(const struct project *project, uint32_t function);

#endif
