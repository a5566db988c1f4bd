/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes in: a file or standard input, plain, gzip (several members too), zstd or
 * (where liblzma is) xz, told apart by content. Inflating runs on its own thread a few blocks ahead of
 * the reader, so that unpacking and parsing overlap.
 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "steptime/error.h"

struct source;

/* "-" is standard input. NULL with *err where it cannot be opened, or is a directory. */
struct source *source_open(const char *path, struct steptime_error *err);

/*
 * The same over bytes in memory, which must outlive the source; `path` names them in messages. Each read gives at
 * most `chunk` of them, so that a reader's seams can be tried anywhere.
 */
struct source *source_of_bytes(const char *path, const void *bytes, size_t count, size_t chunk);

/*
 * Copies up to `room` unpacked bytes to `into`; 0 at the end. A packed stream
 * that breaks off or is damaged ends early: source_damage says so.
 */
size_t source_read(struct source *source, void *into, size_t room);

/*
 * The bytes that source_read gives next, at least `bytes` of them or all that are left, without taking them: for who
 * wants to know what they are before somebody reads them. They stay where they are until the next call of a source.
 */
str source_head(struct source *source, size_t bytes);

/* Unpacked bytes that source_read has given so far, or where source_seek went. */
int64_t source_offset(const struct source *source);

/* Goes on reading at that byte. False where the file's bytes are not those that are read: packed ones, a pipe. */
bool source_seek(struct source *source, int64_t offset);

/*
 * Stops the thread that inflates ahead, and starts it again: for readers that keep all cores busy themselves, whose
 * threads find the bytes in their own cache where source_read inflates. What zstd looks back at would go from cache to
 * cache with it, so its thread stays.
 */
void source_pause_ahead(struct source *source);
void source_resume_ahead(struct source *source);

/* After the end: NULL if the bytes were whole, else one line that says what was wrong with the packing or the file. */
const char *source_damage(struct source *source);

/* Read from the file so far; may be asked from another thread. */
int64_t source_packed_bytes(const struct source *source);

int64_t source_file_bytes(const struct source *source); /* size of the file, -1 where unknown */
const char *source_path(const struct source *source);   /* as given */
void source_close(struct source *source);

#endif
