/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes packed at once, as source.h unpacks them. */
#ifndef IO_PACK_H
#define IO_PACK_H

#include "base/buf.h"

/* Adds one frame of zstd, packed tightly and with a checksum, to the buffer. */
void pack_zstd(str bytes, struct buf *into);

#endif
