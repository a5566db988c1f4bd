/* SPDX-License-Identifier: Apache-2.0 */
/* The file: rows into a section, a section to the disk. One thread at a time. */
#ifndef CUDA_OUT_H
#define CUDA_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudafile/format.h"

struct out {
    int fd;                 /* -1: there is no file, and all that is written goes nowhere */
    int error;              /* errno of the write that failed; 0 */
    uint64_t bytes;         /* written */
    uint32_t filled;        /* of the payload */
    uint32_t rows, records; /* in the section; records: those that CUPTI gave */
    uint64_t unwritten;     /* records of sections that could not be written */
    uint64_t last_ns, last_correlation;
    unsigned char *row; /* that is being built, in the payload */
    unsigned char head[CUDAFILE_SECTION], payload[CUDAFILE_PAYLOAD_MOST];
};

/* Where sections are full enough to be written. A row that follows has room. */
enum { OUT_FULL = CUDAFILE_PAYLOAD_MOST / 4 };

/* Begins the file behind out->fd. */
void out_begin(struct out *out);

/* Writes the section that is under way, if it has rows. After a failure nothing is written any more. */
void out_flush(struct out *out);

/* A row: row_begin, its fields, row_end. */
void row_begin(struct out *out, enum cudafile_row kind);
void row_end(struct out *out);
void row_bytes(struct out *out, const char *text, size_t bytes); /* the last field */

static inline void row_number(struct out *out, uint64_t value)
{
    unsigned char *at = out->row;
    for (; value > 0x7F; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    out->row = at;
}

static inline void row_time(struct out *out, uint64_t ns)
{
    row_number(out, cudafile_zigzag((int64_t)(ns - out->last_ns)));
    out->last_ns = ns;
}

static inline void row_correlation(struct out *out, uint64_t id)
{
    row_number(out, cudafile_zigzag((int64_t)(id - out->last_correlation)));
    out->last_correlation = id;
}

/* Start and length. An end before the start is a length of 0. */
static inline void row_span(struct out *out, uint64_t start_ns, uint64_t end_ns)
{
    row_time(out, start_ns);
    row_number(out, end_ns > start_ns ? end_ns - start_ns : 0);
}

#endif
