/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes as they lie in a file, a pipe, or memory, with a block of them to look into. */
#ifndef IO_PACKED_H
#define IO_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed {
    int fd;                      /* -1: the bytes come from memory */
    const unsigned char *memory; /* those still to come */
    size_t memory_left;
    size_t chunk; /* most of them that one read gives */
    unsigned char *block;
    size_t at, end;        /* bytes of the block not yet taken */
    int failed;            /* errno of a read that failed, else 0 */
    _Atomic int64_t taken; /* bytes read so far; another thread may look */
};

void packed_open(struct packed *packed, int fd);
void packed_open_memory(struct packed *packed, const void *bytes, size_t count, size_t chunk);
void packed_close(struct packed *packed);

/* True while the block holds bytes; reads the next one once it is used up. */
bool packed_more(struct packed *packed);

/* Adds to the block what can be read now, keeping what it holds. False at the end, or when it is full. */
bool packed_widen(struct packed *packed);

/* Goes on at that byte of the file; false where it is none that can. */
bool packed_seek(struct packed *packed, int64_t offset);

/* Bytes as they are: from the block first, then straight from the file. 0 at the end. */
size_t packed_read(struct packed *packed, unsigned char *into, size_t room);

#endif
