/* SPDX-License-Identifier: Apache-2.0 */
/* A script that a signal killed: which, and where Python's faulthandler says that it stood. */
#ifndef DRY_FAULT_H
#define DRY_FAULT_H

#include "base/arena.h"
#include "base/str.h"

/* Of an exit code: "SIGSEGV"; "" where no such signal killed it. */
str dry_fault_signal(int status);

/* One of memory that is not there. */
bool dry_fault_is_wild_read(int status);

/* FILE:LINE of the innermost call of the script's own, else of a package other than PyTorch; "": not told. */
str dry_fault_place(const char *path, struct arena *arena);

#endif
