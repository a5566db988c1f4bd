/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a log of TORCH_TRACE, one at a time:
 *
 *     V1122 19:31:13.239000 28603 torch/_dynamo/utils.py:2009] {"compilation_metrics": {...}, "frame_id": 0, ...}
 *     	a line of its body
 *     	another
 *
 * Memory is bounded by the two limits below, whatever the file holds: what is longer is cut, and counted.
 */
#ifndef COMPILELOG_RECORDS_H
#define COMPILELOG_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/source.h"

enum { LOG_MOST_HEAD = 8 << 20, LOG_MOST_BODY = 8 << 20 };

struct log_record {
    int64_t process; /* pid; -1 where the line says none */
    str head;        /* its JSON, not looked at */
    str body;        /* lines without their tab; the next call takes it back, as it does the head */
};

struct log_records {
    struct source *source;
    struct buf line, head, body;
    char *chunk;
    size_t at, got;
    bool ended, pending; /* `line` holds the line that ended the record before */
    uint64_t count;      /* records so far */
    uint64_t strange;    /* lines that are neither a record nor of its body */
    uint64_t cut;        /* lines that were too long, or came when a body was full */
};

void log_records_open(struct log_records *records, struct source *source);
bool log_records_next(struct log_records *records, struct log_record *record); /* false behind the last */
void log_records_close(struct log_records *records);                           /* the source stays the caller's */

#endif
