/* SPDX-License-Identifier: Apache-2.0 */
#include "real.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "format.h"
#include "plain_locale.h"
#include "real_powers.h"

__extension__ typedef unsigned __int128 uint128_t;

enum { MOST_DIGITS = 19 }; /* that always fit a uint64_t */

/* ---- cutting ---- */

/* A number in parts: digits * 10^exponent. Digits are what they say only where there are at most MOST_DIGITS. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
    size_t count;
    bool negative;
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The high bit of each of eight bytes that is no digit, of digits with '0' taken off. */
static uint64_t not_digits(uint64_t bytes)
{
    return (((bytes & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | bytes) & 0x8080808080808080;
}

/* Eight digits as a number, the first in the lowest byte: neighbours are joined to pairs, to fours, to eight. */
static uint64_t eight_digits(uint64_t bytes)
{
    bytes = bytes * (1 + (10 << 8)) >> 8;
    bytes = (bytes & 0x00FF00FF00FF00FF) * (1 + (100 << 16)) >> 16;
    return (bytes & 0x0000FFFF0000FFFF) * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Adds the digits that the next eight bytes begin with; how many these are. */
static inline uint32_t take_eight(const char *at, uint64_t *digits)
{
    static const uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030;
    const uint64_t others = not_digits(bytes);
    const uint32_t count = others ? (uint32_t)__builtin_ctzll(others) / 8 : 8;
    if (count)
        *digits = *digits * tens[count] + eight_digits(bytes << 8 * (8 - count));
    return count;
}

static inline const char *take_digits(const char *at, const char *end, uint64_t *digits)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - at >= 8) {
        const uint32_t count = take_eight(at, digits);
        at += count;
        if (count < 8)
            return at;
    }
#endif
    for (; at < end && is_digit(*at); at++)
        *digits = *digits * 10 + (uint64_t)(*at - '0');
    return at;
}

/* The digits of "12", "1.5", ".5" or "5."; NULL where there are none. */
static const char *take_mantissa(const char *at, const char *end, struct decimal *decimal)
{
    const char *const start = at;
    at = take_digits(at, end, &decimal->digits);
    decimal->count = (size_t)(at - start);
    if (at < end && *at == '.') {
        const char *const point = at++;
        at = take_digits(at, end, &decimal->digits);
        decimal->exponent = point + 1 - at;
        decimal->count += (size_t)(at - point - 1);
    }
    if (decimal->count > MOST_DIGITS) /* zeros in front are none of them */
        for (const char *zero = start; zero < at && (*zero == '0' || *zero == '.'); zero++)
            decimal->count -= *zero == '0';
    return at - start > (at > start && *start == '.') ? at : NULL;
}

/* "e-12"; the text as it was where no digit follows. */
static const char *take_exponent(const char *at, const char *end, struct decimal *decimal)
{
    static const int64_t most = (int64_t)1 << 60;
    const char *digit = at + 1;
    const bool negative = digit < end && *digit == '-';
    digit += digit < end && (*digit == '-' || *digit == '+');
    if (digit == end || !is_digit(*digit))
        return at;
    int64_t exponent = 0;
    for (; digit < end && is_digit(*digit); digit++)
        exponent = exponent < most / 16 ? exponent * 10 + (*digit - '0') : most;
    decimal->exponent += negative ? -exponent : exponent;
    return digit;
}

static size_t take_decimal(str text, struct decimal *decimal)
{
    const char *at = text.at, *const end = at + text.len;
    if (at == end)
        return 0;
    decimal->negative = *at == '-';
    at += *at == '-' || *at == '+';
    at = take_mantissa(at, end, decimal);
    if (!at)
        return 0;
    if (at < end && (*at | 0x20) == 'e')
        at = take_exponent(at, end, decimal);
    return (size_t)(at - text.at);
}

/* ---- rounding ---- */

/*
 * digits * 10^exponent as a double. The power is known to 128 bits, cut off, so the product of 192 bits lies less than
 * 2 units of 2^64 above `product`. It is rounded to 53 bits if that leaves no choice; false where the product may lie
 * on either side of the middle between two doubles.
 */
static bool round_product(uint64_t digits, int exponent, double *value)
{
    const struct real_power *const power = &real_powers[exponent + REAL_MOST_POWER];
    const int lead = __builtin_clzll(digits);
    digits <<= lead;
    const uint128_t product = (uint128_t)digits * power->high + ((uint128_t)digits * power->low >> 64);
    const int dropped = 75 - (int)(~product >> 127);
    const uint128_t half = (uint128_t)1 << (dropped - 1), rest = product & (2 * half - 1);
    uint64_t kept = (uint64_t)(product >> dropped);
    if (rest + 2 > half && rest <= half) {
        if (power->low || exponent < 0) /* else the power is exact, and so is the product */
            return false;
        kept += rest == half && kept & 1;
    } else {
        kept += rest > half;
    }
    const int power_of_two = (exponent * 217706 >> 16) - 127 + 64 + dropped - lead;
    const uint64_t bits = ((uint64_t)(power_of_two + 1074) << 52) + kept;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Digits and power are doubles without loss, so that one division or multiplication rounds once (Clinger 1990). */
static bool round_exact(const struct decimal *decimal, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { MOST = sizeof powers / sizeof *powers - 1 };
    if (FLT_EVAL_METHOD != 0 || decimal->digits > (uint64_t)1 << 53 || decimal->exponent < -MOST ||
        decimal->exponent > MOST)
        return false;
    const double digits = (double)(int64_t)decimal->digits;
    *value = decimal->exponent < 0 ? digits / powers[-decimal->exponent] : digits * powers[decimal->exponent];
    return true;
}

static bool round_fast(const struct decimal *decimal, double *value)
{
    *value = 0;
    if (decimal->count > MOST_DIGITS)
        return false;
    return !decimal->digits || round_exact(decimal, value) ||
           (decimal->exponent >= -REAL_MOST_POWER && decimal->exponent <= REAL_MOST_POWER &&
            round_product(decimal->digits, (int)decimal->exponent, value));
}

/* Any decimal number; the text was found to be one. */
static double round_slowly(str text)
{
    char room[512];
    struct arena scratch = {0};
    const char *copy = room;
    if (text.len < sizeof room) {
        memcpy(room, text.at, text.len);
        room[text.len] = 0;
    } else {
        copy = str_z(&scratch, text);
    }
    const double value = strtod_l(copy, NULL, plain_locale());
    arena_free(&scratch);
    return value;
}

size_t real_prefix(str text, double *value)
{
    struct decimal decimal = {0};
    const size_t length = take_decimal(text, &decimal);
    if (!length)
        return 0;
    if (!round_fast(&decimal, value))
        *value = round_slowly((str){text.at, length});
    else if (decimal.negative)
        *value = -*value;
    return length;
}

static bool is_all_real(str text, double *value)
{
    return text.len && real_prefix(text, value) == text.len;
}

/* Few have blanks around them. */
bool real_read(str text, double *value)
{
    double read;
    if (!text.len || !(is_all_real(text, &read) || is_all_real(str_trim(text), &read)) || !isfinite(read))
        return false;
    *value = read;
    return true;
}

/* ---- hexadecimal ---- */

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* "1.8p+3": at most 16 digits, which are the bits of a double and zeros in front. */
static bool read_hex_digits(str text, double *value)
{
    uint64_t bits = 0;
    int64_t exponent = 0;
    bool after_point = false;
    str digits;
    if (!str_cut(&text, 'p', &digits) || !digits.len || digits.len > 17 ||
        !str_int(str_from(text, text.len && *text.at == '+'), &exponent) || exponent < -2000 || exponent > 2000)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        const int digit = hex_digit(digits.at[i]);
        if (digits.at[i] == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (digit < 0)
            return false;
        bits = bits << 4 | (uint64_t)digit;
        exponent -= after_point ? 4 : 0;
    }
    *value = ldexp((double)bits, (int)exponent);
    return true;
}

bool real_read_hex(str text, double *value)
{
    const bool negative = str_starts(text, S("-"));
    text = str_from(text, negative);
    if (str_eq(text, S("nan")))
        *value = NAN;
    else if (str_eq(text, S("inf")))
        *value = INFINITY;
    else if (!str_starts(text, S("0x")) || !read_hex_digits(str_from(text, 2), value))
        return false;
    *value = negative ? -*value : *value;
    return true;
}

/* ---- writing ---- */

str real_text(double value, char room[REAL_ROOM])
{
    int len = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double again;
        len = format_text(room, REAL_ROOM, "%.*g", digits, value);
        if (real_prefix((str){room, (size_t)len}, &again) && again == value)
            break;
    }
    if (!memchr(room, '.', (size_t)len) && !memchr(room, 'e', (size_t)len))
        len += format_text(room + len, REAL_ROOM - (size_t)len, ".0");
    return (str){room, (size_t)len};
}

double real_rounded(double value, int digits)
{
    char room[REAL_ROOM];
    const int len = format_text(room, sizeof room, "%.*g", digits, value);
    real_prefix((str){room, (size_t)len}, &value);
    return value;
}
