/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reals as text, in and out. The one place where a decimal number becomes a double: always the nearest one (ties to
 * even), in any locale of the host program. Numbers of up to 19 digits and powers of ten from -64 to 64, which is
 * nearly all there are, cost two multiplications; others go to the C library.
 */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include "str.h"

enum { REAL_ROOM = 40 };

/* The whole text, blanks around it aside, as a finite decimal number; false where it is none. */
bool real_read(str text, double *value);

/*
 * The decimal number that the text begins with: how many bytes it is long, 0 where there is none. An e without digits
 * behind it is no part of it ("2 eV"). Beyond the range of a double *value is infinite.
 */
size_t real_prefix(str text, double *value);

/* As Python's float.hex() writes: "0x1.8p+3", "-inf", "nan". */
bool real_read_hex(str text, double *value);

/*
 * The shortest of 15, 16 or 17 significant digits that is read back as the same value. A whole number keeps its ".0".
 * The value is finite; the text may lie in `room`.
 */
str real_text(double value, char room[REAL_ROOM]);

/* The decimal number of so many significant digits that is nearest. */
double real_rounded(double value, int digits);

/* The bits of a double; of positive ones they are in the same order. */
static inline uint64_t real_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
