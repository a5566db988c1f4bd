/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of a command line to the files to read. */
#ifndef INPUTS_LIST_H
#define INPUTS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "steptime/error.h"

/* A word that names a folder, and what it comes to. */
struct listed_folder {
    const char *path;
    uint32_t files;  /* that lie in it */
    const char *why; /* it cannot be listed; NULL */
};

struct listed {
    const char *path;
    int64_t folder; /* index of the folder it was met in; LISTED_NAMED: it was named itself */
};
enum { LISTED_NAMED = -1 };

struct list {
    struct listed *files;
    uint32_t count;
    struct listed_folder *folders;
    uint32_t folder_count;
    int64_t packed_bytes; /* of all files, where known */
};

/*
 * Files as they are named, and of a folder the plain files that lie in it, in natural order (rank2 before rank10), but
 * for hidden ones. Folders in it are left aside, and so is what a recorder notes beside a trace; an execution trace there
 * (TRACE.et.json) counts where `executions` are wanted. What is no folder counts as a file, whether it is there or not.
 */
void list_inputs(const char *const *paths, uint32_t count, bool executions, struct arena *arena, struct list *list);

#endif
