/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

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

struct job_member job_member_of(const struct trace *trace, str path, struct arena *arena)
{
    const struct trace_info *info = &trace->info;
    return (struct job_member){
        .path = path,
        .rank = info->rank >= 0 ? info->rank : rank_of_path(path),
        .recorded = info->rank >= 0,
        .world_size = info->world_size,
        .device = str_copy(arena, device_of(info)),
        .torch_version = str_copy(arena, info->torch_version),
        .begin_ns = begin_of(trace),
    };
}

/* ---- what contradicts ---- */

/* The reasons so far, with "; " between. */
struct reasons {
    const struct job_member *members;
    uint32_t count;
    struct buf text;
};

static void begin_reason(struct reasons *reasons)
{
    buf_add(&reasons->text, reasons->text.len ? S("; ") : S(""));
}

static void add_value(struct reasons *reasons, str value, str path)
{
    buf_printf(&reasons->text, "%.*s (%.*s)", (int)value.len, value.at, (int)path.len, path.at);
}

/* A text in which all agree that have it: the first that differs from the first. */
static void compare_texts(struct reasons *reasons, const char *what, str (*text)(const struct job_member *member))
{
    const struct job_member *first = NULL;
    for (uint32_t i = 0; i < reasons->count; i++) {
        const struct job_member *member = &reasons->members[i];
        if (!text(member).len)
            continue;
        first = first ? first : member;
        if (str_eq(text(member), text(first)))
            continue;
        begin_reason(reasons);
        buf_printf(&reasons->text, "they record different %s, ", what);
        add_value(reasons, text(first), first->path);
        buf_add(&reasons->text, S(" and "));
        add_value(reasons, text(member), member->path);
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

static void compare_worlds(struct reasons *reasons)
{
    const struct job_member *first = NULL;
    for (uint32_t i = 0; i < reasons->count; i++) {
        const struct job_member *member = &reasons->members[i];
        if (member->world_size < 1 || (first && member->world_size == first->world_size))
            continue;
        if (first) {
            begin_reason(reasons);
            buf_printf(&reasons->text, "they record different world sizes, %lld (%.*s) and %lld (%.*s)",
                       (long long)first->world_size, (int)first->path.len, first->path.at,
                       (long long)member->world_size, (int)member->path.len, member->path.at);
            return;
        }
        first = member;
    }
    if (first && reasons->count > first->world_size) {
        begin_reason(reasons);
        buf_printf(&reasons->text, "they are more than the world size, %lld", (long long)first->world_size);
    }
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

static void compare_ranks(struct reasons *reasons)
{
    struct arena scratch = {0};
    uint32_t known;
    const struct keyed *ranks = by_rank(reasons->members, reasons->count, true, &known, &scratch);
    for (uint32_t i = 1; i < known; i++) {
        if (ranks[i].key != ranks[i - 1].key)
            continue;
        const str one = reasons->members[ranks[i - 1].row].path, other = reasons->members[ranks[i].row].path;
        begin_reason(reasons);
        buf_printf(&reasons->text, "%.*s and %.*s both record rank %lld", (int)one.len, one.at, (int)other.len,
                   other.at, (long long)ranks[i].key);
        break;
    }
    arena_free(&scratch);
}

static void check_ranks(struct reasons *reasons)
{
    for (uint32_t i = 0; i < reasons->count; i++) {
        const struct job_member *member = &reasons->members[i];
        if (!member->recorded || member->world_size < 1 || member->rank < member->world_size)
            continue;
        begin_reason(reasons);
        buf_printf(&reasons->text, "%.*s records rank %lld in a world of %lld", (int)member->path.len, member->path.at,
                   (long long)member->rank, (long long)member->world_size);
        return;
    }
}

static void compare_times(struct reasons *reasons)
{
    const struct job_member *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < reasons->count; i++) {
        const struct job_member *member = &reasons->members[i];
        if (!member->begin_ns)
            continue;
        first = !first || member->begin_ns < first->begin_ns ? member : first;
        last = !last || member->begin_ns > last->begin_ns ? member : last;
    }
    const int64_t days = first ? (last->begin_ns - first->begin_ns) / DAY_NS : 0;
    if (!days)
        return;
    begin_reason(reasons);
    buf_printf(&reasons->text, "%.*s began %lld day%s before %.*s", (int)first->path.len, first->path.at,
               (long long)days, days == 1 ? "" : "s", (int)last->path.len, last->path.at);
}

str job_contradiction(const struct job_member *members, uint32_t count, struct arena *arena)
{
    struct reasons reasons = {members, count, {0}};
    compare_worlds(&reasons);
    check_ranks(&reasons);
    compare_ranks(&reasons);
    compare_texts(&reasons, "devices", device_text);
    compare_texts(&reasons, "versions of PyTorch", torch_text);
    compare_times(&reasons);
    const str why = reasons.text.len ? str_printf(arena, "these %u files are not ranks of one job: %.*s", count,
                                                  (int)reasons.text.len, reasons.text.at)
                                     : S("");
    buf_free(&reasons.text);
    return why;
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
    if (!missing->ranks)
        return S("");
    if (world > 0)
        return str_printf(arena, "of the job's %lld ranks %lld %s missing: %.*s", (long long)world,
                          (long long)missing->ranks, missing->ranks == 1 ? "is" : "are", len, missing->text.at);
    return str_printf(arena, "ranks %lld to %lld but no %.*s", (long long)ranks[0].key, (long long)ranks[known - 1].key,
                      len, missing->text.at);
}

/* A file that says no rank may be any of those that seem missing. */
str job_missing(const struct job_member *members, uint32_t count, struct arena *arena)
{
    struct arena scratch = {0};
    uint32_t known;
    const struct keyed *ranks = by_rank(members, count, false, &known, &scratch);
    const int64_t world = world_of(members, count);
    str said = S("");
    if (known == count && count > 1 && !job_contradiction(members, count, &scratch).len) {
        struct missing missing = world > 0 ? missing_of(ranks, known, 0, world)
                                           : missing_of(ranks, known, ranks[0].key, ranks[known - 1].key);
        said = say_missing(&missing, ranks, known, world, arena);
        buf_free(&missing.text);
    }
    arena_free(&scratch);
    return said;
}
