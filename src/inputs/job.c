/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <math.h>

#include "base/buf.h"
#include "base/sort.h"
#include "read/rank.h"

#define DAY_NS       INT64_C(86400000000000)
#define YEAR_2000_NS INT64_C(946684800000000000) /* times before it count from something else, as a boot */

/* ---- a member ---- */

static str device_of(const struct trace_info *info)
{
    for (uint32_t i = 0; i < info->device_count; i++)
        if (info->devices[i].name.len)
            return info->devices[i].name;
    return S("");
}

static int64_t begin_of(const struct trace *trace)
{
    int64_t begin;
    const bool overflow = __builtin_add_overflow(trace->info.base_ns, trace->origin_ns, &begin);
    return !overflow && trace->count && begin >= YEAR_2000_NS ? begin : 0;
}

/* By the clock of a host alone steps of several can be compared. */
static void add_steps(const struct trace *trace, struct job_member *member, struct arena *arena)
{
    const int64_t shift = member->begin_ns;
    if (trace->step_source != STEPS_ANNOTATED || !trace->step_count)
        return;
    member->steps_kept = trace->step_count < JOB_MOST_STEPS ? trace->step_count : JOB_MOST_STEPS;
    struct member_step *steps = arena_array(arena, member->steps_kept, sizeof *steps);
    for (uint32_t i = 0; i < member->steps_kept; i++)
        steps[i] = (struct member_step){trace->steps[i].number, shift + trace->steps[i].start_ns,
                                        shift + trace->steps[i].end_ns};
    member->steps = steps;
    member->first_step = trace->steps[0].number;
    member->last_step = trace->steps[trace->step_count - 1].number;
}

struct job_member job_member_of(const struct trace *trace, str path, struct arena *arena)
{
    const struct trace_info *info = &trace->info;
    struct job_member member = {
        .path = path,
        .rank = info->rank >= 0 ? info->rank : rank_of_path(path),
        .recorded = info->rank >= 0,
        .world_size = info->world_size,
        .device = str_copy(arena, device_of(info)),
        .torch_version = str_copy(arena, info->torch_version),
        .host = str_copy(arena, info->host),
        .begin_ns = begin_of(trace),
        .settings = settings_kept(settings_of(trace, arena), NULL, arena),
    };
    add_steps(trace, &member, arena);
    return member;
}

/* ---- what contradicts ---- */

struct comparison {
    const struct job_member *members;
    uint32_t count;
    struct doubts *doubts;
    uint32_t found;
};

/* The first says what follows from it. */
static void contradict(struct comparison *compared, const char *id, int64_t number, str what)
{
    struct arena *arena = compared->doubts->arena;
    const str said = compared->found++ ? what
                                       : str_printf(arena, "these %u files are not ranks of one job: %.*s",
                                                    compared->count, (int)what.len, what.at);
    const double share = number >= 0 ? (double)number / compared->count : NAN;
    doubts_add(compared->doubts, (struct doubt){id, said, number, share, true});
}

/* A text in which all agree that have it: the first that differs from the first. */
static void compare_texts(struct comparison *compared, const char *what, str (*text)(const struct job_member *member))
{
    const struct job_member *first = NULL;
    for (uint32_t i = 0; i < compared->count; i++) {
        const struct job_member *member = &compared->members[i];
        if (!text(member).len)
            continue;
        first = first ? first : member;
        const str one = text(first), other = text(member);
        if (str_eq(one, other))
            continue;
        contradict(compared, "ranks_differ", -1,
                   str_printf(compared->doubts->arena, "they record different %s, %.*s (%.*s) and %.*s (%.*s)", what,
                              (int)one.len, one.at, (int)first->path.len, first->path.at, (int)other.len, other.at,
                              (int)member->path.len, member->path.at));
        return;
    }
}

static str device_text(const struct job_member *member)
{
    return member->device;
}

static str torch_text(const struct job_member *member)
{
    return member->torch_version;
}

static void compare_worlds(struct comparison *compared)
{
    struct arena *arena = compared->doubts->arena;
    const struct job_member *first = NULL;
    for (uint32_t i = 0; i < compared->count; i++) {
        const struct job_member *member = &compared->members[i];
        if (member->world_size < 1 || (first && member->world_size == first->world_size))
            continue;
        if (first) {
            contradict(compared, "several_models", -1,
                       str_printf(arena, "they record different world sizes, %lld (%.*s) and %lld (%.*s)",
                                  (long long)first->world_size, (int)first->path.len, first->path.at,
                                  (long long)member->world_size, (int)member->path.len, member->path.at));
            return;
        }
        first = member;
    }
    if (first && compared->count > first->world_size)
        contradict(compared, "several_models", -1,
                   str_printf(arena, "they are more than the world size, %lld", (long long)first->world_size));
}

/* The members that say their rank, by rank; those of one rank in their order. */
static struct keyed *by_rank(const struct job_member *members, uint32_t count, bool recorded, uint32_t *known,
                             struct arena *arena)
{
    struct keyed *ranks = arena_array(arena, count, sizeof *ranks);
    *known = 0;
    for (uint32_t i = 0; i < count; i++)
        if (members[i].rank >= 0 && (members[i].recorded || !recorded))
            ranks[(*known)++] = (struct keyed){members[i].rank, i};
    sort_keyed(ranks, *known);
    return ranks;
}

static void compare_ranks(struct comparison *compared)
{
    struct arena scratch = {0};
    uint32_t known, doubled = 0;
    const struct keyed *ranks = by_rank(compared->members, compared->count, true, &known, &scratch);
    str what = S("");
    for (uint32_t i = 1; i < known; i++) {
        if (ranks[i].key != ranks[i - 1].key || doubled++)
            continue;
        const str one = compared->members[ranks[i - 1].row].path, other = compared->members[ranks[i].row].path;
        what = str_printf(compared->doubts->arena, "%.*s and %.*s both record rank %lld", (int)one.len, one.at,
                          (int)other.len, other.at, (long long)ranks[i].key);
    }
    if (doubled)
        contradict(compared, "ranks_doubled", doubled, what);
    arena_free(&scratch);
}

static void check_ranks(struct comparison *compared)
{
    for (uint32_t i = 0; i < compared->count; i++) {
        const struct job_member *member = &compared->members[i];
        if (!member->recorded || member->world_size < 1 || member->rank < member->world_size)
            continue;
        contradict(compared, "several_models", -1,
                   str_printf(compared->doubts->arena, "%.*s records rank %lld in a world of %lld",
                              (int)member->path.len, member->path.at, (long long)member->rank,
                              (long long)member->world_size));
        return;
    }
}

static bool on_other_hosts(const struct job_member *a, const struct job_member *b)
{
    return a->host.len && b->host.len && !str_eq(a->host, b->host);
}

static bool share_steps(const struct job_member *a, const struct job_member *b)
{
    return a->steps_kept && b->steps_kept && a->first_step <= b->last_step && b->first_step <= a->last_step;
}

/* Other hosts have other clocks: of the same steps of one world nobody can say which of the two it is. */
static bool may_be_clocks(const struct job_member *a, const struct job_member *b)
{
    return on_other_hosts(a, b) && a->world_size > 1 && a->world_size == b->world_size && share_steps(a, b);
}

static void compare_times(struct comparison *compared)
{
    const struct job_member *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < compared->count; i++) {
        const struct job_member *member = &compared->members[i];
        if (!member->begin_ns)
            continue;
        first = !first || member->begin_ns < first->begin_ns ? member : first;
        last = !last || member->begin_ns > last->begin_ns ? member : last;
    }
    const int64_t days = first ? (last->begin_ns - first->begin_ns) / DAY_NS : 0;
    if (!days)
        return;
    const bool clocks = may_be_clocks(first, last);
    contradict(compared, clocks ? "clocks" : "other_times", -1,
               str_printf(compared->doubts->arena, "%.*s began %lld day%s before %.*s%s", (int)first->path.len,
                          first->path.at, (long long)days, days == 1 ? "" : "s", (int)last->path.len, last->path.at,
                          clocks ? ", or the clock of a host is wrong" : ""));
}

void job_contradictions(const struct job_member *members, uint32_t count, struct doubts *doubts)
{
    struct comparison compared = {members, count, doubts, 0};
    compare_worlds(&compared);
    check_ranks(&compared);
    compare_ranks(&compared);
    compare_texts(&compared, "devices", device_text);
    compare_texts(&compared, "versions of PyTorch", torch_text);
    compare_times(&compared);
}

/* ---- what is missing ---- */

enum { MOST_RANGES = 8 };

/* Runs of ranks that nobody is: "3, 5 to 6, 9 ..." */
struct missing {
    struct buf text;
    uint32_t ranges;
    int64_t ranks;
};

static void add_missing(struct missing *missing, int64_t first, int64_t end)
{
    if (first >= end)
        return;
    missing->ranks += end - first;
    if (missing->ranges++ >= MOST_RANGES)
        return;
    buf_printf(&missing->text, "%s%lld", missing->text.len ? ", " : "", (long long)first);
    if (end - first > 1)
        buf_printf(&missing->text, " to %lld", (long long)end - 1);
}

static struct missing missing_of(const struct keyed *ranks, uint32_t known, int64_t first, int64_t end)
{
    struct missing missing = {0};
    for (uint32_t i = 0; i < known; i++) {
        add_missing(&missing, first, ranks[i].key);
        first = ranks[i].key < INT64_MAX ? ranks[i].key + 1 : INT64_MAX;
    }
    add_missing(&missing, first, end);
    if (missing.ranges > MOST_RANGES)
        buf_add(&missing.text, S(" and more"));
    return missing;
}

static int64_t world_of(const struct job_member *members, uint32_t count)
{
    int64_t world = -1;
    for (uint32_t i = 0; i < count; i++)
        world = members[i].world_size > world ? members[i].world_size : world;
    return world;
}

static str say_missing(const struct missing *missing, const struct keyed *ranks, uint32_t known, int64_t world,
                       struct arena *arena)
{
    const int len = (int)missing->text.len;
    if (world > 0)
        return str_printf(arena, "of the job's %lld ranks %lld %s missing: %.*s", (long long)world,
                          (long long)missing->ranks, missing->ranks == 1 ? "is" : "are", len, missing->text.at);
    return str_printf(arena, "ranks %lld to %lld but no %.*s", (long long)ranks[0].key, (long long)ranks[known - 1].key,
                      len, missing->text.at);
}

/* Of a single file it is no fault that the others are not there, but what it waited for cannot be told. */
static void tell_alone(const struct job_member *only, struct doubts *doubts)
{
    if (only->world_size > 1)
        doubts_add(
            doubts,
            (struct doubt){"ranks_missing",
                           str_printf(doubts->arena, "one of the job's %lld ranks alone", (long long)only->world_size),
                           only->world_size - 1, (double)(only->world_size - 1) / (double)only->world_size, false});
}

/* A file that says no rank may be any of those that seem missing. */
void job_missing(const struct job_member *members, uint32_t count, struct doubts *doubts)
{
    struct arena scratch = {0};
    uint32_t known;
    const struct keyed *ranks = by_rank(members, count, false, &known, &scratch);
    const int64_t world = world_of(members, count);
    if (count == 1)
        tell_alone(members, doubts);
    if (known == count && count > 1) {
        struct missing missing = world > 0 ? missing_of(ranks, known, 0, world)
                                           : missing_of(ranks, known, ranks[0].key, ranks[known - 1].key);
        const double all = (double)missing.ranks + known;
        if (missing.ranks)
            doubts_add(doubts,
                       (struct doubt){"ranks_missing", say_missing(&missing, ranks, known, world, doubts->arena),
                                      missing.ranks, (double)missing.ranks / all, false});
        buf_free(&missing.text);
    }
    arena_free(&scratch);
}
