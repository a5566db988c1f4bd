/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value that is made when it is first asked for, and lives as long as the program: what is read from texts that are built
 * in, of which most runs want little.
 *
 *     static struct late table;
 *     const struct table *table = late_value(&table, read_table, NULL);
 *
 * A zeroed struct is one that nobody asked for. Thread-safe: threads that ask at once each make it, and all get the same;
 * nothing is locked, so who is left by a long jump (memory that ran out) holds up nobody.
 */
#ifndef MODEL_LATE_H
#define MODEL_LATE_H

#include "base/arena.h"

struct late {
    _Atomic(struct late_value *) value;
};

/* Makes a value in an arena that is kept with it; the same whenever it is asked, whoever asks. */
typedef void *(*late_make)(const void *context, struct arena *arena);

void *late_value(struct late *late, late_make make, const void *context);

#endif
