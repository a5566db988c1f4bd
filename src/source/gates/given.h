/* SPDX-License-Identifier: Apache-2.0 */
/* All that is given by name in the files of a run, gathered into its choices. */
#ifndef SOURCE_GATES_GIVEN_H
#define SOURCE_GATES_GIVEN_H

#include "source/ask/project.h"

void given_build(struct project *project);

#endif
