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

void base91_add(struct buf *buf, str bytes);

#endif
