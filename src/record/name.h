/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording is named after. */
#ifndef RECORD_NAME_H
#define RECORD_NAME_H

#include "base/arena.h"
#include "base/str.h"

/* "python -m shop.train --x": "train". What names files in it; in the arena. */
str record_name(const char *const *argv, struct arena *arena);

#endif
