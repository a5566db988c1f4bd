/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream of jobs is made of: a row in the table of import.c. */
#ifndef FLEET_IMPORT_STREAM_H
#define FLEET_IMPORT_STREAM_H

#include "base/buf.h"
#include "import.h"

struct import_kind {
    str name;
    bool (*fits)(const char *path);
    /* NULL with *err */
    void *(*open)(const char *path, str group_by, unsigned threads, struct steptime_error *err);
    bool (*next)(void *stream, struct job *job);
    const struct import_drops *(*dropped)(const void *stream);
    bool (*close)(void *stream, struct steptime_error *err);
};

extern const struct import_kind import_pai, import_aicb, import_simai;

/* The first bytes of a file, unpacked, "" of a folder or what cannot be read; for `fits`. */
enum { IMPORT_SNIFFED = 4096 };
str import_sniff(const char *path, char room[IMPORT_SNIFFED]);

/* By its magic. The published tables of operations come as Parquet, too. */
bool import_is_parquet(str begin);
bool import_refuse_parquet(const char *path, struct steptime_error *err); /* false, with what makes CSV of it */

/* All of a small file, unpacked; false with *err where it is no small one. */
bool import_read_all(const char *path, struct buf *text, struct steptime_error *err);

/* A job of which nothing is known. */
struct job import_no_job(void);

#endif
