/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes packed at once, as source.h unpacks them. */
#ifndef IO_PACK_H
#define IO_PACK_H

#include "base/buf.h"

/* What is kept is packed tightly; what is read at once, on its way between processes, fast. */
enum packing { PACK_TIGHT = 15, PACK_FAST = 1 }; /* levels of zstd */

/* Adds one frame of zstd, with a checksum, to the buffer. */
void pack_zstd(str bytes, enum packing packing, struct buf *into);

#endif
