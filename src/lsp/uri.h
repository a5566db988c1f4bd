/* SPDX-License-Identifier: Apache-2.0 */
/* file: URIs and paths. */
#ifndef LSP_URI_H
#define LSP_URI_H

#include "base/arena.h"
#include "base/str.h"

/* The path of a file URI, without slashes at its end; of another one the URI itself. */
str uri_path(struct arena *arena, str uri);

str path_uri(struct arena *arena, str path);

#endif
