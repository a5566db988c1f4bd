/* SPDX-License-Identifier: Apache-2.0 */
/* What is meant by a table or a column that there is not. */
#ifndef SQL_UNKNOWN_H
#define SQL_UNKNOWN_H

#include "base/arena.h"
#include "base/str.h"

/* What to add to what SQLite says of the query: "; did you mean 'name'? ..."; "" where it misses no name. In the arena. */
str unknown_hint(str told, str query, struct arena *arena);

#endif
