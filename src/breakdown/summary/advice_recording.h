/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on the recording: what it cost itself, steps that differ, steps that are not marked. */
#ifndef BREAKDOWN_ADVICE_RECORDING_H
#define BREAKDOWN_ADVICE_RECORDING_H

#include "breakdown/step/facts.h"

double recording_profiler_ns(const struct facts *facts);
double recording_spread_ns(const struct facts *facts);
double recording_unstepped_ns(const struct facts *facts);

str say_profiler(const struct facts *facts, double ns, struct arena *arena);
str say_spread(const struct facts *facts, double ns, struct arena *arena);
str say_unstepped(const struct facts *facts, double ns, struct arena *arena);

#endif
