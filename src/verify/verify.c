/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <string.h>

#include "base/error.h"
#include "child/child.h"
#include "child/folder.h"
#include "recording.h"

/* What one call of verify_run works with. */
struct verifier {
    const struct verify_options *options;
    struct arena *arena;
    struct verify_result *result;
    const char *folder;
    uint32_t runs; /* so far; numbers their records */
};

static const char *const side_words[] = {[VERIFY_BEFORE] = "before", [VERIFY_AFTER] = "after"};

/* ---- one run ---- */

static const char *with_seed(const char *word, int64_t seed, struct arena *arena)
{
    static const char mark[] = "{seed}";
    str all = S("");
    for (const char *at; (at = strstr(word, mark)); word = at + strlen(mark))
        all = str_printf(arena, "%.*s%.*s%lld", (int)all.len, all.at, (int)(at - word), word, (long long)seed);
    return str_printf(arena, "%.*s%s", (int)all.len, all.at, word).at;
}

static const char *const *arguments_of(const struct verify_script *script, int64_t seed, struct arena *arena)
{
    size_t count = 0;
    while (script->argv[count])
        count++;
    const char **words = arena_array(arena, count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = with_seed(script->argv[i], seed, arena);
    return words;
}

/* Ended at its last step it may leave with any code; else only 0 is well. */
static bool ended_well(const struct verifier *verifier, const struct verify_script *script, const struct child_end *end,
                       const struct record *record, struct steptime_error *err)
{
    const int limit_s = (int)(verifier->options->limit_ns / 1000000000);
    if (end->timed_out)
        return fail_at(err, STEPTIME_INPUT, script->name, -1, "was still running after %d s; see --timeout", limit_s);
    if (end->status && !record->stopped && end->status > 128)
        return fail_at(err, STEPTIME_INPUT, script->name, -1, "was ended by signal %d", end->status - 128);
    if (end->status && !record->stopped)
        return fail_at(err, STEPTIME_INPUT, script->name, -1, "ended with exit code %d", end->status);
    return true;
}

/* A wrapper around python may drop the environment (-I, -E, -S, a PYTHONPATH of its own), and with it what records. */
static bool recorded_something(const struct verify_script *script, const struct record *record,
                               struct steptime_error *err)
{
    if (record->any)
        return true;
    if (!record->loaded)
        return fail_at(err, STEPTIME_INPUT, script->name, -1,
                       "its python did not load what records: it heeds no PYTHONPATH (a wrapper, or -I, -E or -S); run "
                       "the interpreter itself, see --python");
    return fail_at(err, STEPTIME_INPUT, script->name, -1, "never calls backward(), nor the step of an optimizer");
}

static void tell(const struct verifier *verifier, const char *what, enum verify_side side, int64_t seed)
{
    if (verifier->options->tell)
        verifier->options->tell(
            str_printf(verifier->arena, "%s, %s, seed %lld", what, side_words[side], (long long)seed));
}

static const char *what_of(const struct recording *recording)
{
    return recording->draws ? "draws" : recording->looks ? "looks" : recording->times ? "times" : "losses";
}

static bool run(struct verifier *verifier, enum verify_side side, struct recording recording, struct record *record,
                struct steptime_error *err)
{
    const struct verify_script *script = &verifier->options->scripts[side];
    struct arena *arena = verifier->arena;
    struct child_end end;
    recording.path = str_printf(arena, "%s/run-%u", verifier->folder, ++verifier->runs).at;
    recording.steps = verifier->options->steps;
    recording.settings = script->settings;
    tell(verifier, what_of(&recording), side, recording.seed);
    const struct child_command command = {
        .argv = arguments_of(script, recording.seed, arena),
        .environment = recording_environment(verifier->folder, &recording, arena),
        .folder = script->folder,
        .limit_ns = verifier->options->limit_ns,
    };
    if (!child_run(&command, arena, &end, err) || !record_read(recording.path, arena, record, err))
        return false;
    const bool well = ended_well(verifier, script, &end, record, err) && recorded_something(script, record, err);
    if (!well)
        verifier->result->complaints = end.complaints;
    return well;
}

/* ---- losses ---- */

static bool run_for_losses(struct verifier *verifier, enum verify_side side, int64_t seed, struct record *record,
                           struct steptime_error *err)
{
    const str name = verifier->options->scripts[side].name;
    if (!run(verifier, side, (struct recording){.saved = verifier->options->saved, .seed = seed}, record, err))
        return false;
    if (!record->loss_count && record->no_scalars)
        return fail_at(err, STEPTIME_INPUT, name, -1, "calls backward() on no scalar: there is no loss to compare");
    if (!record->loss_count)
        return fail_at(err, STEPTIME_INPUT, name, -1, "never calls backward(): there is no loss to compare");
    return true;
}

/* Where losses differ, do those of the first script differ from themselves? */
static bool look_for_restlessness(struct verifier *verifier, int64_t seed, const struct record *before,
                                  struct steptime_error *err)
{
    struct record again;
    if (!run_for_losses(verifier, VERIFY_BEFORE, seed, &again, err))
        return false;
    verifier->result->first_is_restless = !compare_losses(before, &again, verifier->options->tolerance).agree;
    return true;
}

static bool check_seed(struct verifier *verifier, uint32_t i, struct steptime_error *err)
{
    struct verify_result *result = verifier->result;
    struct verify_check *check = &result->checks[i];
    struct record records[VERIFY_SIDES];
    check->seed = verifier->options->seeds[i];
    for (int side = 0; side < VERIFY_SIDES; side++)
        if (!run_for_losses(verifier, (enum verify_side)side, check->seed, &records[side], err))
            return false;
    const struct tolerance tolerance = verifier->options->tolerance;
    check->losses = compare_losses(&records[VERIFY_BEFORE], &records[VERIFY_AFTER], tolerance);
    check->saved = compare_saved(&records[VERIFY_BEFORE], &records[VERIFY_AFTER], tolerance);
    check->losses.agree |= verifier->options->other_training;
    check->saved.agree |= verifier->options->other_training;
    if (i == 0)
        memcpy(result->first, records, sizeof records);
    else if (!compare_losses(&result->first[VERIFY_BEFORE], &records[VERIFY_BEFORE], (struct tolerance){0}).agree)
        result->seeds_have_no_effect = false;
    const bool first_trouble = result->good && !check->losses.agree;
    result->good = result->good && check->losses.agree && check->saved.agree;
    return !first_trouble || look_for_restlessness(verifier, check->seed, &records[VERIFY_BEFORE], err);
}

static bool check_seeds(struct verifier *verifier, struct steptime_error *err)
{
    struct verify_result *result = verifier->result;
    const uint32_t count = verifier->options->seed_count;
    result->checks = arena_array(verifier->arena, count, sizeof *result->checks);
    result->good = true;
    result->seeds_have_no_effect = count > 1;
    for (; result->check_count < count; result->check_count++)
        if (!check_seed(verifier, result->check_count, err))
            return false;
    return true;
}

/* ---- times ---- */

static bool time_once(struct verifier *verifier, enum verify_side side, uint32_t repetition, struct steptime_error *err)
{
    struct record record;
    const struct recording recording = {
        .times = true, .processor = verifier->options->processor, .seed = verifier->options->seeds[0]};
    if (!run(verifier, side, recording, &record, err))
        return false;
    struct pace *pace = &verifier->result->paces[side][repetition];
    *pace = pace_of(&record, verifier->options->warmup, verifier->arena);
    if (!pace->count)
        return fail_at(err, STEPTIME_INPUT, verifier->options->scripts[side].name, -1,
                       "makes %u steps, which the warm-up of %lld takes up; see --warmup", record_ends(&record)->count,
                       (long long)verifier->options->warmup);
    return true;
}

/* In turns, and every other turn the other way round, so that a machine that tires treats both alike. */
static bool time_both(struct verifier *verifier, struct steptime_error *err)
{
    struct verify_result *result = verifier->result;
    const uint32_t count = (uint32_t)verifier->options->repeat;
    for (int side = 0; side < VERIFY_SIDES; side++)
        result->paces[side] = arena_array(verifier->arena, count, sizeof *result->paces[side]);
    for (; result->pace_count < count; result->pace_count++)
        for (int turn = 0; turn < VERIFY_SIDES; turn++) {
            const enum verify_side side = (enum verify_side)((turn + (int)result->pace_count) % VERIFY_SIDES);
            if (!time_once(verifier, side, result->pace_count, err))
                return false;
        }
    return true;
}

/* ---- chance ---- */

static bool is_same_draw(const struct draw *a, const struct draw *b)
{
    return str_eq(a->hash, b->hash) && str_eq(a->what, b->what);
}

static void compare_draws(const struct record *first, const struct record *second, struct draw_difference *difference)
{
    const uint32_t both = first->draw_count < second->draw_count ? first->draw_count : second->draw_count;
    uint32_t at = 0;
    while (at < both && is_same_draw(&first->draws[at], &second->draws[at]))
        at++;
    difference->draws = at;
    difference->found = at < first->draw_count || at < second->draw_count;
    if (difference->found)
        difference->first = at < first->draw_count ? first->draws[at] : second->draws[at];
}

void verify_draws(const struct verify_options *options, struct arena *arena, struct draw_difference *difference)
{
    struct verify_result result = {0};
    struct verifier verifier = {.options = options, .arena = arena, .result = &result};
    struct steptime_error why = {.offset = -1};
    struct record records[2];
    const struct recording recording = {.draws = true, .seed = options->seeds[0]};
    *difference = (struct draw_difference){0};
    verifier.folder = recording_folder(arena, &why);
    if (!verifier.folder)
        return;
    difference->ran = run(&verifier, VERIFY_BEFORE, recording, &records[0], &why) &&
                      run(&verifier, VERIFY_BEFORE, recording, &records[1], &why);
    if (difference->ran)
        compare_draws(&records[0], &records[1], difference);
    folder_remove(verifier.folder);
}

bool verify_look(const struct verify_options *options, struct arena *arena, struct record *record,
                 struct steptime_error *err)
{
    struct verify_result result = {0};
    struct verifier verifier = {.options = options, .arena = arena, .result = &result};
    verifier.folder = recording_folder(arena, err);
    if (!verifier.folder)
        return false;
    const struct recording recording = {.looks = true, .seed = options->seeds[0], .processor = options->processor};
    const bool done = run(&verifier, VERIFY_BEFORE, recording, record, err);
    folder_remove(verifier.folder);
    return done;
}

bool verify_run(const struct verify_options *options, struct arena *arena, struct verify_result *result,
                struct steptime_error *err)
{
    *result = (struct verify_result){0};
    struct verifier verifier = {.options = options, .arena = arena, .result = result};
    verifier.folder = recording_folder(arena, err);
    if (!verifier.folder)
        return false;
    const bool done = check_seeds(&verifier, err) && time_both(&verifier, err);
    folder_remove(verifier.folder);
    return done;
}
