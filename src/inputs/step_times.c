/* SPDX-License-Identifier: Apache-2.0 */
#include "step_times.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/stat.h"
#include "io/beside.h"
#include "text/json.h"

enum { VERSION = 1 };

str step_times_path(str trace, struct arena *arena)
{
    return beside_path(trace, ".steps.json", arena);
}

/* ---- what it says ---- */

struct ends {
    int64_t *at;
    size_t count, room;
};

/* Ends of steps, and what the thread had waited for a processor until then: as many, or it is not known. */
struct kind {
    struct ends ends, waited;
};

struct reading {
    int64_t version;
    struct kind bare, recorded;
};

static void read_ends(struct json *json, struct ends *ends)
{
    json_enter(json);
    while (json_item(json)) {
        int64_t end;
        if (!json_int(json, &end))
            return;
        ends->at = mem_grow(ends->at, &ends->room, ends->count + 1, sizeof *ends->at);
        ends->at[ends->count++] = end;
    }
}

static bool read_members(struct json *json, struct reading *reading)
{
    if (json_peek(json) != '{')
        return false;
    json_enter(json);
    for (str key; json_key(json, &key);) {
        if (str_eq(key, S("version")))
            json_int(json, &reading->version);
        else if (str_eq(key, S("bare_step_end_ns")))
            read_ends(json, &reading->bare.ends);
        else if (str_eq(key, S("bare_step_end_waited_ns")))
            read_ends(json, &reading->bare.waited);
        else if (str_eq(key, S("recorded_step_end_ns")))
            read_ends(json, &reading->recorded.ends);
        else if (str_eq(key, S("recorded_step_end_waited_ns")))
            read_ends(json, &reading->recorded.waited);
        else
            json_skip(json);
    }
    return !json->failed;
}

/* Of each step, in the arena. False where ends do not rise, waits fall, or a step would be nothing but a wait. */
static bool measure(const struct ends *ends, const struct ends *waited, int64_t *lengths, int64_t *waits)
{
    for (size_t i = 1; i < ends->count; i++) {
        waits[i - 1] = 0;
        if (__builtin_sub_overflow(ends->at[i], ends->at[i - 1], &lengths[i - 1]) || lengths[i - 1] <= 0)
            return false;
        if (waited && (__builtin_sub_overflow(waited->at[i], waited->at[i - 1], &waits[i - 1]) || waits[i - 1] < 0 ||
                       waits[i - 1] >= lengths[i - 1]))
            return false;
        lengths[i - 1] -= waits[i - 1];
    }
    return true;
}

/* Median length of the steps between the ends; 0 where they do not rise, or are fewer than two. */
static double median_length(const struct ends *ends, const struct ends *waited, struct arena *arena, int64_t **waits)
{
    if (ends->count < 2)
        return 0;
    int64_t *const lengths = arena_array(arena, ends->count, sizeof *lengths);
    *waits = arena_array(arena, ends->count, sizeof **waits);
    if (!measure(ends, waited, lengths, *waits))
        return 0;
    stat_summarise(lengths, ends->count - 1); /* sorts */
    return stat_quantile(lengths, ends->count - 1, 0.5);
}

/* Of both kinds of steps, or of neither: what is with such waits is compared with nothing that is without. */
static bool take_without_waits(const struct reading *reading, struct step_times *times, struct arena *arena)
{
    const struct kind *const bare = &reading->bare, *const recorded = &reading->recorded;
    int64_t *of_bare, *waits;
    if (bare->ends.count != bare->waited.count || recorded->ends.count != recorded->waited.count)
        return false;
    times->bare_ns = median_length(&bare->ends, &bare->waited, arena, &of_bare);
    times->recorded_ns = median_length(&recorded->ends, &recorded->waited, arena, &waits);
    if (!(step_times_factor(times) > 0))
        return false;
    times->waited_ns = waits;
    times->waited_count = (uint32_t)recorded->ends.count - 1;
    return true;
}

static void take(const struct reading *reading, struct step_times *times, struct arena *arena)
{
    int64_t *waits;
    if (take_without_waits(reading, times, arena))
        return;
    times->bare_ns = median_length(&reading->bare.ends, NULL, arena, &waits);
    times->recorded_ns = median_length(&reading->recorded.ends, NULL, arena, &waits);
}

static str judge(struct json *json, struct reading *reading, struct step_times *times, struct arena *arena)
{
    if (!read_members(json, reading))
        return S("is not used: it is no JSON of a recorder's step times");
    if (reading->version < 0)
        return S("is not used: it names no version, so no recorder of step times wrote it");
    if (reading->version != VERSION)
        return str_printf(arena, "is not used: it has version %lld of step times, and version %d is understood",
                          (long long)reading->version, VERSION);
    take(reading, times, arena);
    if (step_times_factor(times) > 0)
        return S("");
    return S("is not used: it takes two ends of bare steps and two of recorded ones, each list rising");
}

struct step_times step_times_beside(str trace, struct arena *arena)
{
    struct step_times times = {.path = step_times_path(trace, arena)};
    struct reading reading = {.version = -1};
    const str text = str_eq(trace, S("-")) ? (str){NULL, 0} : beside_read(times.path.at, arena);
    if (!text.at)
        return (struct step_times){0};
    struct json json = json_of(text, arena);
    times.wrong = judge(&json, &reading, &times, arena);
    for (size_t i = 0; i < 2; i++) {
        const struct kind *const kind = i ? &reading.recorded : &reading.bare;
        mem_free(kind->ends.at);
        mem_free(kind->waited.at);
    }
    return times;
}
