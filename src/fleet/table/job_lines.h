/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a table in blocks: whole lines, as many as fit. Of a plain file a
 * process can read its share alone: the lines that begin in its part of the
 * bytes. Of a packed one it unpacks all and keeps every n-th block.
 */
#ifndef FLEET_JOB_LINES_H
#define FLEET_JOB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "steptime/error.h"

enum {
    LINES_BLOCK = 512 << 10, /* bytes of a block, and the longest line */
    LINES_PAD = 128,         /* readable NULs behind a block */
};

/* Ends with a line end, whether the file does or not. */
struct lines_block {
    char *text;    /* room for LINES_BLOCK + 1 + LINES_PAD */
    size_t bytes;  /* 0: the block is a line that was too long, and passed over */
    uint64_t line; /* number of the first one, from 1 */
};

struct job_lines;

/* NULL with *err where the file cannot be read, holds no line, or begins with one that is too long. "-": standard input. */
struct job_lines *job_lines_open(const char *path, struct steptime_error *err);

/* The first line that is not empty, without byte-order mark and line end. */
str job_lines_first(const struct job_lines *lines);

/* Sets off behind the first line, or before it. */
void job_lines_start(struct job_lines *lines, bool behind_first, unsigned share, unsigned shares);

/* The next block, into its room; false at the end. */
bool job_lines_next(struct job_lines *lines, struct lines_block *block);

uint64_t job_lines_count(const struct job_lines *lines); /* that were passed so far */
bool job_lines_count_from_share(const struct job_lines *lines);
int64_t job_lines_read_bytes(const struct job_lines *lines); /* packed bytes so far */
const char *job_lines_damage(struct job_lines *lines);       /* at the end; NULL: none */
void job_lines_close(struct job_lines *lines);

#endif
