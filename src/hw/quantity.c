/* SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include <math.h>

#include "base/real.h"

/* Takes `tail` off the end of the unit, whatever its case. */
static bool take_tail(str *unit, str tail)
{
    if (unit->len < tail.len)
        return false;
    for (size_t i = 0; i < tail.len; i++)
        if (char_lower(unit->at[unit->len - tail.len + i]) != tail.at[i])
            return false;
    unit->len -= tail.len;
    return true;
}

/* "k", "M", "Gi" ...; where it may, a small letter stands for the large one. 0: no such prefix. */
static double large_prefix(str prefix, bool any_case)
{
    static const char letters[] = "KMGTPE";
    if (!prefix.len)
        return 1;
    const char first = prefix.at[0];
    const char wanted = first == 'k' || any_case ? (char)(char_lower(first) - ('a' - 'A')) : first;
    const char *const at = memchr(letters, wanted, sizeof letters - 1);
    const bool binary = prefix.len == 2 && char_lower(prefix.at[1]) == 'i';
    return at && (prefix.len == 1 || binary) ? pow(binary ? 1024 : 1000, (double)(at - letters + 1)) : 0;
}

static double time_prefix(str prefix)
{
    if (!prefix.len)
        return 1;
    if (str_eq(prefix, S("m")))
        return 1e-3;
    if (str_eq(prefix, S("u")) || str_eq(prefix, S("\u00b5")) || str_eq(prefix, S("\u03bc")))
        return 1e-6;
    return str_eq(prefix, S("n")) ? 1e-9 : 0;
}

/*
 * Bytes or bits, with the unit's "/s" or "ps" taken off already. In "Gb/s" and "GB/s" the case of the letter decides,
 * so the prefix must keep to its case too; "gbps" is always bits, "mb" without a time always bytes.
 */
static double byte_scale(str unit, bool rate, bool per_second_as_ps)
{
    const bool capital = str_ends(unit, S("B"));
    if (take_tail(&unit, S("bytes")) || take_tail(&unit, S("byte")))
        return large_prefix(unit, true);
    if (take_tail(&unit, S("bits")) || take_tail(&unit, S("bit")))
        return large_prefix(unit, true) / 8;
    if (!take_tail(&unit, S("b")))
        return 0;
    if (!rate || capital)
        return large_prefix(unit, !rate);
    return large_prefix(unit, per_second_as_ps) / 8;
}

static bool set(struct quantity *quantity, enum dimension dimension, double scale)
{
    quantity->dimension = dimension;
    quantity->value *= scale;
    return scale > 0;
}

/* Multiplies the value by what the unit stands for. */
static bool apply_unit(str unit, struct quantity *quantity)
{
    if (!unit.len)
        return set(quantity, DIMENSION_COUNT, 1);
    if (str_eq(unit, S("%")))
        return set(quantity, DIMENSION_SHARE, 0.01);
    if (take_tail(&unit, S("flops")) || take_tail(&unit, S("flop/s")))
        return set(quantity, DIMENSION_FLOP_RATE, large_prefix(unit, true));
    if (take_tail(&unit, S("hz")))
        return set(quantity, DIMENSION_FREQUENCY, large_prefix(unit, true));
    if (unit.len <= 2 && take_tail(&unit, S("w")))
        return set(quantity, DIMENSION_POWER, large_prefix(unit, true));
    if (take_tail(&unit, S("/s")))
        return set(quantity, DIMENSION_BYTE_RATE, byte_scale(unit, true, false));
    if (unit.len > 2 && take_tail(&unit, S("ps")))
        return set(quantity, DIMENSION_BYTE_RATE, byte_scale(unit, true, true));
    if (str_ends(unit, S("s")) && time_prefix((str){unit.at, unit.len - 1}) > 0)
        return set(quantity, DIMENSION_TIME, time_prefix((str){unit.at, unit.len - 1}));
    return set(quantity, DIMENSION_BYTES, byte_scale(unit, false, false));
}

const char *quantity_read(str text, struct quantity *quantity)
{
    text = str_trim(text);
    const size_t length = text.len && *text.at != '-' && *text.at != '+' ? real_prefix(text, &quantity->value) : 0;
    if (!length)
        return "is no number with a unit";
    if (!apply_unit(str_trim(str_from(text, length)), quantity))
        return "has a unit that is not known (GB/s are bytes, Gb/s and Gbps are bits)";
    return isfinite(quantity->value) && quantity->value < 1e30 ? NULL : "is out of range";
}

str dimension_examples(enum dimension dimension)
{
    static const char *const examples[] = {
        [DIMENSION_COUNT] = "108",
        [DIMENSION_FLOP_RATE] = "312TFLOPS",
        [DIMENSION_BYTES] = "50MiB or 80GiB",
        [DIMENSION_BYTE_RATE] = "4TB/s or 100Gbps",
        [DIMENSION_FREQUENCY] = "1410MHz",
        [DIMENSION_TIME] = "5us",
        [DIMENSION_POWER] = "400W",
        [DIMENSION_SHARE] = "120%",
    };
    return str_of(examples[dimension]);
}
