/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/duration.h"
#include "predict/energy/energy_table.h"
#include "price.h"

enum { SENTENCES = 3 }; /* devices of which a bound is told in words */

static const double gib = 1024.0 * 1024 * 1024;

/* Columns stand by what people ask first: a narrow screen leaves out the last ones. */
static const struct column_spec step_columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "the device of the catalogue, or of the user's file"},
    {"step_us", "a step", UNIT_US, 0, "what a step is predicted to take there"},
    {"step_us_low", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_us_high", "at most", UNIT_US, 0, "upper end of it"},
    {"fits", "fits", UNIT_NONE, 0,
     "yes: memory_high_bytes is there; no: not even with as little beside the tensors as can be; may not: between"},
    {0},
};

static const struct column_spec money_columns[] = {
    {"thousand_cost", "1000 steps cost", UNIT_NONE, 0, "1000 x step_us x per_hour; null where there is no price"},
    {"thousand_cost_low", "1000 cost at least", UNIT_NONE, COLUMN_DETAIL, "the same of step_us_low"},
    {"thousand_cost_high", "1000 cost at most", UNIT_NONE, COLUMN_DETAIL, "the same of step_us_high"},
    {0},
};

static const struct column_spec columns[] = {
    {"memory_high_bytes", "memory", UNIT_BYTES, 0,
     "what it takes of the device at most: segments of the allocator, CUDA's context, workspaces"},
    {"memory_low_bytes", "memory, at least", UNIT_BYTES, COLUMN_DETAIL,
     "what it takes of the device at least: tensors, the least context and workspaces"},
    {"spare_bytes", "spare memory", UNIT_BYTES, COLUMN_DETAIL,
     "the device's memory less memory_high_bytes; below 0: so much is missing at most"},
    {"no_room_at", "no room at", UNIT_NONE, COLUMN_DETAIL, "the line of the script whose tensor has no room then"},
    {"bound", "bound by", UNIT_NONE, 0,
     "device, host or loading: which of them the step would be shortest without, each made to take no time in turn"},
    {"device_share", "device share", UNIT_RATIO, 0, "device_us / step_us"},
    {"samples_per_s", "samples/s", UNIT_NONE, 0, "samples of a step / step_us; null where samples are not known"},
    {"tokens_per_s", "tokens/s", UNIT_NONE, COLUMN_DETAIL, "tokens of a step / step_us; null where they are not known"},
    {"utilisation", "MFU", UNIT_RATIO, 0,
     "time that the FLOPs of the step take at the device's peaks of their precisions / step_us"},
    {"device_us", "device active", UNIT_US, COLUMN_DETAIL,
     "time of the step in which the device works: the union of its work"},
    {"without_host_us", "without host", UNIT_US, COLUMN_DETAIL,
     "the step where the host takes no time, but for loading data"},
    {"without_device_us", "without device", UNIT_US, COLUMN_DETAIL, "the step where the device's work takes no time"},
    {"without_loading_us", "without loading", UNIT_US, COLUMN_DETAIL,
     "the step where loading data takes no time; step_us where that is not known"},
    {"enough_workers", "workers enough", UNIT_NONE, COLUMN_DETAIL,
     "where loading bounds the step: workers with which it would take no longer than the rest"},
    {"guessed_share", "guessed", UNIT_RATIO, COLUMN_DETAIL,
     "of the device's work, the share that no model knows and that is guessed from its bytes"},
    {"per_hour", "an hour", UNIT_NONE, COLUMN_DETAIL, "price of such a GPU for an hour; null where none was given"},
    {"why", "no answer", UNIT_NONE, COLUMN_DETAIL, "why there is no answer for the device"},
    {0},
};

static struct cell real_or_null(double value)
{
    return isnan(value) ? cell_null() : cell_real(value);
}

static struct cell time_cell(const struct price *price, double us)
{
    return price->why.len || us < 0 ? cell_null() : cell_real(us);
}

static struct cell rate_cell(const struct price *price, int64_t amount)
{
    const double us = price->step.walked.step_us;
    return price->why.len || amount <= 0 || us <= 0 ? cell_null() : cell_real((double)amount / us * 1e6);
}

static void put_memory(struct table *table, const struct price *price)
{
    const struct fit *const fit = &price->fit;
    table_cell(table, cell_int_if(fit->high > 0, fit->high));
    table_cell(table, cell_int_if(fit->low > 0, fit->low));
    table_cell(table, cell_int_if(fit->verdict != FIT_UNKNOWN, fit->spare));
    table_cell(table, cell_text_or_null(fit->place));
}

static struct cell fits_cell(const struct price *price)
{
    return cell_text_or_null(str_of(fit_word(price->fit.verdict)));
}

static const char *const bound_word[PRICE_BOUNDS] = {
    [PRICE_BY_DEVICE] = "device", [PRICE_BY_HOST] = "host", [PRICE_BY_LOADING] = "loading"};

static struct cell bound_cell(const struct price *price)
{
    return price->why.len ? cell_null() : cell_text(str_of(bound_word[price->bound]));
}

/* With so many loading takes no longer than the rest of the step; NaN where it does not bound it. */
static double enough_workers(const struct price_load *load, const struct price *price)
{
    const double work_us = load->workers ? load->feed_us * (double)load->workers : load->own_us;
    const double rest_us = price->without_us[PRICE_BY_LOADING];
    return price->why.len || price->bound != PRICE_BY_LOADING || rest_us <= 0 ? NAN : ceil(work_us / rest_us);
}

/* Joules and money of what has no answer are those of a step that nothing is known of. */
static void put_energy(struct table *table, const struct price *price, struct energy_asked asked)
{
    const struct prediction *const p = &price->step;
    asked.per_hour = isnan(price->per_hour) ? 0 : price->per_hour;
    if (price->why.len)
        energy_put(table, &(struct step_energy){0}, (struct step_time){NAN, NAN, NAN}, &asked);
    else
        energy_put(table, &p->energy, step_time_of(p->walked.step_us, p->range.low_us, p->range.high_us, false),
                   &asked);
}

static void put_step(struct table *table, const struct price *price)
{
    const struct prediction *const p = &price->step;
    table_text(table, price->hardware.name);
    table_cell(table, time_cell(price, p->walked.step_us));
    table_cell(table, time_cell(price, p->range.low_us));
    table_cell(table, time_cell(price, p->range.high_us));
    table_cell(table, fits_cell(price));
}

static void put_money(struct table *table, const struct price *price)
{
    const struct predicted_range range = price->step.range;
    const double thousand = price_cost(price) * 1e3, a_us = thousand / price->step.walked.step_us;
    table_cell(table, real_or_null(thousand));
    table_cell(table, range.low_us < 0 ? cell_null() : real_or_null(a_us * range.low_us));
    table_cell(table, range.high_us < 0 ? cell_null() : real_or_null(a_us * range.high_us));
}

static void put_row(struct table *table, const struct price *price, const struct prices *prices,
                    struct energy_asked asked)
{
    const struct prediction *const p = &price->step;
    const double work_us = p->modelled_us + p->guessed_us + p->recorded_us;
    table_row(table);
    put_step(table, price);
    if (prices->priced)
        put_money(table, price);
    put_memory(table, price);
    table_cell(table, bound_cell(price));
    table_cell(table, price->why.len ? cell_null() : cell_ratio(p->walked.active_us, p->walked.step_us));
    table_cell(table, rate_cell(price, prices->step->samples));
    table_cell(table, rate_cell(price, prices->step->tokens));
    table_cell(table, real_or_null(price_utilisation(prices->step, price)));
    table_cell(table, time_cell(price, p->walked.active_us));
    table_cell(table, time_cell(price, price->without_us[PRICE_BY_HOST]));
    table_cell(table, time_cell(price, price->without_us[PRICE_BY_DEVICE]));
    table_cell(table, time_cell(price, price->without_us[PRICE_BY_LOADING]));
    table_cell(table, real_or_null(enough_workers(&prices->step->load, price)));
    table_cell(table, price->why.len ? cell_null() : cell_ratio(p->guessed_us, work_us));
    table_cell(table, real_or_null(price->per_hour));
    table_cell(table, cell_text_or_null(price->why));
    put_energy(table, price, asked);
}

static void tell_what_has_no_answer(const struct prices *prices, struct report *report)
{
    for (uint32_t i = 0; i < prices->count; i++)
        if (prices->at[i].why.len)
            report_warning(report, prices->at[i].hardware.name, -1, prices->at[i].why);
}

static const char *const bound_words[PRICE_BOUNDS] = {
    [PRICE_BY_DEVICE] = "the device", [PRICE_BY_HOST] = "the host", [PRICE_BY_LOADING] = "loading data"};

/* Loading is told of where it costs something. */
static bool is_told(const struct price *price, enum price_bound by)
{
    return by != PRICE_BY_LOADING || price->without_us[by] < price->step.walked.step_us;
}

/* ", 12.1 ms if the device did, 12.2 ms if loading data did" */
static str others_words(const struct price *price, struct arena *arena)
{
    str words = S("");
    for (int by = 0; by < PRICE_BOUNDS; by++) {
        if (by == (int)price->bound || !is_told(price, (enum price_bound)by))
            continue;
        const str without = duration_words(arena, price->without_us[by] * 1e3);
        words = str_printf(arena, "%.*s, %.*s if %s did", (int)words.len, words.at, (int)without.len, without.at,
                           bound_words[by]);
    }
    return words;
}

/* " 8 workers would have the batches ready by then." where loading bounds the step. */
static str workers_words(const struct price_load *load, const struct price *price, struct arena *arena)
{
    const double enough = enough_workers(load, price);
    return isnan(enough) ? S("") : str_printf(arena, " %.0f workers would have the batches ready by then.", enough);
}

/* "NVIDIA L4: the host bounds the step. It takes 12.3 ms; 2.1 ms if the host took no time, 12.1 ms if the device did." */
static str words_of_bound(const struct price *price, const struct price_load *load, struct arena *arena)
{
    const char *const by = bound_words[price->bound];
    const str name = price->hardware.name, step = duration_words(arena, price->step.walked.step_us * 1e3);
    const str without = duration_words(arena, price->without_us[price->bound] * 1e3);
    const str others = others_words(price, arena), workers = workers_words(load, price, arena);
    return str_printf(arena, "%.*s: %s bounds the step. It takes %.*s; %.*s if %s took no time%.*s.%.*s", (int)name.len,
                      name.at, by, (int)step.len, step.at, (int)without.len, without.at, by, (int)others.len, others.at,
                      (int)workers.len, workers.at);
}

static void tell_bounds(struct section *section, const struct prices *prices, struct arena *arena)
{
    for (uint32_t i = 0; i < prices->count && i < SENTENCES; i++)
        if (!prices->at[i].why.len)
            section_text(section, words_of_bound(&prices->at[i], &prices->step->load, arena));
}

/* "It does not fit on NVIDIA L4, by 1.2 GiB, at train.py:12." */
static str missing_words(const struct price *price, struct arena *arena)
{
    const struct fit *const fit = &price->fit;
    const str name = price->hardware.name;
    return str_printf(arena, "It %s on %.*s, by %.3g GiB, at %.*s.",
                      fit->verdict == FIT_NO ? "does not fit" : "may not fit", (int)name.len, name.at,
                      (double)-fit->spare / gib, (int)fit->place.len, fit->place.at);
}

static void tell_what_does_not_fit(struct section *section, const struct prices *prices, struct arena *arena)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < prices->count; i++) {
        const enum fit_verdict verdict = prices->at[i].fit.verdict;
        if ((verdict == FIT_NO || verdict == FIT_MAYBE) && told++ < SENTENCES)
            section_text(section, missing_words(&prices->at[i], arena));
    }
    if (told > SENTENCES)
        section_text(section, str_printf(arena, "Nor does it fit, or may not, on %u more of these devices.",
                                         told - (uint32_t)SENTENCES));
}

static void tell_unknown_sizes(struct section *section, const struct prices *prices, struct arena *arena)
{
    uint32_t count = 0;
    str first = S("");
    for (uint32_t i = 0; i < prices->count; i++)
        if (prices->at[i].fit.verdict == FIT_UNKNOWN && prices->at[i].fit.high > 0 && !count++)
            first = prices->at[i].hardware.name;
    const str more = count > 1 ? str_printf(arena, " (and of %u more)", count - 1) : S("");
    if (count)
        section_text(section, str_printf(arena,
                                         "How much memory %.*s has is not in the catalogue%.*s, so whether it fits is "
                                         "not known: --set memory_size=32GiB would say it.",
                                         (int)first.len, first.at, (int)more.len, more.at));
}

static void tell_unpriced(const struct prices *prices, struct section *section, struct arena *arena)
{
    uint32_t unpriced = 0;
    for (uint32_t i = 0; i < prices->count; i++)
        unpriced += isnan(prices->at[i].per_hour);
    if (prices->priced && unpriced)
        section_text(section, unpriced == 1 ? S("One of these devices has no price: it stands behind the others.")
                                            : str_printf(arena,
                                                         "%u of these devices have no price: they stand behind the "
                                                         "others.",
                                                         unpriced));
}

void price_show(const struct prices *prices, struct report *report)
{
    const struct energy_asked asked = {.level = prices->level, .each = true};
    struct section *const section = report_section(report, "price", "Price");
    struct table *const table = section_table(section, "devices", "Devices");
    table_columns(table, step_columns);
    if (prices->priced)
        table_columns(table, money_columns);
    table_columns(table, columns);
    energy_columns(table, &asked);
    for (uint32_t i = 0; i < prices->count; i++)
        put_row(table, &prices->at[i], prices, asked);
    tell_what_has_no_answer(prices, report);
    tell_bounds(section, prices, report_arena(report));
    tell_what_does_not_fit(section, prices, report_arena(report));
    tell_unknown_sizes(section, prices, report_arena(report));
    tell_unpriced(prices, section, report_arena(report));
    section_page_figure(section, "step", FIGURE_BAR, "devices", "device", "step_us");
    if (prices->priced)
        section_page_figure(section, "money", FIGURE_BAR, "devices", "device", "thousand_cost");
}
