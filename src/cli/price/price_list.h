/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an hour of a device costs: --prices FILE, a table (CSV) with the columns `device` and `per_hour`, of the user's own; a
 * device that it lacks costs what --per-hour says, or its price is not known.
 */
#ifndef CLI_PRICE_LIST_H
#define CLI_PRICE_LIST_H

#include "cli/program/call.h"
#include "predict/price/price.h"

struct listed_price {
    str device;
    double per_hour;
};

struct user_prices {
    struct listed_price *at;
    uint32_t count;
    double otherwise; /* NaN: --per-hour was not given */
};

/* False with STEPTIME_INPUT and the line: no such columns, no number, a device that is not known, or there twice. */
bool user_prices_read(const struct call *call, struct arena *arena, struct user_prices *prices,
                      struct steptime_error *err);

/* As price_all wants it; `prices` must live as long. */
struct price_list user_prices_list(const struct user_prices *prices);

#endif
