/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to the text that is looked at: of a file, of what stands in its place, or of the cells of a notebook. */
#ifndef LINT_SOURCE_FILE_H
#define LINT_SOURCE_FILE_H

#include "lint.h"

/* What stands in the place of a file; NULL. */
const struct lint_overlay *lint_overlay_of(const struct lint_options *options, str path);

/*
 * Fills path, text and notebook of the file. False where it is no source: the message says why, beginning with "line N:"
 * where one is to blame.
 */
bool source_file_read(const struct lint_options *options, str path, struct arena *arena, struct lint_file *file,
                      struct steptime_error *err);

#endif
