/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes packed as source.h unpacks them: at once, or as they come. */
#ifndef IO_PACK_H
#define IO_PACK_H

#include "base/buf.h"
#include "writer.h"

/* Adds one frame of zstd, packed tightly and with a checksum, to the buffer. */
void pack_zstd(str bytes, struct buf *into);

/* Adds the pieces as one stream of zlib, packed as tightly as is quick: a browser unpacks it as "deflate". */
void pack_deflate(const str *pieces, uint32_t count, struct buf *into);

/* gzip as it comes: one member, into a writer that stays the caller's. */
struct packer;

struct packer *pack_gzip(struct writer *out);
void pack_put(struct packer *packer, str text);
void pack_close(struct packer *packer); /* ends the member; frees the packer */

#endif
