/* SPDX-License-Identifier: Apache-2.0 */
#include "dry.h"

#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "child/folder.h"
#include "fault.h"
#include "hints.h"
#include "modules.h"
#include "notes.h"

/* ---- the environment ---- */

static const char *set(struct arena *arena, const char *name, str value)
{
    return str_printf(arena, "STEPTIME_DRY_%s=%.*s", name, (int)value.len, value.at).at;
}

static const char *set_number(struct arena *arena, const char *name, int64_t value)
{
    return set(arena, name, str_printf(arena, "%lld", (long long)value));
}

/* As torchrun sets it. Nobody is called there. */
static const char *const *job_environment(const struct dry_options *options, struct arena *arena)
{
    const int64_t local = options->ranks < options->server ? options->ranks : options->server;
    const char **const more = arena_array(arena, 16, sizeof *more);
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"RANK", 0},
                   {"LOCAL_RANK", 0},
                   {"GROUP_RANK", 0},
                   {"WORLD_SIZE", options->ranks},
                   {"LOCAL_WORLD_SIZE", local},
                   {"MASTER_PORT", 29500}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        more[count++] = str_printf(arena, "%s=%lld", numbers[i].name, (long long)numbers[i].value).at;
    more[count++] = "MASTER_ADDR=127.0.0.1";
    more[count++] = set_number(arena, "RANKS", options->ranks);
    more[count++] = set_number(arena, "SERVER", options->server);
    return more;
}

static int64_t now_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* A script that would use a network to fetch what it needs is told that there is none, where it asks. */
static const char *const *environment_of(const struct dry_options *options, const char *folder, struct arena *arena)
{
    enum { MOST_MORE = 32 };
    const struct dry_device *const device = &options->device;
    const char *const own[] = {
        set(arena, "TO", str_of(folder)),
        set_number(arena, "STEPS", options->steps),
        set(arena, "DEVICE", device->gpu ? S("cuda") : S("cpu")),
        set(arena, "DEVICE_NAME", device->name),
        set_number(arena, "DEVICE_BYTES", device->bytes),
        set_number(arena, "DEVICE_SMS", device->sms),
        set_number(arena, "WAITS", options->waits),
        set_number(arena, "REAL", options->real),
        set_number(arena, "LOADS", options->loads),
        set(arena, "CAPABILITY", str_printf(arena, "%d.%d", device->capability / 10, device->capability % 10)),
        set_number(arena, "LIMIT", options->limit_ns / 1000000000),
        set_number(arena, "UNTIL", now_s() + options->limit_ns / 1000000000),
        set_number(arena, "BATCH", options->batch),
        set(arena, "PRECISION", options->precision),
        set(arena, "BATCH_SHAPE", options->batch_shape),
        "HF_HUB_OFFLINE=1",
        "WANDB_MODE=disabled",
        "KINETO_LOG_LEVEL=99",
        "PYTHONDONTWRITEBYTECODE=1",
    };
    const char *more[MOST_MORE] = {0};
    size_t count = 0;
    for (; count < sizeof own / sizeof *own; count++)
        more[count] = own[count];
    const char *const *job = options->ranks ? job_environment(options, arena) : NULL;
    for (; job && *job; job++)
        more[count++] = *job;
    return folder_environment(folder, more, arena);
}

/* ---- why there is no answer ---- */

static str last_line(str text)
{
    str last = S("");
    for (str line; str_cut(&text, '\n', &line);)
        last = str_trim(line).len ? str_trim(line) : last;
    return last;
}

/* So that what stands beside it is told whole. */
static str shortened(str words, size_t beside)
{
    enum { LEAST = 60 };
    const size_t most = sizeof((struct steptime_error *)0)->message - 1;
    const size_t room = most > beside + LEAST ? most - beside : LEAST;
    return words.len > room ? (str){words.at, room} : words;
}

static const char *how(const struct dry_options *options)
{
    return options->real ? "with data on the CPU" : "without data";
}

static bool died(const struct dry_told *told, const struct dry_options *options, struct arena *arena,
                 struct steptime_error *err)
{
    if (str_eq(told->died_at, S("-")))
        return fail(err, STEPTIME_INPUT, "%.*s", (int)told->died_of.len, told->died_of.at);
    const char *const hint = dry_hint(told->died_of);
    const str tail = hint ? str_printf(arena, " (%s)", hint) : S("");
    const str head = str_printf(arena, "the script stops at %.*s when it is run %s: ", (int)told->died_at.len,
                                told->died_at.at, how(options));
    const str words = shortened(told->died_of, head.len + tail.len);
    return fail(err, STEPTIME_INPUT, "%.*s%.*s%.*s", (int)head.len, head.at, (int)words.len, words.at, (int)tail.len,
                tail.at);
}

static bool without_torch(const struct child_end *end, struct arena *arena, struct steptime_error *err)
{
    const str last = last_line(end->complaints);
    const str tail = last.len ? str_printf(arena, ": %.*s", (int)last.len, last.at) : S("");
    return fail(err, STEPTIME_INPUT, "the script ended with %d without importing PyTorch%.*s", end->status,
                (int)tail.len, tail.at);
}

/* What it complained of last stands beside a failure alone: else it is some warning. */
static bool without_step(const struct dry_told *told, const struct child_end *end, struct arena *arena,
                         struct steptime_error *err)
{
    const str last = end->status ? last_line(end->complaints) : S("");
    const str why = told->why.len ? str_printf(arena, ": %.*s", (int)told->why.len, told->why.at) : S("");
    const str tail = last.len ? str_printf(arena, "; it complained last: %.*s", (int)last.len, last.at) : S("");
    return fail(err, STEPTIME_INPUT, "the script ended without a step%.*s%.*s", (int)why.len, why.at, (int)tail.len,
                tail.at);
}

static bool too_late(const struct dry_told *told, const struct dry_options *options, struct arena *arena,
                     struct steptime_error *err)
{
    const str where =
        told->late_at.len ? str_printf(arena, ": it is at %.*s", (int)told->late_at.len, told->late_at.at) : S("");
    return fail(err, STEPTIME_INPUT, "the script made no whole step %s in %lld s%.*s; see --limit", how(options),
                (long long)(options->limit_ns / 1000000000), (int)where.len, where.at);
}

/* A signal killed it, or it ended past Python. */
static bool without_a_word(const struct dry_told *told, const struct child_end *end, const struct dry_options *options,
                           struct arena *arena, struct steptime_error *err)
{
    const str signal = dry_fault_signal(end->status), last = last_line(end->complaints), at = told->died_at;
    if (signal.len && at.len)
        return fail(err, STEPTIME_INPUT, "the script dies at %.*s when it is run %s, of %.*s", (int)at.len, at.at,
                    how(options), (int)signal.len, signal.at);
    if (signal.len)
        return fail(err, STEPTIME_INPUT, "the script dies before its first step when it is run %s, of %.*s",
                    how(options), (int)signal.len, signal.at);
    return fail(err, STEPTIME_INPUT, "the script ended with %d before its first step: %.*s", end->status, (int)last.len,
                last.at);
}

static bool say_why_not(const struct dry_told *told, const struct child_end *end, const struct dry_options *options,
                        struct arena *arena, struct steptime_error *err)
{
    if (!told->loaded)
        return fail(err, STEPTIME_INPUT,
                    "no python heeded PYTHONPATH (a wrapper, or -I, -E or -S): nothing was run dry%s",
                    end->status == 127 ? "; no such program" : "");
    if (end->timed_out)
        return too_late(told, options, arena, err);
    if (told->died)
        return died(told, options, arena, err);
    if (!told->torch)
        return without_torch(end, arena, err);
    if (told->ended)
        return without_step(told, end, arena, err);
    return without_a_word(told, end, options, arena, err);
}

/* The rest of a sentence. */
static str why_short(const struct dry_told *told, const struct child_end *end, struct arena *arena)
{
    if (told->died_at.len)
        return str_printf(arena, "at %.*s: %.*s", (int)told->died_at.len, told->died_at.at, (int)told->died_of.len,
                          told->died_of.at);
    if (end->timed_out && told->late_at.len)
        return str_printf(arena, "as it took too long, at %.*s; see --limit", (int)told->late_at.len, told->late_at.at);
    return end->timed_out ? S("as it took too long; see --limit") : str_printf(arena, "with exit code %d", end->status);
}

/* ---- whether it may run with data ---- */

/* Of one that a signal killed nothing is told but where it stood. */
static void take_fault(const char *folder, const struct child_end *end, struct arena *arena, struct dry_told *told)
{
    if (told->died || told->ended || told->done || end->timed_out)
        return;
    told->died_of = dry_fault_signal(end->status);
    if (told->died_of.len)
        told->died_at = dry_fault_place(str_printf(arena, "%s/fault", folder).at, arena);
    if (told->torch && dry_fault_is_wild_read(end->status))
        told->lacks = S("it read memory that is not there, of tensors without data, it seems");
}

static void take_lack(const struct dry_told *told, struct dry_result *result)
{
    result->lacks = told->lacks;
    result->died_of = told->died_of;
    result->died_at = told->died_at;
}

/* ---- the run ---- */

static const char *written(const char *folder, const char *name, struct arena *arena)
{
    const char *const path = str_printf(arena, "%s/%s", folder, name).at;
    return access(path, R_OK) ? NULL : path;
}

static void take(const char *folder, struct arena *arena, struct dry_result *result)
{
    result->folder = folder;
    result->execution = written(folder, "et.json", arena);
    result->lives = dry_lives_read(written(folder, "memory", arena), arena);
    result->memory = dry_memory_of(&result->lives, arena);
}

static bool run_once(const struct dry_options *options, struct arena *arena, struct dry_result *result,
                     struct steptime_error *err)
{
    struct child_end end;
    *result = (struct dry_result){.torch = S(""),
                                  .short_because = S(""),
                                  .by_hand = S(""),
                                  .load = {.place = S(""), .why = S("")},
                                  .batch.place = S(""),
                                  .lacks = S(""),
                                  .died_at = S(""),
                                  .died_of = S("")};
    const char *const folder = dry_folder(arena, err);
    if (!folder)
        return false;
    const struct child_command command = {
        .argv = options->argv, .environment = environment_of(options, folder, arena), .limit_ns = options->limit_ns};
    bool good = child_run(&command, arena, &end, err);
    if (good) {
        struct dry_told told = dry_notes_read(str_printf(arena, "%s/notes", folder).at, arena, result);
        take(folder, arena, result);
        take_fault(folder, &end, arena, &told);
        take_lack(&told, result);
        if (options->waits)
            result->waits = dry_waits_read(str_printf(arena, "%s/waits", folder).at, arena);
        if (!told.done && !told.ended)
            result->short_because = why_short(&told, &end, arena);
        good = (result->steps && result->execution) || say_why_not(&told, &end, options, arena, err);
    }
    if (!good)
        folder_remove(folder);
    return good;
}

/* The first step and the last of those that were asked for are observed. Of a script that makes fewer the last is known if it is run again. */
static bool misses_last(const struct dry_options *options, const struct dry_result *result)
{
    return result->steps > 1 && result->steps < options->steps && !options->waits;
}

/* Where there is time left. Else, and where it goes otherwise the second time, the first step stands in for the last. */
static void run_for_last(const struct dry_options *options, int64_t began_s, struct arena *arena,
                         struct dry_result *result)
{
    const int64_t took_s = now_s() - began_s, left_s = options->limit_ns / 1000000000 - took_s;
    struct dry_options fewer = *options;
    struct dry_result again;
    struct steptime_error ignored;
    fewer.steps = result->steps;
    fewer.limit_ns = left_s * 1000000000;
    result->of_first = true;
    if (left_s <= took_s || !run_once(&fewer, arena, &again, &ignored))
        return;
    if (again.steps != result->steps) {
        dry_close(&again);
        return;
    }
    again.short_because = result->short_because;
    again.at = result->at; /* what was stood in for in all that ran, behind the last step as well */
    again.count = result->count;
    memcpy(again.times, result->times, sizeof again.times);
    dry_close(result);
    *result = again;
}

bool dry_run(const struct dry_options *options, struct arena *arena, struct dry_result *result,
             struct steptime_error *err)
{
    const int64_t began_s = now_s();
    if (!run_once(options, arena, result, err))
        return false;
    if (misses_last(options, result))
        run_for_last(options, began_s, arena, result);
    return true;
}

void dry_close(const struct dry_result *result)
{
    if (result->folder)
        folder_remove(result->folder);
}
