/* SPDX-License-Identifier: Apache-2.0 */
/* What a call does to what it is given. */
#ifndef SOURCE_EFFECTS_H
#define SOURCE_EFFECTS_H

#include "project.h"
#include "source/known/known_uses.h"

/* Of the arguments of a call. */
enum use effects_use(const struct project *project, struct site call);

#endif
