/* SPDX-License-Identifier: Apache-2.0 */
#include "price_ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "dry/ways.h"
#include "predict/price/again.h"
#include "predict/price/alone.h"

enum {
    MOST_DEVICES = 3, /* that are tried */
    MOST_KEEPERS = 4, /* classes of modules */
    MOST_RANKS = 1024,
    USUAL_RANKS = 8,   /* told where no number makes it fit */
    KEEPS_LITTLE = 50, /* a part of the peak that is not worth a try */
};

static const struct column_spec columns[] = {
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "the device that this is tried on"},
    {"way", "way", UNIT_NONE, COLUMN_WIDE, "what is done otherwise"},
    {"fits", "fits", UNIT_NONE, 0, "as in the table of devices: yes, may not, no"},
    {"memory_high_bytes", "memory", UNIT_BYTES, 0, "as in the table of devices, then"},
    {"step_us", "a step", UNIT_US, 0, "the step then; null where it is not known"},
    {"slower", "of the step", UNIT_RATIO, 0, "step_us / step_us of the script as it is"},
    {"basis", "basis", UNIT_NONE, 0, "how that was found"},
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
};

static void put(const struct trying *t, str way, struct fit fit, double step_us, str basis)
{
    table_row(t->table);
    table_text(t->table, t->as_is->hardware.name);
    table_text(t->table, way);
    table_cell(t->table, cell_text_or_null(str_of(fit_word(fit.verdict))));
    table_cell(t->table, cell_int_if(fit.high > 0, fit.high));
    table_cell(t->table, isnan(step_us) ? cell_null() : cell_real(step_us));
    table_cell(t->table, isnan(step_us) ? cell_null() : cell_ratio(step_us, t->as_is->step.walked.step_us));
    table_text(t->table, basis);
}

static double step_as_is(const struct trying *t)
{
    return t->as_is->why.len ? NAN : t->as_is->step.walked.step_us;
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
    const bool good = price_run(ways->asked, setting, ways->texts, ways->arena, run, &err);
    *why = good ? S("") : error_line(ways->arena, &err);
    dry_close(&run->dry);
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

static void put_run(const struct trying *t, str way, const struct price_run *run, str basis)
{
    struct price then;
    price_one(&run->source, &t->ways->asked->predict, &run->step, &t->as_is->hardware, &then, t->ways->arena);
    put(t, way, then.fit, then.why.len ? NAN : then.step.walked.step_us, basis);
}

static void try_half(const struct trying *t)
{
    struct arena scratch = {0};
    const double share[DRY_MEMORY_KINDS] = {
        [DRY_PARAMETERS] = 1,    [DRY_BUFFERS] = 1,    [DRY_GRADIENTS] = 1,     [DRY_OPTIMIZER] = 1,
        [DRY_ACTIVATIONS] = 0.5, [DRY_BACKWARD] = 0.5, [DRY_COMMUNICATION] = 1, [DRY_OTHERS] = 1};
    if (!t->half_why.len) {
        put_run(t, S("half the batch"), &t->half, S("run dry again with loaders of half the batch"));
        return;
    }
    const struct dry_lives lives = lives_shared_out(&t->ways->run->dry.lives, share, &scratch);
    put(t, S("half the batch"), fit_of(t, &lives), NAN,
        str_printf(t->ways->arena, "activations and what is made backwards halved, since %.*s", (int)t->half_why.len,
                   t->half_why.at));
    arena_free(&scratch);
}

static void try_mixed(const struct trying *t)
{
    if (!t->mixed_why.len)
        put_run(t, S("bf16 autocast"), &t->mixed, S("run dry again, all of it in autocast"));
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

static double step_again(const struct trying *t, const struct again *again)
{
    struct steptime_error err = {.offset = -1};
    const struct alone with = {.hardware = &t->as_is->hardware, .change = again_change, .context = again};
    struct alone_step step;
    return step_alone(&t->ways->run->source, &t->ways->asked->predict, &with, &step, &err) ? step.step_us : NAN;
}

static void try_checkpoint(const struct trying *t, const struct dry_keeper *keeper)
{
    struct arena scratch = {0};
    const struct dry_lives lives = lives_checkpointed(&t->ways->run->dry.lives, keeper->name, &scratch);
    const struct again again = spans_of(t, keeper->name, &scratch);
    put(t,
        str_printf(t->ways->arena, "checkpoint %u calls of %.*s", keeper->calls, (int)keeper->name.len,
                   keeper->name.at),
        fit_of(t, &lives), again.count ? step_again(t, &again) : NAN,
        S("replayed without what these calls keep; their forward is done twice"));
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

/* Bytes a second one way between the ranks; 0: not known. */
static double link_rate(const struct trying *t, int64_t ranks)
{
    const double per_server = figure(t, HW_GPUS_PER_SERVER);
    if (per_server > 0 && (double)ranks > per_server)
        return figure(t, HW_NETWORK) / per_server;
    return figure(t, HW_GPU_LINK) > 0 ? figure(t, HW_GPU_LINK) : figure(t, HW_HOST_LINK);
}

/* Gradients are summed and parameters gathered round a ring, each once; of stage 3 parameters twice. None of it is hidden. */
static double zero_step(const struct trying *t, int stage, int64_t ranks)
{
    const double rate = link_rate(t, ranks), rounds = (double)(ranks - 1) / (double)ranks;
    const double bytes = bytes_of(t, DRY_PARAMETERS) * (stage == 3 ? 3 : 2);
    return rate > 0 ? step_as_is(t) + bytes * rounds / rate * 1e6 : NAN;
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
                                            [DRY_COMMUNICATION] = 1,
                                            [DRY_OTHERS] = part};
    const struct dry_lives shared = lives_shared_out(lives, share, &scratch);
    const struct fit fit = fit_of(t, &shared);
    arena_free(&scratch);
    return fit;
}

/* Over the fewest ranks with which it fits. */
static void try_zero(const struct trying *t, int stage, const struct dry_lives *lives, const char *with)
{
    struct fit fit = {.verdict = FIT_NO};
    int64_t ranks = 1;
    while (fit.verdict != FIT_YES && ranks < MOST_RANKS) {
        ranks *= 2;
        fit = zero_fit(t, stage, ranks, lives);
    }
    if (fit.verdict != FIT_YES) {
        ranks = USUAL_RANKS;
        fit = zero_fit(t, stage, ranks, lives);
    }
    put(t, str_printf(t->ways->arena, "ZeRO %d over %lld ranks%s", stage, (long long)ranks, with), fit,
        with[0] ? NAN : zero_step(t, stage, ranks),
        S("replayed with a part of the optimizer (2: gradients, 3: parameters) on each rank, without what is gathered; "
          "messages round a ring, none hidden"));
}

static void try_zeros(const struct trying *t)
{
    struct arena scratch = {0};
    const struct dry_lives *const lives = &t->ways->run->dry.lives;
    const struct dry_keeper *const best = best_keeper(t);
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
    put(t, S("the optimizer on the host"), fit_of(t, &lives), rate > 0 ? step_as_is(t) + bytes / rate * 1e6 : NAN,
        S("replayed without the optimizer's state; gradients to the host and parameters back, what the host computes "
          "is not in it"));
    arena_free(&scratch);
}

/* ---- all ---- */

static void try_all(struct trying *t, const struct price *price)
{
    t->as_is = price;
    put(t, S("as it is"), price->fit, step_as_is(t), S("as in the table of devices"));
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

void price_ways_show(const struct price_ways *ways, const struct prices *prices, bool always, struct report *report)
{
    const uint32_t need = that_need_it(prices);
    if (!ways->run->step.peak.held || !prices->count || (!need && !always))
        return;
    struct trying t = {.ways = ways};
    struct section *const section =
        report_section(report, "ways", need ? "What would make it fit" : "With less memory");
    t.table = section_table(section, "ways", "Ways");
    table_columns(t.table, columns);
    t.keepers = lives_keepers(&ways->run->dry.lives, ways->arena, &t.keeper_count);
    run_half(&t);
    run_mixed(&t);
    bool *const taken = arena_array(ways->arena, prices->count, sizeof *taken);
    for (uint32_t tried = 0; tried < MOST_DEVICES && tried < (need ? need : 1); tried++) {
        const struct price *const price = need ? nearest(prices, taken) : &prices->at[0];
        taken[price - prices->at] = true;
        try_all(&t, price);
    }
    if (need > MOST_DEVICES)
        section_text(section, str_printf(report_arena(report), "Tried on the %d of %u devices that lack least.",
                                         (int)MOST_DEVICES, need));
}
