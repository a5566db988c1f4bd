/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that the CUDA recorder writes (doc/recorder-format.md): sixteen bytes, then sections of rows.
 *
 *     header   magic (15 bytes), version (1 byte)
 *     section  CUDAFILE_SECTION bytes: tag, bytes of the payload, rows, check of the payload; then the payload
 *     row      varint: bytes that follow; kind (1 byte); fields, each a varint (a text: what is left of the row)
 *
 * Numbers of the section's head are little endian. A varint holds seven bits a byte, the lowest first. Signed numbers are
 * zigzag: 0, -1, 1, -2 ... Times and correlation ids are differences from the row before of the same section, 0 at its
 * start, so each section can be read alone. A reader passes over kinds that it does not know, and over what follows the
 * fields that it knows.
 *
 * This header is all that the recorder (cuda/) knows of the rest, so it includes nothing of it.
 */
#ifndef CUDAFILE_FORMAT_H
#define CUDAFILE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CUDAFILE_MAGIC "\x93steptime cuda\n"
enum {
    CUDAFILE_MAGIC_BYTES = sizeof CUDAFILE_MAGIC - 1,
    CUDAFILE_VERSION = 1,
    CUDAFILE_HEADER = 16,
    CUDAFILE_SECTION = 16,
    CUDAFILE_TAG = 0x53435453, /* "STCS" */
    CUDAFILE_PAYLOAD_MOST = 1 << 20,
    CUDAFILE_ROW_MOST = 1 << 14,  /* bytes of a row, its length not counted */
    CUDAFILE_TEXT_MOST = 8 << 10, /* longer texts are cut */
    CUDAFILE_TEXTS_MOST = 1 << 18,
    CUDAFILE_CODES_MOST = 1 << 16,
    CUDAFILE_FRAMES_MOST = 16, /* of a line row: the innermost */
};

_Static_assert(CUDAFILE_MAGIC_BYTES + 1 == CUDAFILE_HEADER, "the version ends the header");

/* Fields in order. "id of a text": that of a TEXT row before; 0 is the empty text. */
enum cudafile_row {
    CUDAFILE_TEXT = 1, /* id, bytes */
    CUDAFILE_INFO,     /* enum cudafile_info, bytes */
    CUDAFILE_CLOCK,    /* the same moment by the recorder's clock, by that of the calendar, and since boot; all ns */
    CUDAFILE_DEVICE,   /* number, text, bytes of memory, multiprocessors, compute capability major, minor */
    CUDAFILE_CALL,     /* 0 driver 1 runtime, text, thread, correlation, start, length, result */
    CUDAFILE_KERNEL, /* place, text, grid x y z, block x y z, registers, static and dynamic shared memory, graph, node */
    CUDAFILE_COPY, /* place, bytes, copy kind, source kind, destination kind, flags, source and destination device + 1 */
    CUDAFILE_MEMSET,   /* place, bytes, value, memory kind */
    CUDAFILE_SYNC,     /* correlation, start, length, type, context, stream, event */
    CUDAFILE_MARK,     /* time, id, flags, thread, text, text of the domain */
    CUDAFILE_OVERHEAD, /* start, length, kind, thread */
    CUDAFILE_CODE,     /* id of a Python function, text of its file, text of its name, first line */
    CUDAFILE_LINE,     /* correlation, thread, depth of the stack, frames; of each, innermost first: code, line */
    CUDAFILE_LOSS,     /* counts so far, enum cudafile_loss in order */
    CUDAFILE_END,      /* the recorder ended by itself: records that it was given; behind it there is nothing */
    CUDAFILE_KINDS,
};
/* place: device, context, stream, correlation, start, length */

enum cudafile_info {
    CUDAFILE_HOST = 1,
    CUDAFILE_PROCESS,
    CUDAFILE_COMMAND,
    CUDAFILE_RANK,
    CUDAFILE_WORLD,
    CUDAFILE_CUPTI_VERSION,
    CUDAFILE_CUPTI_PATH,
    CUDAFILE_LINES_OFF, /* why frames of Python are not read without its lock; absent: they are, or there is no Python */
    CUDAFILE_CALLS,     /* which calls are recorded */
};

enum cudafile_loss {
    CUDAFILE_DROPPED,   /* records that CUPTI says it dropped */
    CUDAFILE_UNWRITTEN, /* records that came, but could not be written */
    CUDAFILE_UNKNOWN,   /* records of a kind, or with content, that the recorder does not know */
    CUDAFILE_NAMELESS,  /* records whose text did not fit */
    CUDAFILE_UNLOCKED, /* copies and waits without a line: frames were not read, and the thread did not hold the lock */
    CUDAFILE_LINES_LOST, /* lines for which there was no room */
    CUDAFILE_ODD_SIZES,  /* records of another size than this version of CUPTI should give */
    CUDAFILE_FRAMELESS,  /* copies and waits of threads that ran no Python then */
    CUDAFILE_OF_LIBRARY, /* NVTX ranges and marks of CUDA's own C++ library, which are left out */
    CUDAFILE_LOSSES,
    CUDAFILE_LOSSES_FIRST = CUDAFILE_FRAMELESS, /* as many as the first recorder wrote */
};

/* Over a payload: eight bytes at a time, what is left one at a time. */
static inline uint32_t cudafile_check(const unsigned char *at, size_t bytes)
{
    const uint64_t prime = 0x9E3779B97F4A7C15;
    uint64_t sum = bytes * prime + 1;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        uint64_t word = 0;
        memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        sum = (sum ^ word) * prime;
        sum ^= sum >> 29;
    }
    for (; bytes; at++, bytes--)
        sum = (sum ^ *at) * prime;
    return (uint32_t)(sum >> 32);
}

static inline uint64_t cudafile_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t cudafile_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ -(value & 1));
}

#endif
