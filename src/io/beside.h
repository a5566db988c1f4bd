/* SPDX-License-Identifier: Apache-2.0 */
/* Small files that a recorder leaves beside a trace: TRACE.steps.json, TRACE.syncs.json. */
#ifndef IO_BESIDE_H
#define IO_BESIDE_H

#include "base/arena.h"
#include "base/str.h"

/* The trace's path without its endings .gz, .zst and .json, and with this one: rank0.json.gz gives rank0.steps.json. */
str beside_path(str trace, const char *ending, struct arena *arena);

/* What a regular file holds, packed or not: "" where it cannot be read or has over 64 MiB. No address: there is none. */
str beside_read(const char *path, struct arena *arena);

#endif
