/* SPDX-License-Identifier: Apache-2.0 */
/* The way out of what a script died of. */
#ifndef DRY_HINTS_H
#define DRY_HINTS_H

#include "base/str.h"

/* Of an error's words; NULL where they say it themselves, or it is not known. */
const char *dry_hint(str words);

#endif
