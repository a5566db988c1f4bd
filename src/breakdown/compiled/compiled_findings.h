/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about functions that are compiled again, and about graphs that break. */
#ifndef BREAKDOWN_COMPILED_FINDINGS_H
#define BREAKDOWN_COMPILED_FINDINGS_H

#include "compiled_again.h"

void compiled_find(const struct compile_log *log, const struct again *agains, uint32_t count, struct report *report);

#endif
