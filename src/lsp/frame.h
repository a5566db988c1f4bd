/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base protocol of the Language Server Protocol: heads with a Content-Length, and bodies. Bytes go in as they come,
 * bodies come out. A head that cannot be understood is told once and passed over.
 */
#ifndef LSP_FRAME_H
#define LSP_FRAME_H

#include "base/buf.h"

enum {
    FRAME_BYTES = 64 << 20, /* a larger body is passed over */
    FRAME_HEAD = 4096,
};

enum frame {
    FRAME_NONE, /* more bytes are needed */
    FRAME_BODY,
    FRAME_BROKEN,
    FRAME_TOO_LARGE,
};

struct frames {
    struct buf bytes;
    size_t from; /* what lies before was taken */
    size_t skip; /* bytes of a body that is passed over */
};

void frames_feed(struct frames *frames, str bytes);

/* The next one; its body is valid until more is fed. */
enum frame frames_next(struct frames *frames, str *body);

void frames_free(struct frames *frames);

#endif
