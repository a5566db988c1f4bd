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

struct reading {
    int64_t version;
    struct ends bare, recorded;
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
            read_ends(json, &reading->bare);
        else if (str_eq(key, S("recorded_step_end_ns")))
            read_ends(json, &reading->recorded);
        else
            json_skip(json);
    }
    return !json->failed;
}

/* Median length of the steps between the ends; 0 where they do not rise, or are fewer than two. */
static double median_length(const struct ends *ends)
{
    struct arena scratch = {0};
    int64_t *lengths = arena_array(&scratch, ends->count, sizeof *lengths);
    size_t count = 0;
    for (size_t i = 1; i < ends->count; i++) {
        if (__builtin_sub_overflow(ends->at[i], ends->at[i - 1], &lengths[count]) || lengths[count] <= 0) {
            arena_free(&scratch);
            return 0;
        }
        count++;
    }
    stat_summarise(lengths, count); /* sorts */
    const double median = stat_quantile(lengths, count, 0.5);
    arena_free(&scratch);
    return median;
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
    times->bare_ns = median_length(&reading->bare);
    times->recorded_ns = median_length(&reading->recorded);
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
    mem_free(reading.bare.at);
    mem_free(reading.recorded.at);
    return times;
}
