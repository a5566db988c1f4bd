/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

struct prefix {
    double per;
    str word;
};

enum { PREFIXES = 7 };

/* Each list goes up; a value takes the largest prefix that leaves at least 1 before the point. */
static const struct prefix times[PREFIXES] = {{1, {"ns", 2}}, {1e3, {"us", 2}}, {1e6, {"ms", 2}}, {1e9, {"s", 1}}};
static const struct prefix sizes[PREFIXES] = {{1, {"B", 1}},        {0x1p10, {"KiB", 3}}, {0x1p20, {"MiB", 3}},
                                              {0x1p30, {"GiB", 3}}, {0x1p40, {"TiB", 3}}, {0x1p50, {"PiB", 3}}};
static const struct prefix flops[PREFIXES] = {{1, {"FLOP", 4}},    {1e3, {"kFLOP", 5}},  {1e6, {"MFLOP", 5}},
                                              {1e9, {"GFLOP", 5}}, {1e12, {"TFLOP", 5}}, {1e15, {"PFLOP", 5}},
                                              {1e18, {"EFLOP", 5}}};
static const struct prefix byte_rates[PREFIXES] = {{1, {"B/s", 3}},    {1e3, {"kB/s", 4}},  {1e6, {"MB/s", 4}},
                                                   {1e9, {"GB/s", 4}}, {1e12, {"TB/s", 4}}, {1e15, {"PB/s", 4}}};
static const struct prefix flop_rates[PREFIXES] = {
    {1, {"FLOP/s", 6}},     {1e3, {"kFLOP/s", 7}},  {1e6, {"MFLOP/s", 7}}, {1e9, {"GFLOP/s", 7}},
    {1e12, {"TFLOP/s", 7}}, {1e15, {"PFLOP/s", 7}}, {1e18, {"EFLOP/s", 7}}};
static const struct prefix percent[PREFIXES] = {{0.01, {"%", 1}}};
static const struct prefix plain[PREFIXES] = {{1, {"", 0}}};

/* A unit is so many of the first entry of a list. */
static const struct {
    const struct prefix *prefixes;
    double of_first;
} scales[] = {
    [UNIT_NONE] = {plain, 1},
    [UNIT_NS] = {times, 1},
    [UNIT_US] = {times, 1e3},
    [UNIT_MS] = {times, 1e6},
    [UNIT_BYTES] = {sizes, 1},
    [UNIT_FLOP] = {flops, 1},
    [UNIT_RATIO] = {percent, 1},
    [UNIT_COUNT] = {plain, 1},
    [UNIT_BYTES_PER_S] = {byte_rates, 1},
    [UNIT_FLOP_PER_S] = {flop_rates, 1},
};

static const struct prefix *fitting(const struct prefix *prefixes, double magnitude)
{
    int best = 0;
    for (int i = 1; i < PREFIXES && prefixes[i].word.len && prefixes[i].per <= magnitude; i++)
        best = i;
    return &prefixes[best];
}

static int decimals_for(enum unit unit, double scaled)
{
    if (unit == UNIT_RATIO)
        return scaled < 1 ? 2 : 1;
    if (unit == UNIT_BYTES)
        return scaled >= 10 ? 1 : 2;
    return scaled >= 1000 ? 0 : scaled >= 100 ? 1 : scaled >= 10 ? 2 : 3;
}

struct measure measure_for(enum unit unit, double largest, bool whole)
{
    const double magnitude = fabs(largest) * scales[unit].of_first;
    const struct prefix *prefix = fitting(scales[unit].prefixes, magnitude);
    const bool integer = whole && prefix->per == 1 && scales[unit].of_first == 1;
    return (struct measure){
        .per = prefix->per / scales[unit].of_first,
        .word = prefix->word,
        .decimals = integer ? 0 : decimals_for(unit, magnitude / prefix->per),
        .grouped = unit != UNIT_NONE,
    };
}

/* 1234567.89 as 1,234,567.89. */
static str group(struct arena *arena, str digits)
{
    const size_t sign = digits.len && digits.at[0] == '-';
    size_t whole = sign;
    while (whole < digits.len && digits.at[whole] != '.')
        whole++;
    if (whole - sign < 4)
        return digits;
    char *out = arena_alloc(arena, digits.len + digits.len / 3 + 1);
    size_t n = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = digits.at[i];
    }
    return (str){out, n};
}

str measure_text(struct arena *arena, const struct measure *measure, double value)
{
    const double scaled = value / measure->per;
    if (scaled == 0)
        return S("0");
    const double least = pow(10, -measure->decimals);
    if (fabs(scaled) < least / 2)
        return str_printf(arena, "%s%.*f", scaled < 0 ? ">-" : "<", measure->decimals, least);
    const str digits = str_printf(arena, "%.*f", measure->decimals, scaled);
    return measure->grouped ? group(arena, digits) : digits;
}

str measure_whole_text(struct arena *arena, enum unit unit, double value, bool whole)
{
    const struct measure measure = measure_for(unit, value, whole);
    const str number = measure_text(arena, &measure, value);
    return str_printf(arena, "%.*s%s%.*s", (int)number.len, number.at, measure.word.len ? " " : "",
                      (int)measure.word.len, measure.word.at ? measure.word.at : "");
}
