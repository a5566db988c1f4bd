/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A number in parts: digits * 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
};

enum {
    MOST_DIGITS = 19,
    MOST_EXPONENT = 10000
}; /* digits that fit a uint64_t; beyond the range of a double, with room */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The digits with a point among them at *at; how many there are, zeros in front aside. */
static int take_digits(const char **at, const char *end, struct decimal *decimal)
{
    const char *const start = *at, *point = NULL;
    int count = 0;
    for (; *at < end && (is_digit(**at) || (**at == '.' && !point)); ++*at) {
        if (**at == '.') {
            point = *at;
            continue;
        }
        decimal->digits = decimal->digits * 10 + (uint64_t)(**at - '0');
        count += count || **at != '0';
    }
    if (point)
        decimal->exponent = (int)(point + 1 - *at);
    return *at - start > (point != NULL) ? count : -1;
}

/* What stands behind an e; false where no digit does. */
static bool take_exponent(const char *at, const char *end, struct decimal *decimal)
{
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return false;
    int exponent = 0;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        exponent = exponent < MOST_EXPONENT ? exponent * 10 + (*at - '0') : MOST_EXPONENT;
    }
    decimal->exponent += negative ? -exponent : exponent;
    return true;
}

enum reading { NO_NUMBER, WHOLE, LONGER };

static enum reading take_decimal(str text, struct decimal *decimal)
{
    const char *at = text.at, *const end = text.at + text.len;
    decimal->negative = *at == '-';
    at += *at == '-' || *at == '+';
    const int count = take_digits(&at, end, decimal);
    if (count < 0 || (at < end && ((*at | 0x20) != 'e' || !take_exponent(at + 1, end, decimal))))
        return NO_NUMBER;
    return count <= MOST_DIGITS ? WHOLE : LONGER;
}

#if LDBL_MANT_DIG == 64
/*
 * All digits fit the 64 bits of a long double, and so do these powers of ten: their product or quotient is rounded once
 * to 64 bits, then to a double. The second rounding goes wrong only where the first one met the middle between two
 * doubles: the eleven bits that go are 100 0000 0000.
 */
static const long double tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                   1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                   1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static bool round_fast(const struct decimal *decimal, double *value)
{
    enum { MOST = sizeof tens / sizeof *tens - 1 };
    if (decimal->exponent < -MOST || decimal->exponent > MOST)
        return false;
    const long double digits = (long double)decimal->digits;
    const long double wide =
        decimal->exponent < 0 ? digits / tens[-decimal->exponent] : digits * tens[decimal->exponent];
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    if ((bits & 0x7ff) == 0x400)
        return false;
    *value = (double)wide;
    return true;
}
#else
/* Digits and powers of ten that a double holds exactly: the result is rounded once. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool round_fast(const struct decimal *decimal, double *value)
{
    enum { MOST = sizeof tens / sizeof *tens - 1 };
    if (decimal->digits >> 53 || decimal->exponent < -MOST || decimal->exponent > MOST)
        return false;
    const double digits = (double)decimal->digits;
    *value = decimal->exponent < 0 ? digits / tens[-decimal->exponent] : digits * tens[decimal->exponent];
    return true;
}
#endif

/* Any decimal number, slowly; the text was found to be one. */
static bool round_slowly(str text, double *value)
{
    char copy[512];
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    *value = strtod(copy, NULL);
    return isfinite(*value);
}

bool number_read(str text, double *value)
{
    text = str_trim(text);
    struct decimal decimal = {0};
    const enum reading reading = text.len ? take_decimal(text, &decimal) : NO_NUMBER;
    if (reading == NO_NUMBER)
        return false;
    double rounded;
    if (reading == LONGER || !round_fast(&decimal, &rounded))
        return round_slowly(text, value);
    *value = decimal.negative ? -rounded : rounded;
    return true;
}
