/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <math.h>

#include "base/real.h"

enum { EQUAL_STEPS = 11 };

/* Values under construction. */
struct list {
    double *numbers;
    str *texts;
    uint32_t count;
    bool whole, too_many;
    struct arena *arena;
};

/* A number and the unit after it, "" where there is none. */
static bool number_of(str text, double *number, str *unit)
{
    const size_t length = real_prefix(text, number);
    *unit = str_from(text, length);
    return length && isfinite(*number) && *number >= 0;
}

static void add(struct list *list, double value, str unit)
{
    value = list->whole ? floor(value + 0.5) : value;
    if (list->count && list->numbers[list->count - 1] == value)
        return;
    list->too_many |= list->count == VALUES_MOST;
    if (list->too_many)
        return;
    list->numbers[list->count] = value;
    list->texts[list->count++] = str_printf(list->arena, "%.10g%.*s", value, (int)unit.len, unit.at);
}

/* ---- ranges ---- */

/* Splits "A..B" or "A..B:COUNT". */
static bool split_range(str text, str *low, str *high, str *count)
{
    const char *dots = text.len > 2 ? memmem(text.at, text.len, "..", 2) : NULL;
    if (!dots)
        return false;
    *low = (str){text.at, (size_t)(dots - text.at)};
    *high = str_from(text, low->len + 2);
    *count = S("");
    const char *colon = high->len ? memchr(high->at, ':', high->len) : NULL;
    if (colon) {
        *count = str_from(*high, (size_t)(colon - high->at) + 1);
        high->len = (size_t)(colon - high->at);
    }
    return true;
}

static void add_between(struct list *list, double from, double to, int64_t points, str unit)
{
    for (int64_t i = 0; i < points; i++) {
        const double at = (double)i / (double)(points - 1);
        add(list, from > 0 ? from * pow(to / from, at) : to * at, unit);
    }
}

static void add_doubling(struct list *list, double from, double to, str unit)
{
    for (double value = from; value <= to * (1 + 1e-9) && !list->too_many; value *= 2)
        add(list, value, unit);
    if (list->numbers[list->count - 1] < to * (1 - 1e-9))
        add(list, to, unit);
}

static bool read_range(struct list *list, str low, str high, str count)
{
    double from, to;
    str low_unit, unit;
    int64_t points = 0;
    if (!number_of(low, &from, &low_unit) || !number_of(high, &to, &unit) || to < from || to == 0 ||
        (low_unit.len && !str_eq(low_unit, unit)))
        return false;
    if (count.len && (!str_int(count, &points) || points < 2 || points > VALUES_MOST))
        return false;
    if (points || from == 0)
        add_between(list, from, to, points ? points : EQUAL_STEPS, unit);
    else
        add_doubling(list, from, to, unit);
    return list->count > 0;
}

/* ---- lists ---- */

static bool read_list(struct list *list, str text)
{
    str rest = text, item, last_unit = S(""), unit;
    double value;
    while (str_cut(&rest, ',', &item))
        if (!number_of(str_trim(item), &value, &last_unit))
            return false;
    while (str_cut(&text, ',', &item)) {
        number_of(str_trim(item), &value, &unit);
        if (unit.len && !str_eq(unit, last_unit))
            return false;
        add(list, value, last_unit);
    }
    return list->count > 0;
}

bool values_read(str text, bool whole, struct arena *arena, struct values *values)
{
    str low, high, count;
    struct list list = {.whole = whole, .arena = arena};
    list.numbers = arena_array(arena, VALUES_MOST, sizeof *list.numbers);
    list.texts = arena_array(arena, VALUES_MOST, sizeof *list.texts);
    const bool good =
        split_range(text, &low, &high, &count) ? read_range(&list, low, high, count) : read_list(&list, text);
    *values = (struct values){list.count, list.too_many, list.numbers, list.texts};
    return good && !list.too_many;
}
