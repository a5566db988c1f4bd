/* SPDX-License-Identifier: Apache-2.0 */
#include "price_real.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "cli/program/screen.h"
#include "dry/grown.h"
#include "dry/hints.h"
#include "predict/question/batch_between.h"
#include "read/read.h"

enum { REAL_STEPS = 2 }; /* the first sets up */

/*
 * Against dry runs of the same scripts: doc/numbers/price.md, "With data". One run alone tells less of what goes with the batch.
 */
static const struct price_doubt by_two = {0.02, 0.02}, by_one = {0.03, 0.25};

struct price_doubt price_real_doubt(const struct price_real *real)
{
    if (!real->taken || !real->has_batch || real->batches.to == real->batches.more)
        return (struct price_doubt){0};
    return real->has_few ? by_two : by_one;
}

/* ---- one run ---- */

static int64_t now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct running {
    struct dry_options options;
    int64_t until_ns; /* all runs together may take as long as one */
    struct arena *arena;
};

static void say(const char *line)
{
    if (screen_of(STDERR_FILENO, NULL).capable)
        fprintf(stderr, "\r\033[K%s", line);
}

static bool run_with(struct running *r, int64_t batch, struct dry_result *result, struct steptime_error *err)
{
    const int64_t left_ns = r->until_ns - now_ns();
    r->options.batch = batch;
    r->options.limit_ns = left_ns > 1000000000 ? left_ns : 1000000000;
    char line[64];
    if (batch > 0)
        format_text(line, sizeof line, "running %lld sample%s on the CPU", (long long)batch, batch == 1 ? "" : "s");
    else
        format_text(line, sizeof line, "running a batch on the CPU");
    say(line);
    const bool good = dry_run(&r->options, r->arena, result, err);
    say("");
    return good;
}

/* What may run with another batch: a loader took this one, and then the script died. */
static bool may_go_on(const struct running *r, const struct dry_result *result)
{
    return result->rebatched && result->died_of.len && r->until_ns > now_ns();
}

/*
 * Two samples: normalisation over the batch needs as many, and of one PyTorch leaves out copies that larger batches need, as a
 * dimension of one lies in memory like any other. Else one, or the script's own batch.
 */
static bool run_least(struct running *r, struct dry_result *result, int64_t *batch, struct steptime_error *err)
{
    static const int64_t least[] = {2, 1, 0};
    str last = S("");
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        *batch = least[i];
        if (run_with(r, *batch, result, err))
            return true;
        if (!may_go_on(r, result) || str_eq(result->died_of, last))
            return false;
        last = result->died_of;
    }
    return false;
}

/* ---- with two batches ---- */

/* Of each loader's batch; 0: none took another. */
static int64_t own_of(const struct dry_batch *batch, int64_t ran)
{
    return batch->ran > 0 && ran > 0 ? (batch->own * ran + batch->ran / 2) / batch->ran : 0;
}

static void run_one_more(struct running *r, struct price_real *real, struct dry_result *dry)
{
    struct steptime_error err = {.offset = -1};
    struct dry_result more;
    const int64_t least = real->batches.more;
    if (run_with(r, least + 1, &more, &err)) {
        real->few = *dry;
        real->has_few = true;
        real->batches.few = least;
        real->batches.more = least + 1;
        *dry = more;
    } else {
        real->only_one = error_line(r->arena, &err);
    }
}

/* A script whose batch is smaller than what was run: as it is. Where that fails, what was run is scaled. */
static void run_own(struct running *r, struct price_real *real, struct dry_result *dry)
{
    struct steptime_error err = {.offset = -1};
    struct dry_result own;
    if (!run_with(r, 0, &own, &err))
        return;
    dry_close(dry);
    *dry = own;
    real->batches.more = real->batches.to;
}

static str first(str words, size_t most)
{
    return words.len > most ? (str){words.at, most} : words;
}

/* The rest of a sentence that fits behind what is said of the run without data. */
static str why_not(const struct dry_result *dry, const struct steptime_error *err, struct arena *arena)
{
    if (!dry->died_of.len || !dry->died_at.len)
        return str_of(err->message);
    const char *const hint = dry_hint(dry->died_of); /* first: what comes last may have no room */
    return str_printf(arena, "%.*s: %s%s%.*s", (int)dry->died_at.len, dry->died_at.at, hint ? hint : "",
                      hint ? ": " : "", (int)dry->died_of.len, dry->died_of.at);
}

/* False, with both errors. */
static bool neither(const struct price_real *real, const struct dry_result *dry, struct arena *arena,
                    struct steptime_error *err)
{
    enum { MOST_OF_DRY = 72 };
    if (real->asked)
        return false;
    const str error = first(real->error, MOST_OF_DRY), why = why_not(dry, err, arena);
    return fail(err, STEPTIME_INPUT, "%.*s%sit cannot go on without data (%.*s); with data on the CPU neither: %.*s",
                (int)real->place.len, real->place.at, real->place.len ? ": " : "", (int)error.len, error.at,
                (int)why.len, why.at);
}

bool price_real_run(const struct dry_options *options, struct arena *arena, struct price_real *real,
                    struct dry_result *dry, struct steptime_error *err)
{
    struct running r = {.options = *options, .until_ns = now_ns() + options->limit_ns, .arena = arena};
    const int64_t wanted = options->batch;
    int64_t least;
    r.options.real = true;
    r.options.steps = options->steps < REAL_STEPS ? options->steps : REAL_STEPS;
    real->taken = true;
    real->only_one = S("");
    if (!run_least(&r, dry, &least, err))
        return neither(real, dry, arena, err);
    const int64_t own = own_of(&dry->batch, least);
    real->has_batch = own > 0;
    real->batches = (struct batches){.more = least, .to = own};
    if (own > 0 && wanted > 0)
        real->batches.to = wanted;
    if (own > 0 && own < least && !wanted)
        run_own(&r, real, dry);
    else if (own > 0 && real->batches.to != least)
        run_one_more(&r, real, dry);
    return true;
}

/* ---- as it would be ---- */

static struct program few_of(const struct price_real *real, bool on_gpu, struct input *input, struct arena *scratch,
                             bool *good)
{
    struct steptime_error err = {.offset = -1};
    *good = real->has_few && input_read(real->few.execution, INPUT_EXECUTION, NULL, input, &err);
    if (!*good)
        return (struct program){0};
    execution_put_on_device(input->execution, real->few.nothing_there || !on_gpu);
    execution_take_marks(input->execution);
    return program_of_execution(input->execution, scratch);
}

static int64_t grown(int64_t count, struct batches batches)
{
    return size_with_batch(count, batches);
}

bool price_real_grow(struct price_real *real, bool on_gpu, struct arena *arena, struct program *program,
                     struct dry_result *dry, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct input input = {0};
    bool has_few;
    if (!real->taken || !real->has_batch || real->batches.to == real->batches.more)
        return true;
    const struct program few = few_of(real, on_gpu, &input, &scratch, &has_few);
    const struct batch_between between = batch_between(has_few ? &few : NULL, program, real->batches, arena);
    const bool good = program_unusable_sizes(&between.program) <= program_unusable_sizes(program) ||
                      fail(err, STEPTIME_INPUT, "with a batch of %lld sizes are more than any memory holds",
                           (long long)real->batches.to);
    *program = between.program;
    real->by_both = between.by_both;
    real->by_one = between.by_one;
    dry->lives = lives_between(has_few ? &real->few.lives : NULL, &dry->lives, real->batches, arena);
    dry->memory = dry_memory_of(&dry->lives, arena);
    dry->batch.samples = grown(dry->batch.samples, real->batches);
    dry->batch.tokens = grown(dry->batch.tokens, real->batches);
    if (has_few)
        input_free(&input);
    arena_free(&scratch);
    return good;
}

/* ---- what is said of it ---- */

static str why_words(const struct price_real *real, struct arena *arena)
{
    if (real->asked)
        return S("It was not run without data, as --fallback always asks.");
    return str_printf(arena, "It cannot be run without data:%s%.*s %.*s (%.*s).", real->place.len ? " at " : "",
                      (int)real->place.len, real->place.at, (int)real->lacks.len, real->lacks.at, (int)real->error.len,
                      real->error.at);
}

static str batch_words(const struct price_real *real, struct arena *arena)
{
    const struct batches *const b = &real->batches;
    if (!real->has_batch)
        return S("It was run on the CPU instead, with data and its own batch: no DataLoader took another one.");
    if (b->to == b->more)
        return str_printf(arena, "It was run on the CPU instead, with data and the whole batch of %lld.",
                          (long long)b->to);
    if (!real->has_few)
        return str_printf(
            arena,
            "It was run on the CPU instead, with data and a batch of %lld, which is scaled to %lld. A second run "
            "with one more, which shows what goes with the batch, failed: %.*s",
            (long long)b->more, (long long)b->to, (int)real->only_one.len, real->only_one.at);
    return str_printf(
        arena,
        "It was run on the CPU instead, with data and batches of %lld and %lld: what differs between these goes with "
        "the batch, and is scaled to %lld.",
        (long long)b->few, (long long)b->more, (long long)b->to);
}

static void show_batches(const struct price_real *real, struct section *section)
{
    const int64_t least = real->has_few ? real->batches.few : real->batches.more;
    section_value_if_any(section, "ran_batch", "least batch that was run", UNIT_COUNT,
                         cell_int_if(real->has_batch, least));
    section_value_if_any(section, "most_batch", "largest batch that was run", UNIT_COUNT,
                         cell_int_if(real->has_batch, real->batches.more));
    section_value_if_any(section, "batch", "batch that it is scaled to", UNIT_COUNT,
                         cell_int_if(real->has_batch, real->batches.to));
    section_value(section, "by_both", "operators whose sizes both runs tell", UNIT_COUNT, cell_int(real->by_both));
    section_value(section, "by_one", "operators scaled by one run", UNIT_COUNT, cell_int(real->by_one));
}

void price_real_show(const struct price_real *real, struct report *report)
{
    if (!real->taken)
        return;
    struct section *const section = report_section(report, "fallback", "With data");
    const struct price_doubt doubt = price_real_doubt(real);
    section_text(section, why_words(real, report_arena(report)));
    section_text(section, batch_words(real, report_arena(report)));
    /* the sentences above say it */
    section_detail(section, "because", "why it is not run without data", UNIT_NONE, cell_text_or_null(real->lacks));
    section_detail(section, "place", "stands in the way", UNIT_NONE, cell_text_or_null(real->place));
    section_detail(section, "error", "its error", UNIT_NONE, cell_text_or_null(real->error));
    section_detail(section, "only_one", "why not with two batches", UNIT_NONE, cell_text_or_null(real->only_one));
    show_batches(real, section);
    section_value(section, "step_error", "the step may be off besides by", UNIT_RATIO, cell_real(doubt.step));
    section_value(section, "memory_error", "memory may be off besides by", UNIT_RATIO, cell_real(doubt.memory));
}
