/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table of PAI 2020: its files have no header, but one that has is read by the names of its columns. */
#ifndef FLEET_PAI_TABLE_H
#define FLEET_PAI_TABLE_H

#include "base/str.h"
#include "import_drops.h"
#include "steptime/error.h"
#include "text/csv_reader.h"

struct pai_table;

/* Whether the folder has `name`, plain or packed; path is filled where it has. */
bool pai_table_find(const char *folder, const char *name, char *path, size_t room);

/*
 * `columns` are those of the published header, in its order. Lines that are no row go to `drops`, under the file's own
 * name in `path`, which lives as long as they. NULL with *err.
 */
struct pai_table *pai_table_open(const char *path, const char *const *columns, uint32_t count,
                                 struct import_drops *drops, struct steptime_error *err);

/* The next row; fields of `columns`, "" where it lacks them, live until the next. False at the end. */
bool pai_table_next(struct pai_table *table, const str **fields);

void pai_table_drop(struct pai_table *table, const char *why); /* the row that was given last */

uint64_t pai_table_bytes(const char *path); /* about as many as it has unpacked */

bool pai_table_close(struct pai_table *table, struct steptime_error *err);

#endif
