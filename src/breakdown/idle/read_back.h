/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a value back from the device: operators that do nothing but copy to the host and wait (aten::item). All that the
 * host does in one is for the synchronisation, and goes with it.
 */
#ifndef BREAKDOWN_READ_BACK_H
#define BREAKDOWN_READ_BACK_H

#include "ops/rows/work.h"
#include "trace/trace.h"

/* By row: it is in one, or is one. NULL: there is none. `calls`: enum runtime_call by text. In the arena. */
const bool *read_backs_of(const struct trace *trace, const struct work_classes *classes, const uint8_t *calls,
                          struct arena *arena);

#endif
