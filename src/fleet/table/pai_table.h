/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a table of PAI 2020: its files have no header, but one that has is read by the names of its columns. Blocks
 * of lines are read on several threads and joined in the order of the file.
 */
#ifndef FLEET_PAI_TABLE_H
#define FLEET_PAI_TABLE_H

#include "base/intern.h"
#include "import_drops.h"
#include "steptime/error.h"

/* What was made of the rows of a block: so many records of what the visitor keeps. */
struct pai_block {
    void *records;
    size_t count, room;
    struct intern *texts; /* of the block: numbered as they are met */
};

/* The next record, zeroed. */
void *pai_block_add(struct pai_block *block, size_t record_bytes);

struct pai_visitor {
    void *context;
    /* NULL, or why the row is none, static. Fields of the columns, "" where it lacks them, live until `join` is done. */
    const char *(*row)(const void *context, const str *fields, struct pai_block *block);    /* on any thread */
    bool (*join)(void *context, const struct pai_block *block, struct steptime_error *err); /* blocks in order */
};

/* A table: `columns` are those of the published header, in its order. */
struct pai_table {
    const char *path; /* lives as long as the drops */
    const char *const *columns;
    uint32_t count;
};

/*
 * Shows all rows to the visitor. Lines that are no row go to `drops`, under the file's own name in the path. threads 0: all
 * cores. False with *err where the table cannot be read to its end, or a block was not joined.
 */
bool pai_table_read(const struct pai_table *table, unsigned threads, const struct pai_visitor *visitor,
                    struct import_drops *drops, struct steptime_error *err);

/* Whether the folder has `name`, plain or packed; path is filled where it has. */
bool pai_table_find(const char *folder, const char *name, char *path, size_t room);

uint64_t pai_table_bytes(const char *path); /* about as many as it has unpacked */

#endif
