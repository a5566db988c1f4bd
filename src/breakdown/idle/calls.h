/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call into the device's runtime does to the host, told by its name:
 * launches work, waits for the device, copies (which may do both), or neither.
 */
#ifndef BREAKDOWN_CALLS_H
#define BREAKDOWN_CALLS_H

#include "trace/trace.h"

enum call_effect { CALL_PLAIN, CALL_LAUNCH, CALL_SYNC, CALL_COPY };

enum call_effect call_effect(str name);

#endif
