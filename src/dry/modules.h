/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that makes a script's Python run dry. */
#ifndef DRY_MODULES_H
#define DRY_MODULES_H

#include "base/arena.h"
#include "steptime/error.h"

/* NULL with *err where it cannot be made; folder_remove takes it away. */
const char *dry_folder(struct arena *arena, struct steptime_error *err);

#endif
