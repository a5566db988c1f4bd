/* SPDX-License-Identifier: Apache-2.0 */
#include "linetable.h"

#include <stdbool.h>

static uint32_t as_line(int64_t line)
{
    return line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
}

/* Pairs: bytes of instructions, and how much further the line is from there on. */
static uint32_t line_39(const unsigned char *table, size_t bytes, int64_t line, int64_t at)
{
    int64_t start = 0;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        start += table[i];
        if (start > at)
            break;
        line += (int8_t)table[i + 1];
    }
    return as_line(line);
}

/* Pairs: bytes of instructions, and how much further the line of these is; -128: they have none. */
static uint32_t line_310(const unsigned char *table, size_t bytes, int64_t line, int64_t at)
{
    enum { NO_LINE = -128 };
    int64_t end = 0;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        const int further = (int8_t)table[i + 1];
        end += table[i];
        line += further == NO_LINE ? 0 : further;
        if (end > at)
            return further == NO_LINE ? 0 : as_line(line);
    }
    return 0;
}

/* Six bits a byte, the lowest first; bit 6: there is more. */
static uint32_t varint(const unsigned char *at, const unsigned char *end)
{
    uint32_t value = 0;
    for (unsigned shift = 0; at < end && shift < 32; shift += 6, at++) {
        value |= (uint32_t)(*at & 63) << shift;
        if (!(*at & 64))
            break;
    }
    return value;
}

/* By how much an entry's line is further than that of the one before. */
static int64_t further_311(unsigned code, const unsigned char *rest, const unsigned char *end)
{
    enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14 };
    if (code >= ONE_LINE && code < NO_COLUMNS)
        return code - ONE_LINE;
    if (code != NO_COLUMNS && code != LONG)
        return 0;
    const uint32_t value = varint(rest, end);
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Entries begin with a byte whose bit 7 is set: four bits say the form, three how many instructions (less one) it is for. */
static uint32_t line_311(const unsigned char *table, size_t bytes, int64_t line, int64_t at)
{
    enum { NONE = 15, INSTRUCTION = 2 };
    const unsigned char *const limit = table + bytes;
    int64_t end = 0;
    for (const unsigned char *entry = table; entry < limit;) {
        const unsigned code = *entry >> 3 & 15;
        end += ((*entry & 7) + 1) * INSTRUCTION;
        line += further_311(code, entry + 1, limit);
        if (end > at)
            return code == NONE ? 0 : as_line(line);
        do
            entry++;
        while (entry < limit && !(*entry & 128));
    }
    return 0;
}

uint32_t linetable_line(enum linetable form, const unsigned char *table, size_t bytes, uint32_t first_line, int64_t at)
{
    if (at < 0)
        return first_line;
    return form == LINETABLE_39    ? line_39(table, bytes, first_line, at)
           : form == LINETABLE_310 ? line_310(table, bytes, first_line, at)
                                   : line_311(table, bytes, first_line, at);
}
