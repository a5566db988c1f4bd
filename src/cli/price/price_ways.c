/* SPDX-License-Identifier: Apache-2.0 */
#include "price_ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "dry/ways.h"
#include "model/estimate/interval.h"
#include "predict/price/again.h"
#include "price_sums.h"

enum {
    MOST_DEVICES = 3, /* that are tried */
    MOST_KEEPERS = 4, /* classes of modules */
    MOST_RANKS = 1024,
    KEEPS_LITTLE = 50, /* a part of the peak that is not worth a try */
};

static const struct column_spec columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "the device that this is tried on"},
    {"way", "way", UNIT_NONE, COLUMN_WIDE, "what is done otherwise"},
    {"fits", "fits", UNIT_NONE, 0, "as in the table of devices: yes, may not, no"},
    {"memory_high_bytes", "memory", UNIT_BYTES, 0, "as in the table of devices, then"},
    {"step_us", "a step", UNIT_US, 0, "the step then; null where it is not known"},
    {"step_us_low", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_us_high", "at most", UNIT_US, 0, "upper end of it"},
    {"slower", "of the step", UNIT_RATIO, 0, "step_us / step_us of the script as it is"},
    {"basis", "basis", UNIT_NONE, 0,
     "how that was found: run dry, the script itself, again; replayed, the lives of its storages; scaled, the same by the batch"},
    {"why", "no step", UNIT_NONE, COLUMN_DETAIL, "why a step is not known"},
    {0},
};

struct trying {
    const struct price_ways *ways;
    const struct price *as_is; /* on the device that is tried */
    struct table *table;
    struct price_run half, mixed; /* the script run dry again */
    str half_why, mixed_why;      /* why it was not: then its lives are empty */
    struct dry_keeper *keepers;
    uint32_t keeper_count;
    int64_t ranks;  /* of the job; 1: it is none */
    bool holds_all; /* each of its ranks holds all of the model and sums its gradients over all of them */
};

/* A step then, and between which times it lies. */
struct taking {
    double us; /* NaN: not known */
    struct predicted_range range;
    str why; /* it is not known; "" */
};

static struct taking taking_of(const struct prediction *step)
{
    return (struct taking){step->walked.step_us, step->range, S("")};
}

/* Where the script as it is has no step, that is why. */
static struct taking not_known(const struct trying *t, str why)
{
    return (struct taking){NAN, {-1, -1}, t->as_is->why.len ? t->as_is->why : why};
}

static struct cell end_cell(const struct taking *step, double us)
{
    return isnan(step->us) || us < 0 ? cell_null() : cell_real(us);
}

static void put_why(const struct trying *t, str way, struct fit fit, struct taking step, str basis)
{
    table_row(t->table);
    table_text(t->table, t->as_is->hardware.name);
    table_text(t->table, way);
    table_cell(t->table, cell_text_or_null(str_of(fit_word(fit.verdict))));
    table_cell(t->table, cell_int_if(fit.high > 0, fit.high));
    table_cell(t->table, isnan(step.us) ? cell_null() : cell_real(step.us));
    table_cell(t->table, end_cell(&step, step.range.low_us));
    table_cell(t->table, end_cell(&step, step.range.high_us));
    table_cell(t->table, isnan(step.us) ? cell_null() : cell_ratio(step.us, t->as_is->step.walked.step_us));
    table_text(t->table, basis);
    table_cell(t->table, cell_text_or_null(step.why));
}

static struct taking step_as_is(const struct trying *t)
{
    return t->as_is->why.len ? not_known(t, S("")) : taking_of(&t->as_is->step);
}

/* With so many bytes sent over that link besides, which nothing hides; as unsure as all that was never measured. */
static struct taking longer_by(const struct trying *t, double bytes, double rate, const char *link)
{
    struct taking step = step_as_is(t);
    struct estimate message = {.us = rate > 0 ? bytes / rate * 1e6 : NAN, .family = ESTIMATE_NO_FAMILY};
    double low_us, high_us;
    if (isnan(step.us) || isnan(message.us))
        return not_known(t, str_printf(t->ways->arena, "the rate of the link %s is not known", link));
    estimate_prior(&message);
    estimate_interval(&message, t->ways->asked->predict.level, &low_us, &high_us);
    const double below = hypot(step.us - step.range.low_us, message.us - low_us);
    const double above = hypot(step.range.high_us - step.us, high_us - message.us);
    step.us += message.us;
    if (step.range.high_us >= 0)
        step.range = (struct predicted_range){fmax(step.us - below, 0), step.us + above};
    return step;
}

static struct fit fit_of(const struct trying *t, const struct dry_lives *lives)
{
    return fit_on(lives, allocator_replay(lives, ALLOCATOR_NO_LIMIT), &t->as_is->hardware);
}

static double figure(const struct trying *t, enum hw_key key)
{
    return t->as_is->hardware.figure[key];
}

static double bytes_of(const struct trying *t, enum dry_memory_kind kind)
{
    return (double)t->ways->run->dry.memory.by_kind[kind];
}

/* ---- run dry again ---- */

static bool run_again(const struct price_ways *ways, const struct price_setting *setting, struct price_run *run,
                      str *why)
{
    struct steptime_error err = {.offset = -1};
    const struct price_setting with = {setting->batch, setting->precision, ways->run};
    const bool good = price_run(ways->asked, &with, ways->texts, ways->arena, run, &err);
    *why = good ? S("") : error_line(ways->arena, &err);
    price_run_close(run);
    return good;
}

static void run_half(struct trying *t)
{
    const struct dry_batch *const batch = &t->ways->run->dry.batch;
    const struct price_setting setting = {.batch = batch->samples / (2 * (batch->batches ? batch->batches : 1)),
                                          .precision = S("")};
    if (batch->basis != BATCH_OF_LOADER || setting.batch < 1)
        t->half_why = S("the batch does not come from a DataLoader that could be told another");
    else if (run_again(t->ways, &setting, &t->half, &t->half_why) && !t->half.dry.rebatched)
        t->half_why = S("no DataLoader took another batch");
}

static bool is_mostly_fp32(const struct program_flops *flops)
{
    return flops->of[PRECISION_FP32_MATRIX] > 0.5 * flops->all;
}

static void run_mixed(struct trying *t)
{
    const struct price_setting setting = {.precision = S("bfloat16")};
    if (is_mostly_fp32(&t->ways->run->step.flops))
        run_again(t->ways, &setting, &t->mixed, &t->mixed_why);
    else
        t->mixed_why = S("-");
}

static void put_run(const struct trying *t, str way, const struct price_run *run)
{
    struct price then;
    price_one(&run->source, &t->ways->asked->predict, &run->step, &t->as_is->hardware, &then, t->ways->arena);
    put_why(t, way, then.fit, then.why.len ? not_known(t, then.why) : taking_of(&then.step),
            price_run_basis(t->ways->run));
}

static void try_half(const struct trying *t)
{
    struct arena scratch = {0};
    const double share[DRY_MEMORY_KINDS] = {
        [DRY_PARAMETERS] = 1,    [DRY_BUFFERS] = 1,    [DRY_GRADIENTS] = 1,     [DRY_OPTIMIZER] = 1,
        [DRY_ACTIVATIONS] = 0.5, [DRY_BACKWARD] = 0.5, [DRY_COMMUNICATION] = 1, [DRY_OTHERS] = 1};
    if (!t->half_why.len) {
        put_run(t, S("half the batch"), &t->half);
        return;
    }
    const struct dry_lives lives = lives_shared_out(&t->ways->run->dry.lives, share, &scratch);
    put_why(t, S("half the batch"), fit_of(t, &lives), not_known(t, t->half_why), S("scaled"));
    arena_free(&scratch);
}

static void try_mixed(const struct trying *t)
{
    if (!t->mixed_why.len)
        put_run(t, S("bf16 autocast"), &t->mixed);
}

/* "scaled" and "run dry" are of these; all else is replayed. */
static void tell_how(const struct trying *t, struct section *section, struct arena *arena)
{
    const bool with_data = t->ways->run->real.taken;
    section_text(section, S("Replayed: the lives of its storages as they would be then. Checkpointed modules do their "
                            "forward twice. ZeRO: a part of the optimizer (2: gradients, 3: parameters, too) on each "
                            "rank, without what is gathered; messages round a ring, none hidden. Without the "
                            "optimizer: gradients to the host and parameters back, without what the host computes."));
    if (t->half_why.len)
        section_text(section,
                     str_printf(arena,
                                "Half the batch is scaled, activations and what is made backwards halved, since %.*s.",
                                (int)t->half_why.len, t->half_why.at));
    else
        section_text(section,
                     with_data
                         ? S("Half the batch is what was run with data, scaled to half the batch.")
                         : S("Half the batch is the script itself, run dry again with loaders of half the batch."));
    if (!t->mixed_why.len)
        section_text(section, with_data
                                  ? S("Autocast is the script itself, run with data again, all of it in autocast.")
                                  : S("Autocast is the script itself, run dry again with all of it in autocast."));
    else if (!str_eq(t->mixed_why, S("-")))
        section_text(section, str_printf(arena, "It could not be run in autocast: %.*s.", (int)t->mixed_why.len,
                                         t->mixed_why.at));
}

/* ---- checkpointing ---- */

static int by_begin(const void *a, const void *b)
{
    const struct again_span *const x = a, *const y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Of the priced step: marks of other steps are of operators that the program lacks. */
static struct again spans_of(const struct trying *t, str name, struct arena *scratch)
{
    const struct dry_lives *const lives = &t->ways->run->dry.lives;
    struct again_span *const spans = arena_array(scratch, lives->call_count, sizeof *spans);
    struct again again = {.spans = spans};
    for (uint32_t i = 0; i < lives->call_count; i++) {
        const struct price_call *const call =
            lives_is_outermost(lives, i, name) ? price_run_call(t->ways->run, lives->calls[i].number) : NULL;
        if (call && call->end != INT64_MAX)
            spans[again.count++] = (struct again_span){call->begin, call->end};
    }
    qsort(spans, again.count, sizeof *spans, by_begin);
    return again;
}

static struct taking step_again(const struct trying *t, const struct again *again)
{
    struct steptime_error err = {.offset = -1};
    struct arena scratch = {0};
    struct prediction then;
    struct predict_asked asked = t->ways->asked->predict;
    asked.plan.hardware = &t->as_is->hardware;
    asked.only_steps = true;
    asked.change = again_change;
    asked.context = again;
    const bool good = predict(&t->ways->run->source, &asked, &scratch, &then, &err);
    if (good)
        predict_take_errors(&then, &t->as_is->step, 1);
    const struct taking step = good ? taking_of(&then) : not_known(t, error_line(t->ways->arena, &err));
    arena_free(&scratch);
    return step;
}

static void try_checkpoint(const struct trying *t, const struct dry_keeper *keeper)
{
    struct arena scratch = {0};
    const struct dry_lives lives = lives_checkpointed(&t->ways->run->dry.lives, keeper->name, &scratch);
    const struct again again = spans_of(t, keeper->name, &scratch);
    put_why(t,
            str_printf(t->ways->arena, "checkpoint %u calls of %.*s", keeper->calls, (int)keeper->name.len,
                       keeper->name.at),
            fit_of(t, &lives),
            again.count ? step_again(t, &again) : not_known(t, S("none of these calls ends in the step")),
            S("replayed"));
    arena_free(&scratch);
}

/* Of several calls: what is called once has its outermost inside, where checkpointing saves nothing. */
static bool is_worth_it(const struct trying *t, const struct dry_keeper *keeper)
{
    return keeper->calls > 1 && keeper->bytes > t->ways->run->dry.memory.peak_bytes / KEEPS_LITTLE;
}

static const struct dry_keeper *best_keeper(const struct trying *t)
{
    for (uint32_t i = 0; i < t->keeper_count; i++)
        if (is_worth_it(t, &t->keepers[i]))
            return &t->keepers[i];
    return NULL;
}

static void try_checkpoints(const struct trying *t)
{
    uint32_t tried = 0;
    for (uint32_t i = 0; i < t->keeper_count && tried < MOST_KEEPERS; i++)
        if (is_worth_it(t, &t->keepers[i])) {
            try_checkpoint(t, &t->keepers[i]);
            tried++;
        }
}

/* ---- ZeRO: what each rank holds of what all have ---- */

/*
 * Gradients are summed and parameters gathered round a ring, each once; of stage 3 parameters twice. None of it is hidden. The
 * sums of a job are in its step, and summing takes two rounds: one for what each rank keeps, one for who gathers that.
 */
static struct taking zero_step(const struct trying *t, int stage, int64_t ranks)
{
    const double rounds = (double)(ranks - 1) / (double)ranks;
    const int sent = (stage == 3 ? 3 : 2) - (t->holds_all ? 2 : 0);
    return longer_by(t, bytes_of(t, DRY_PARAMETERS) * sent * rounds, hardware_link_rate(&t->as_is->hardware, ranks),
                     "between the ranks");
}

static struct fit zero_fit(const struct trying *t, int stage, int64_t ranks, const struct dry_lives *lives)
{
    struct arena scratch = {0};
    const double part = 1 / (double)ranks;
    const double share[DRY_MEMORY_KINDS] = {[DRY_PARAMETERS] = stage >= 3 ? part : 1,
                                            [DRY_BUFFERS] = 1,
                                            [DRY_GRADIENTS] = stage >= 2 ? part : 1,
                                            [DRY_OPTIMIZER] = part,
                                            [DRY_ACTIVATIONS] = 1,
                                            [DRY_BACKWARD] = 1,
                                            [DRY_COMMUNICATION] = t->holds_all ? 0 : 1, /* copies of gradients */
                                            [DRY_OTHERS] = part};
    const struct dry_lives shared = lives_shared_out(lives, share, &scratch);
    const struct fit fit = fit_of(t, &shared);
    arena_free(&scratch);
    return fit;
}

struct zero {
    int64_t ranks;
    struct fit fit;
};

static struct zero zero_over(const struct trying *t, int stage, int64_t ranks, const struct dry_lives *lives)
{
    return (struct zero){ranks, zero_fit(t, stage, ranks, lives)};
}

/* Over the ranks of the job; of a script that is none over the fewest with which it fits, else over those of a server. */
static struct zero zero_of(const struct trying *t, int stage, const struct dry_lives *lives)
{
    const int64_t server = hardware_server(&t->as_is->hardware);
    struct zero of_server = {0};
    if (t->ranks > 1)
        return zero_over(t, stage, t->ranks, lives);
    for (int64_t ranks = 2; ranks <= MOST_RANKS; ranks *= 2) {
        const struct zero one = zero_over(t, stage, ranks, lives);
        if (one.fit.verdict == FIT_YES)
            return one;
        of_server = ranks == server ? one : of_server;
    }
    return of_server.ranks ? of_server : zero_over(t, stage, server, lives);
}

static void try_zero(const struct trying *t, int stage, const struct dry_lives *lives, const char *with)
{
    const struct zero zero = zero_of(t, stage, lives);
    const struct taking step =
        with[0] ? not_known(t, S("what both take together was not tried")) : zero_step(t, stage, zero.ranks);
    put_why(t, str_printf(t->ways->arena, "ZeRO %d over %lld ranks%s", stage, (long long)zero.ranks, with), zero.fit,
            step, S("replayed"));
}

static bool tries_zero(const struct trying *t)
{
    return t->ranks < 2 || t->holds_all;
}

static void try_zeros(const struct trying *t)
{
    struct arena scratch = {0};
    const struct dry_lives *const lives = &t->ways->run->dry.lives;
    const struct dry_keeper *const best = best_keeper(t);
    if (!tries_zero(t))
        return;
    for (int stage = 1; stage <= 3; stage++)
        try_zero(t, stage, lives, "");
    if (best) {
        const struct dry_lives fewer = lives_checkpointed(lives, best->name, &scratch);
        const str with = str_printf(t->ways->arena, ", %.*s checkpointed", (int)best->name.len, best->name.at);
        try_zero(t, 3, &fewer, with.at);
    }
    arena_free(&scratch);
}

/* ---- the optimizer on the host ---- */

static void try_offload(const struct trying *t)
{
    struct arena scratch = {0};
    const double share[DRY_MEMORY_KINDS] = {
        [DRY_PARAMETERS] = 1,  [DRY_BUFFERS] = 1,  [DRY_GRADIENTS] = 1,     [DRY_OPTIMIZER] = 0,
        [DRY_ACTIVATIONS] = 1, [DRY_BACKWARD] = 1, [DRY_COMMUNICATION] = 1, [DRY_OTHERS] = 0};
    const struct dry_lives lives = lives_shared_out(&t->ways->run->dry.lives, share, &scratch);
    const double rate = figure(t, HW_HOST_LINK), bytes = 2 * bytes_of(t, DRY_PARAMETERS);
    put_why(t, S("the optimizer on the host"), fit_of(t, &lives), longer_by(t, bytes, rate, "to the host"),
            S("replayed"));
    arena_free(&scratch);
}

/* ---- all ---- */

static void try_all(struct trying *t, const struct price *price)
{
    t->as_is = price;
    put_why(t, S("as it is"), price->fit, step_as_is(t), price_run_basis(t->ways->run));
    try_half(t);
    try_mixed(t);
    try_checkpoints(t);
    try_zeros(t);
    try_offload(t);
}

static bool needs_it(const struct price *price)
{
    return price->fit.verdict == FIT_NO || price->fit.verdict == FIT_MAYBE;
}

/* The one with the least missing that was not taken; NULL. */
static const struct price *nearest(const struct prices *prices, const bool *taken)
{
    const struct price *best = NULL;
    for (uint32_t i = 0; i < prices->count; i++)
        if (!taken[i] && needs_it(&prices->at[i]) && (!best || prices->at[i].fit.spare > best->fit.spare))
            best = &prices->at[i];
    return best;
}

static uint32_t that_need_it(const struct prices *prices)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < prices->count; i++)
        count += needs_it(&prices->at[i]);
    return count;
}

static void tell_of_zero(const struct trying *t, struct section *section)
{
    if (!tries_zero(t))
        section_text(section,
                     S("ZeRO is not tried: the ranks of this job do not sum all gradients over all of them, so "
                       "they may not hold the same."));
}

/* Of each device that was tried. */
static void tell_server(const struct trying *t, struct section *section)
{
    const str remark = hardware_server_remark(&t->as_is->hardware, t->ways->arena);
    if (tries_zero(t) && remark.len)
        section_text(section, remark);
}

void price_ways_show(const struct price_ways *ways, const struct prices *prices, bool always, struct report *report)
{
    const uint32_t need = that_need_it(prices);
    if (!ways->run->step.peak.held || !prices->count || (!need && !always))
        return;
    struct trying t = {.ways = ways, .ranks = ways->asked->dry.ranks > 1 ? ways->asked->dry.ranks : 1};
    struct section *const section =
        report_section(report, "ways", need ? "What would make it fit" : "With less memory");
    t.table = section_table(section, "ways", "Ways");
    table_columns(t.table, columns);
    t.keepers = lives_keepers(&ways->run->dry.lives, ways->arena, &t.keeper_count);
    t.holds_all = price_sums_gradients(ways->run, t.ranks);
    run_half(&t);
    run_mixed(&t);
    tell_how(&t, section, ways->arena);
    bool *const taken = arena_array(ways->arena, prices->count, sizeof *taken);
    for (uint32_t tried = 0; tried < MOST_DEVICES && tried < (need ? need : 1); tried++) {
        const struct price *const price = need ? nearest(prices, taken) : &prices->at[0];
        taken[price - prices->at] = true;
        try_all(&t, price);
        tell_server(&t, section);
    }
    tell_of_zero(&t, section);
    if (need > MOST_DEVICES)
        section_text(section, str_printf(report_arena(report), "Tried on the %d of %u devices that lack least.",
                                         (int)MOST_DEVICES, need));
}
