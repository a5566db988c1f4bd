/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of PyTorch's allocator (torch.cuda.memory._snapshot, _dump_snapshot): a pickle of protocol 2 to 5. It is read
 * as data. Nothing in it is ever called or made: opcodes that would do so are refused with their place, and so is every
 * shape of values that no snapshot has. doc/numbers/memory.md says what is read.
 *
 * It is taken apart as it streams: an entry becomes a row of 32 bytes as soon as it is whole, a stack of frames an id. So
 * memory is those rows and 8 bytes for each value that the pickle may refer to again, not the file.
 */
#ifndef MEMORY_SNAPSHOT_H
#define MEMORY_SNAPSHOT_H

#include "io/source.h"
#include "memory/log/log.h"

/* Whether a file may be one: it begins as such a pickle. */
bool snapshot_is(str head);

/*
 * Fills a new log. False with *err where it is none. One that breaks off gives what stands before: log->cut, and
 * *broken (in the log's arena) says where; else "".
 */
bool snapshot_read(struct source *source, struct memory_log *log, str *broken, struct steptime_error *err);

#endif
