/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of Python that record in a script's interpreter (python/record/run.py and what it imports). */
#ifndef RECORD_MODULES_H
#define RECORD_MODULES_H

#include "base/arena.h"
#include "steptime/error.h"

/* A private folder with all of them (child/folder.h). NULL with *err where it cannot be made. */
const char *modules_folder(struct arena *arena, struct steptime_error *err);

#endif
