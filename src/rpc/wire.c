/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include <errno.h>
#include <unistd.h>

void wire_write(struct wire *wire, str text)
{
    while (text.len && !wire->broken) {
        const ssize_t written = write(wire->out, text.at, text.len);
        if (written < 0 && errno == EINTR)
            continue;
        wire->broken = written <= 0;
        text = str_from(text, wire->broken ? 0 : (size_t)written);
    }
}
