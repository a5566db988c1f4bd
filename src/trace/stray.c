/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that cannot belong to the recording are set aside, with notes, as if the reader had dropped them:
 *
 * - times: a time of 0 among times since 1970, a device that counts from its own start, lengths that add up to
 *   centuries. One of them would stretch the trace over decades, and sums over it would leave 64 bits. What stands
 *   around the median start is the recording.
 * - places: device work that says it ran on device -1, where other work names its device. It would make a device of its
 *   own. Where no work names one, -1 stands for the only device there is.
 */
#include "base/format.h"
#include "base/mem.h"
#include "base/sort.h"
#include "private.h"

enum { TOLD_BY_NAME = 5 };

/* Where events may lie and how long they may be, in recorded time. */
struct bounds {
    int64_t first_ns, last_ns, longest_ns;
};

static bool within(const struct bounds *bounds, int64_t start_ns, int64_t dur_ns)
{
    return start_ns >= bounds->first_ns && start_ns + dur_ns <= bounds->last_ns && dur_ns <= bounds->longest_ns;
}

/* ---- is there anything to do? ---- */

static int64_t most_span_ns(const struct trace *t)
{
    const int64_t a_lane = TRACE_MOST_SUM_NS / ((int64_t)t->lane_count + 1);
    return a_lane < TRACE_MOST_NS ? a_lane : TRACE_MOST_NS;
}

/* The promise of trace.h. */
static bool is_sound(const struct trace *t)
{
    const struct trace_private *p = t->private;
    int64_t first = INT64_MAX, last = INT64_MIN, sum = 0;
    bool fits = true;
    for (uint32_t row = 0; row < t->count; row++) {
        const int64_t end = p->start_ns[row] + p->dur_ns[row];
        first = p->start_ns[row] < first ? p->start_ns[row] : first;
        last = end > last ? end : last;
        fits &= !__builtin_add_overflow(sum, p->dur_ns[row], &sum);
    }
    return !t->count || (fits && sum <= TRACE_MOST_SUM_NS && last - first <= most_span_ns(t));
}

/* ---- which events ---- */

static int64_t median_start_ns(const struct trace *t)
{
    struct keyed *starts = mem_alloc(t->count * sizeof *starts);
    for (uint32_t row = 0; row < t->count; row++)
        starts[row] = (struct keyed){t->private->start_ns[row], row};
    sort_keyed(starts, t->count);
    const int64_t median = starts[t->count / 2].key;
    mem_free(starts);
    return median;
}

/* The durations of events within the bounds fit the sum; else none may be longer than its share of it. */
static void bound_durations(const struct trace *t, struct bounds *bounds)
{
    const struct trace_private *p = t->private;
    int64_t sum = 0;
    for (uint32_t row = 0; row < t->count && sum <= TRACE_MOST_SUM_NS; row++)
        sum += within(bounds, p->start_ns[row], p->dur_ns[row]) ? p->dur_ns[row] : 0;
    if (sum > TRACE_MOST_SUM_NS)
        bounds->longest_ns = TRACE_MOST_SUM_NS / t->count;
}

static struct bounds bounds_of(const struct trace *t)
{
    const int64_t median = median_start_ns(t), half = most_span_ns(t) / 2;
    struct bounds bounds = {median - half, median + half, TRACE_MOST_NS};
    bound_durations(t, &bounds);
    return bounds;
}

/* ---- telling ---- */

static void put_length(char *room, size_t bytes, int64_t ns)
{
    const double days = (double)ns / 86400e9, hours = days * 24;
    if (days >= 365.25)
        format_text(room, bytes, "%.1f years", days / 365.25);
    else
        format_text(room, bytes, "%.1f %s", days >= 1 ? days : hours, days >= 1 ? "days" : "hours");
}

/* "begins 53.9 years before the other events". */
static void put_stray_time(char *room, size_t bytes, const struct bounds *bounds, int64_t start_ns, int64_t dur_ns)
{
    const int64_t middle = bounds->first_ns + (bounds->last_ns - bounds->first_ns) / 2, away = start_ns - middle;
    char length[40];
    if (start_ns >= bounds->first_ns && start_ns <= bounds->last_ns) {
        put_length(length, sizeof length, dur_ns);
        format_text(room, bytes, "lasts %s, too long for sums over all events", length);
    } else {
        put_length(length, sizeof length, away < 0 ? -away : away);
        format_text(room, bytes, "begins %s %s the other events", length, away < 0 ? "before" : "after");
    }
}

/* The first few by name, the others as a number. */
static void tell(struct trace *t, uint32_t row, uint32_t told, const char *why)
{
    const str name = trace_text(t, t->private->name[row]);
    if (told < TOLD_BY_NAME)
        trace_note(t, NOTE_DROPPED, -1, "event set aside: '%.*s' %s", (int)(name.len < 200 ? name.len : 200), name.at,
                   why);
    else
        t->dropped++;
}

static void tell_others(struct trace *t, uint32_t told)
{
    if (told > TOLD_BY_NAME)
        trace_note(t, NOTE_REMARK, -1, "%u more events set aside for the same reasons", told - TOLD_BY_NAME);
}

/* ---- taking out ---- */

static void move_row(struct trace_private *p, uint32_t to, uint32_t from)
{
    p->start_ns[to] = p->start_ns[from];
    p->dur_ns[to] = p->dur_ns[from];
    p->name[to] = p->name[from];
    p->lane[to] = p->lane[from];
    p->kind[to] = p->kind[from];
}

static void keep(struct trace *t, const bool *kept)
{
    struct trace_private *p = t->private;
    const uint32_t count = t->count;
    for (int a = 0; a < ATTRS; a++)
        sparse_keep(&p->attr[a], kept);
    t->count = 0;
    for (uint32_t row = 0; row < count; row++) {
        t->kinds[p->kind[row]] -= !kept[row];
        if (kept[row])
            move_row(p, t->count++, row);
    }
}

/* ---- places ---- */

static bool is_placed_work(const struct trace *t, uint32_t row, bool placed)
{
    return event_is_device_work(t->private->kind[row]) &&
           (t->private->lanes[t->private->lane[row]].process >= 0) == placed;
}

/* Some device work names its device, other work none. */
static bool has_placeless_work(const struct trace *t)
{
    bool placed = false, placeless = false;
    for (uint32_t lane = 0; lane < t->lane_count; lane++)
        placeless |= t->private->lanes[lane].device && t->private->lanes[lane].process < 0;
    for (uint32_t row = 0; placeless && !placed && row < t->count; row++)
        placed = is_placed_work(t, row, true);
    return placeless && placed;
}

void trace_set_strays_aside(struct trace *t)
{
    const bool placeless = has_placeless_work(t);
    if (is_sound(t) && !placeless)
        return;
    const struct bounds bounds = bounds_of(t);
    bool *const kept = mem_alloc(t->count * sizeof *kept);
    uint32_t aside = 0;
    for (uint32_t row = 0; row < t->count; row++) {
        const int64_t start_ns = t->private->start_ns[row], dur_ns = t->private->dur_ns[row];
        char why[120] = "names no device, unlike other work";
        const bool stray = !within(&bounds, start_ns, dur_ns);
        if (stray)
            put_stray_time(why, sizeof why, &bounds, start_ns, dur_ns);
        kept[row] = !stray && !(placeless && is_placed_work(t, row, false));
        if (!kept[row])
            tell(t, row, aside++, why);
    }
    tell_others(t, aside);
    keep(t, kept);
    mem_free(kept);
}
