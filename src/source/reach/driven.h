/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of which a framework calls methods, and who makes an object of one: only then the framework drives it. Where
 * the files linted make none of any, they are a library, and who uses it makes them.
 */
#ifndef SOURCE_DRIVEN_H
#define SOURCE_DRIVEN_H

#include "source/contexts/contexts.h"

void driven_build(struct project *project); /* of context_build, behind moved_build */

#endif
