/* SPDX-License-Identifier: Apache-2.0 */
#include "price_sweep.h"

#include <math.h>

#include "base/error.h"
#include "base/sum.h"
#include "cli/program/option_list.h"
#include "dry/ways.h"
#include "predict/question/question.h"

enum { MOST_RUNS = 64, MOST_BATCH = 1 << 30 };

static const struct column_spec columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "as in the table of devices"},
    {"batch", "batch", UNIT_COUNT, 0,
     "samples that a loader hands out at once; null: as the script says, and not known"},
    {"precision", "precision", UNIT_NONE, 0, "bf16 or fp16: all of it in autocast; as-is: as the script says"},
    {"network", "network", UNIT_NONE, 0, "the network of --network; null: that of the catalogue"},
    {"step_us", "a step", UNIT_US, 0, "as in the table of devices"},
    {"step_us_low", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_us_high", "at most", UNIT_US, 0, "upper end of it"},
    {"fits", "fits", UNIT_NONE, 0, "as in the table of devices"},
    {"thousand_cost", "1000 steps cost", UNIT_NONE, 0, "cost of a thousand steps; null where there is no price"},
    {"samples_per_s", "samples/s", UNIT_NONE, 0, "samples of a step / step_us"},
    {"million_samples_cost", "10^6 samples cost", UNIT_NONE, 0, "cost of a million samples"},
    {"memory_high_bytes", "memory", UNIT_BYTES, 0, "as in the table of devices"},
    {"basis", "basis", UNIT_NONE, 0,
     "run dry: the script itself, again; with data: what was run on the CPU, scaled; scaled: no loader took the batch"},
    {"why", "no answer", UNIT_NONE, COLUMN_DETAIL, "why there is none"},
    {0},
};

/* ---- what is asked ---- */

/* One word, which is `otherwise`, where it is not given. */
static bool words_of(const struct call *call, const char *option, const char *otherwise, struct arena *arena,
                     const str **words, uint32_t *count, struct steptime_error *err)
{
    struct option_list list;
    if (!option_list_read(call, option, arena, &list, err))
        return false;
    str *const alone = arena_alloc(arena, sizeof *alone);
    *alone = str_of(otherwise);
    *words = list.count ? list.at : alone;
    *count = list.count ? list.count : 1;
    return true;
}

static bool read_batches(const struct call *call, struct arena *arena, struct price_sweep *sweep,
                         struct steptime_error *err)
{
    const str *words;
    if (!words_of(call, "batch", "0", arena, &words, &sweep->batch_count, err))
        return false;
    int64_t *const batches = arena_array(arena, sweep->batch_count, sizeof *batches);
    sweep->batches = batches;
    for (uint32_t i = 0; call_text(call, "batch") && i < sweep->batch_count; i++)
        if (!str_int(words[i], &batches[i]) || batches[i] < 1 || batches[i] > MOST_BATCH)
            return fail(err, STEPTIME_USAGE, "--batch takes numbers from 1 on, '8,16,32', not '%.*s'",
                        (int)words[i].len, words[i].at);
    return true;
}

static bool read_precisions(const struct call *call, struct arena *arena, struct price_sweep *sweep,
                            struct steptime_error *err)
{
    if (!words_of(call, "precision", "as-is", arena, &sweep->precisions, &sweep->precision_count, err))
        return false;
    for (uint32_t i = 0; i < sweep->precision_count; i++)
        if (!str_is_among("as-is bf16 fp16", sweep->precisions[i]))
            return fail(err, STEPTIME_USAGE, "--precision takes as-is, bf16 and fp16, not '%.*s'",
                        (int)sweep->precisions[i].len, sweep->precisions[i].at);
    return true;
}

bool price_sweep_read(const struct call *call, struct arena *arena, struct price_sweep *sweep,
                      struct steptime_error *err)
{
    *sweep = (struct price_sweep){0};
    if (!words_of(call, "network", "", arena, &sweep->networks, &sweep->network_count, err))
        return false;
    /* one network is that of the devices */
    sweep->asked = call_text(call, "batch") || call_text(call, "precision") || sweep->network_count > 1;
    return read_batches(call, arena, sweep, err) && read_precisions(call, arena, sweep, err) &&
           ((uint64_t)sweep->batch_count * sweep->precision_count <= MOST_RUNS ||
            fail(err, STEPTIME_USAGE, "--batch and --precision ask for over %d runs of the script", (int)MOST_RUNS));
}

/* ---- one run ---- */

/* The script with other values, or as it was with these put to its step. */
struct swept {
    struct arena arena; /* of what the run and its scaled lives take; goes with its rows */
    struct price_run run;
    struct dry_lives lives; /* of the run; scaled where no loader took the batch */
    struct price_step step;
    struct question question; /* batch: to be put to the step; 0: it is the run's own */
    int64_t batch;            /* 0: not known */
    str why;                  /* there is no answer; "": there is */
};

static str dtype_of(str precision)
{
    return str_eq(precision, S("bf16")) ? S("bfloat16") : str_eq(precision, S("fp16")) ? S("float16") : S("");
}

static int64_t batch_of(const struct price_run *run)
{
    const struct dry_batch *const batch = &run->dry.batch;
    return batch->batches ? batch->samples / batch->batches : 0;
}

/* Of what grows with the batch: activations, and what is made backwards. */
static void scale(int64_t batch, struct swept *swept)
{
    const int64_t now = batch_of(&swept->run);
    if (!now) {
        swept->why = S("no DataLoader took the batch, and how large it is is not known");
        return;
    }
    const double times = (double)batch / (double)now;
    const double share[DRY_MEMORY_KINDS] = {
        [DRY_PARAMETERS] = 1,    [DRY_BUFFERS] = 1, [DRY_GRADIENTS] = 1,       [DRY_OPTIMIZER] = 1,
        [DRY_COMMUNICATION] = 1, [DRY_OTHERS] = 1,  [DRY_ACTIVATIONS] = times, [DRY_BACKWARD] = times};
    swept->lives = lives_shared_out(&swept->run.dry.lives, share, &swept->arena);
    swept->step.peak = allocator_replay(&swept->lives, ALLOCATOR_NO_LIMIT);
    swept->step.samples = batch * swept->run.dry.batch.batches;
    swept->step.tokens = sum_rounded((double)swept->step.tokens * times);
    swept->question.batch = batch;
}

static bool is_as_it_is(const struct price_sweeping *s, int64_t batch, str precision)
{
    return str_eq(precision, S("as-is")) && (!batch || batch == batch_of(s->run));
}

static void run_one(const struct price_sweeping *s, int64_t batch, str precision, struct swept *swept)
{
    struct steptime_error err = {.offset = -1};
    const struct price_setting setting = {batch, dtype_of(precision), s->run};
    *swept = (struct swept){.run = *s->run, .why = S("")};
    if (!is_as_it_is(s, batch, precision)) {
        if (!price_run(s->asked, &setting, s->texts, &swept->arena, &swept->run, &err))
            swept->why = error_line(&swept->arena, &err);
        price_run_close(&swept->run);
    }
    swept->lives = swept->run.dry.lives;
    swept->step = swept->run.step;
    if (!swept->why.len && batch && batch != batch_of(&swept->run))
        scale(batch, swept);
    swept->step.lives = &swept->lives;
    swept->batch = batch ? batch : batch_of(&swept->run);
}

/* ---- one device ---- */

struct put_to {
    const struct question *question;
    const struct predict_asked *asked;
    const struct hardware *hardware;
};

static bool put_question(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err)
{
    const struct put_to *const to = context;
    struct plan_options options = to->asked->plan;
    options.hardware = to->hardware;
    const struct question_context with = {.models = options.models, .hardware = to->hardware, .options = &options};
    struct question_told told;
    return question_apply(to->question, &with, plan, arena, &told, err);
}

static void price_swept(const struct price_sweeping *s, const struct swept *swept, const struct hardware *hardware,
                        struct arena *arena, struct price *price)
{
    struct predict_asked asked = s->asked->predict;
    const struct put_to to = {&swept->question, &s->asked->predict, hardware};
    if (swept->question.batch) {
        asked.change = put_question;
        asked.context = &to;
    }
    const struct price_list list = user_prices_list(&s->asked->prices);
    price_one(&swept->run.source, &asked, &swept->step, hardware, price, arena);
    price->per_hour = list.of(list.context, hardware);
}

/* What is not known is NaN or below 0. */
static void put_real(struct table *table, double real)
{
    table_cell(table, isnan(real) || real < 0 ? cell_null() : cell_real(real));
}

/* Bounds are of the step without the question, so they are not shown here. */
static void put_price(const struct price_sweeping *s, struct table *table, const struct swept *swept,
                      const struct price *price)
{
    const double us = price->why.len ? NAN : price->step.walked.step_us, cost = price_cost(price);
    const double per_sample = swept->step.samples > 0 ? cost / (double)swept->step.samples : NAN;
    const double samples_per_s = swept->step.samples > 0 ? (double)swept->step.samples / us * 1e6 : NAN;
    put_real(table, us);
    put_real(table, price->why.len ? NAN : price->step.range.low_us);
    put_real(table, price->why.len ? NAN : price->step.range.high_us);
    table_cell(table, cell_text_or_null(str_of(fit_word(price->fit.verdict))));
    put_real(table, cost * 1e3);
    put_real(table, samples_per_s);
    put_real(table, per_sample * 1e6);
    table_cell(table, cell_int_if(price->fit.high > 0, price->fit.high));
    table_text(table, swept->question.batch ? S("scaled") : price_run_basis(&swept->run));
    table_cell(table, cell_text_or_null(str_copy(s->arena, price->why)));
}

static void put_why(const struct price_sweeping *s, struct table *table, str why)
{
    enum { UNKNOWN = 9 };
    for (int i = 0; i < UNKNOWN; i++)
        table_null(table);
    table_text(table, str_copy(s->arena, why));
}

/* A run, and where it is told of. */
struct row {
    const struct swept *swept;
    str precision, network;
};

static void put_row(const struct price_sweeping *s, const struct row *row, const struct hardware *hardware,
                    struct table *table)
{
    struct arena scratch = {0};
    struct price *const price = arena_alloc(&scratch, sizeof *price);
    table_row(table);
    table_text(table, hardware->name);
    table_cell(table, cell_int_if(row->swept->batch > 0, row->swept->batch));
    table_text(table, row->precision);
    table_cell(table, cell_text_or_null(row->network));
    if (row->swept->why.len) {
        put_why(s, table, row->swept->why);
    } else {
        price_swept(s, row->swept, hardware, &scratch, price);
        put_price(s, table, row->swept, price);
    }
    arena_free(&scratch);
}

static bool put_run(const struct price_sweeping *s, const struct swept *swept, str precision, struct table *table,
                    struct steptime_error *err)
{
    for (uint32_t d = 0; d < s->asked->count; d++)
        for (uint32_t n = 0; n < s->sweep->network_count; n++) {
            const struct row row = {swept, precision, s->sweep->networks[n]};
            struct hardware hardware = s->asked->devices[d];
            if (row.network.len &&
                !hardware_set(&hardware, str_printf(s->arena, "network=%.*s", (int)row.network.len, row.network.at),
                              s->arena, err))
                return false;
            put_row(s, &row, &hardware, table);
        }
    return true;
}

static void draw(const struct price_sweeping *s, struct section *section)
{
    const struct price_sweep *const sweep = s->sweep;
    if (sweep->batch_count < 2 || sweep->precision_count > 1 || sweep->network_count > 1 || s->asked->count > 1)
        return;
    section_figure(section, "sweep_step", FIGURE_LINE, "sweep", "batch", "step_us");
    section_page_figure(section, "sweep_samples", FIGURE_LINE, "sweep", "batch", "samples_per_s");
    section_page_figure(section, "sweep_memory", FIGURE_LINE, "sweep", "batch", "memory_high_bytes");
}

bool price_sweep_show(const struct price_sweeping *s, struct report *report, struct steptime_error *err)
{
    struct section *const section = report_section(report, "sweep", "Sweep");
    struct table *const table = section_table(section, "sweep", "Each value");
    table_columns(table, columns);
    for (uint32_t p = 0; p < s->sweep->precision_count; p++)
        for (uint32_t b = 0; b < s->sweep->batch_count; b++) {
            struct swept swept;
            run_one(s, s->sweep->batches[b], s->sweep->precisions[p], &swept);
            const bool good = put_run(s, &swept, s->sweep->precisions[p], table, err);
            arena_free(&swept.arena);
            if (!good)
                return false;
        }
    draw(s, section);
    return true;
}
