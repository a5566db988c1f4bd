/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace written again with its critical path drawn in: a process "critical
 * path" with one track of slices, and flow arrows where the path goes from one
 * thread or stream to another. All marks have the category "critical_path".
 */
#ifndef CLI_OVERLAY_H
#define CLI_OVERLAY_H

#include "breakdown/path/critical_path.h"

/* Whether such a file can be written, told by its name before any work. */
bool overlay_check(const char *file, struct steptime_error *err);

/* Reads path->path again, and writes the file whole or leaves it untouched. */
bool overlay_write(const struct critical_path *path, const char *file, struct steptime_error *err);

#endif
