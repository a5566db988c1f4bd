/* SPDX-License-Identifier: Apache-2.0 */
/* Networks that no call reaches by name: the call in a training step that may be theirs. */
#ifndef SOURCE_NETWORK_H
#define SOURCE_NETWORK_H

#include "source/contexts/contexts.h"

/* Looks for them in all files, once all else is known of contexts. */
void network_build(struct project *project);

#endif
