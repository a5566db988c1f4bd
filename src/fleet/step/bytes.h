/* SPDX-License-Identifier: Apache-2.0 */
/* Values as the bytes they are in memory, for processes of one program on machines of one kind. */
#ifndef FLEET_BYTES_H
#define FLEET_BYTES_H

#include "base/buf.h"

static inline void bytes_put(struct buf *bytes, const void *from, size_t size)
{
    if (size)
        buf_add(bytes, (str){from, size});
}

/* Takes them from the front; false, and nothing taken, where there are too few. */
static inline bool bytes_take(str *bytes, void *into, size_t size)
{
    if (bytes->len < size)
        return false;
    if (size)
        memcpy(into, bytes->at, size);
    *bytes = str_from(*bytes, size);
    return true;
}

#endif
