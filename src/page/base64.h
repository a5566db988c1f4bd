/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAGE_BASE64_H
#define PAGE_BASE64_H

#include "base/buf.h"

/* RFC 4648, with padding. */
void base64_add(struct buf *buf, str bytes);

#endif
