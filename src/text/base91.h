/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as text that HTML and XML can hold as it is: printable ASCII without blanks, '<', '>' and '&', which are 91 characters.
 * Two hold 13 bits, where two of base64 hold 12: 7.7 % less.
 *
 * Bits come with the lowest of each byte first. Of the last ones up to 6 are one character.
 */
#ifndef TEXT_BASE91_H
#define TEXT_BASE91_H

#include "base/buf.h"

enum {
    BASE91_WHOLE = 13
}; /* so many bytes, or times so many, may be a text of their own: what follows goes on behind it */

void base91_add(struct buf *buf, str bytes);

#endif
