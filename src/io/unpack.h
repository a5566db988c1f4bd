/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of packing does. An unpacker takes packed bytes and gives
 * unpacked ones; it holds a fixed amount of memory, whatever the stream claims
 * of itself.
 */
#ifndef IO_UNPACK_H
#define IO_UNPACK_H

#include <stdbool.h>

#include "packed.h"

struct unpacker {
    const char *magic; /* the first bytes of its streams */
    size_t magic_bytes;
    bool light; /* looks back a few KiB at most, so that it costs little to go on in another core's cache */
    void *(*open)(void);
    /* Up to `room` bytes; fewer only at the end, then 0, with *damage set where it was not a good end. */
    size_t (*read)(void *state, struct packed *packed, unsigned char *into, size_t room, const char **damage);
    void (*close)(void *state);
};

extern const struct unpacker unpack_gzip, unpack_zstd;
#ifdef HAVE_LZMA
extern const struct unpacker unpack_xz;
#endif

#endif
