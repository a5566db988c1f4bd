/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about functions that are compiled again, and about graphs that break. */
#ifndef BREAKDOWN_COMPILED_FINDINGS_H
#define BREAKDOWN_COMPILED_FINDINGS_H

#include "compiled_again.h"

/* `part`: of the saving of what is compiled again; below 1 where a replay without any compilation saves less. */
void compiled_find(const struct compiled *compiled, double part, struct report *report);

#endif
