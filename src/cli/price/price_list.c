/* SPDX-License-Identifier: Apache-2.0 */
#include "price_list.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/real.h"
#include "cli/predict/predict_rows.h"
#include "hw/catalogue.h"
#include "io/source.h"
#include "text/csv_reader.h"

enum { MOST_BYTES = 1 << 20 };

struct list_reading {
    str path;
    struct arena *arena;
    struct user_prices *into;
    uint32_t device, per_hour; /* columns */
};

static bool read_all(const char *path, struct buf *text, struct steptime_error *err)
{
    struct source *const source = source_open(path, err);
    if (!source)
        return false;
    char block[4096];
    for (size_t got; text->len <= MOST_BYTES && (got = source_read(source, block, sizeof block));)
        buf_add(text, (str){block, got});
    const char *const damage = text->len <= MOST_BYTES ? source_damage(source) : "is too large for a table of prices";
    const bool good = !damage || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", damage);
    source_close(source);
    return good;
}

/* The catalogue's name; of one that the catalogue lacks, its own: it may be that of a file of the user's. */
static str name_of(str word)
{
    const struct catalogue *const catalogue = catalogue_built_in();
    const struct hardware *const gpu = catalogue_gpu(catalogue, word, (struct gpu_signs){-1, -1});
    const struct common_variant *const common = gpu ? NULL : catalogue_common(catalogue, word);
    return gpu ? gpu->name : common ? common->gpu->name : word;
}

static const struct listed_price *find(const struct user_prices *prices, str device)
{
    for (uint32_t i = 0; i < prices->count; i++)
        if (str_eq(prices->at[i].device, device))
            return &prices->at[i];
    return NULL;
}

static bool read_row(struct list_reading *r, const struct csv_row *row, uint32_t line, struct steptime_error *err)
{
    const str word = str_trim(csv_field(row, r->device)), number = str_trim(csv_field(row, r->per_hour));
    struct listed_price price = {.device = str_copy(r->arena, name_of(word))};
    if (!word.len)
        return fail_at(err, STEPTIME_INPUT, r->path, -1, "line %u names no device", line);
    if (!real_read(number, &price.per_hour) || price.per_hour < 0)
        return fail_at(err, STEPTIME_INPUT, r->path, -1,
                       "line %u: the price of an hour is a number from 0 on, not '%.*s'", line,
                       (int)(number.len < 40 ? number.len : 40), number.at);
    if (find(r->into, price.device))
        return fail_at(err, STEPTIME_INPUT, r->path, -1, "line %u: '%.*s' has a price already", line,
                       (int)price.device.len, price.device.at);
    r->into->at = arena_one_more(r->arena, r->into->at, r->into->count, sizeof *r->into->at);
    r->into->at[r->into->count++] = price;
    return true;
}

static bool read_table(struct list_reading *r, str text, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct csv_reader reader = csv_reader(text);
    struct csv_row row = {0};
    bool good = csv_next(&reader, &scratch, &row);
    r->device = good ? csv_column(&row, S("device")) : UINT32_MAX;
    r->per_hour = good ? csv_column(&row, S("per_hour")) : UINT32_MAX;
    if (r->device == UINT32_MAX || r->per_hour == UINT32_MAX)
        good =
            fail_at(err, STEPTIME_INPUT, r->path, -1, "is no table of prices: it lacks the columns device, per_hour");
    while (good && csv_next(&reader, &scratch, &row))
        good = read_row(r, &row, reader.line, err);
    arena_free(&scratch);
    return good && (r->into->count || fail_at(err, STEPTIME_INPUT, r->path, -1, "has no prices"));
}

bool user_prices_read(const struct call *call, struct arena *arena, struct user_prices *prices,
                      struct steptime_error *err)
{
    const char *const path = call_text(call, "prices");
    *prices = (struct user_prices){.otherwise = NAN};
    if (!predict_per_hour(call, &prices->otherwise, err))
        return false;
    if (!path)
        return true;
    struct list_reading r = {.path = str_of(path), .arena = arena, .into = prices};
    struct buf text = {0};
    const bool good = read_all(path, &text, err) && read_table(&r, buf_str(&text), err);
    buf_free(&text);
    return good;
}

static double price_of(const void *context, const struct hardware *hardware)
{
    const struct user_prices *const prices = context;
    const struct listed_price *const listed = find(prices, hardware->name);
    return listed ? listed->per_hour : prices->otherwise;
}

struct price_list user_prices_list(const struct user_prices *prices)
{
    return (struct price_list){price_of, prices, prices->count || !isnan(prices->otherwise)};
}
