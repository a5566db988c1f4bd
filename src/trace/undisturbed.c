/* SPDX-License-Identifier: Apache-2.0 */
#include "undisturbed.h"

#include "base/hash.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stat.h"

enum { FEWEST_STEPS = 3 }; /* that a stretch must be in for its median to say anything */

/* From one moment to the next, within a step. */
struct stretch {
    int64_t start_ns, length_ns, over_ns; /* over_ns: longer than its median, where that is no matter of chance */
    int64_t key;                          /* the same in each step */
    uint32_t step;
    bool is_long;
    double wait_ns;
};

struct stretches {
    struct stretch *at;
    size_t count;
};

/* ---- moments ---- */

/* key: when; row: twice the event, and 1 at its end. */
static void add_moments(const struct trace *trace, struct rows rows, enum event_kind kind, struct keyed *moments,
                        size_t *count)
{
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->kind[row] != kind || row > UINT32_MAX / 2)
            continue;
        moments[(*count)++] = (struct keyed){trace->start_ns[row], 2 * row};
        moments[(*count)++] = (struct keyed){trace_end_ns(trace, row), 2 * row + 1};
    }
}

/* Both ends of all operators of the thread, and of its frames. */
static struct keyed *moments_of(const struct trace *trace, const struct undisturbed_of *of, struct arena *arena,
                                size_t *count)
{
    const struct rows calls = trace_rows(trace, of->lane, NEST_CALLS);
    const struct rows frames = of->with_frames ? trace_rows(trace, of->lane, NEST_PYTHON) : (struct rows){NULL, 0};
    struct keyed *const moments = arena_array(arena, 2 * ((size_t)calls.count + frames.count), sizeof *moments);
    *count = 0;
    add_moments(trace, calls, EVENT_OPERATOR, moments, count);
    add_moments(trace, frames, EVENT_PYTHON, moments, count);
    sort_keyed(moments, *count);
    return moments;
}

static uint64_t mark_of(const struct trace *trace, const struct keyed *moment)
{
    return moment ? 2 + 2 * (uint64_t)trace->name[moment->row / 2] + (moment->row & 1) : 0;
}

static void add(struct stretches *list, const struct trace *trace, uint32_t step, const struct keyed *from,
                const struct keyed *to)
{
    const int64_t start = from ? from->key : trace->steps[step].start_ns;
    const int64_t end = to ? to->key : trace->steps[step].end_ns;
    const uint64_t key = hash_mix(hash_mix(mark_of(trace, from)) + mark_of(trace, to));
    list->at[list->count++] =
        (struct stretch){.start_ns = start, .length_ns = end - start, .key = (int64_t)key, .step = step};
}

static struct stretches stretches_of(const struct trace *trace, const struct undisturbed_of *of, struct arena *arena)
{
    size_t count, at = 0;
    const struct keyed *const moments = moments_of(trace, of, arena, &count);
    struct stretches list = {.at = arena_array(arena, count + trace->step_count, sizeof *list.at)};
    for (uint32_t step = 0; step < trace->step_count; step++) {
        const struct keyed *from = NULL;
        for (; at < count && moments[at].key < trace->steps[step].start_ns; at++) {
        }
        for (; at < count && moments[at].key < trace->steps[step].end_ns; from = &moments[at++])
            add(&list, trace, step, from, &moments[at]);
        add(&list, trace, step, from, NULL);
    }
    return list;
}

/* ---- what they take undisturbed ---- */

static struct keyed *by_key(const struct stretches *list, struct arena *arena)
{
    struct keyed *const order = arena_array(arena, list->count, sizeof *order);
    for (size_t i = 0; i < list->count; i++)
        order[i] = (struct keyed){list->at[i].key, (uint32_t)i};
    sort_keyed(order, list->count);
    return order;
}

static size_t run_of(const struct keyed *order, size_t count)
{
    size_t run = 1;
    while (run < count && order[run].key == order[0].key)
        run++;
    return run;
}

/* The second of its name in a step is another than the first. */
static void number(struct stretches *list, struct arena *arena)
{
    const struct keyed *const order = by_key(list, arena);
    uint32_t before = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct stretch *const stretch = &list->at[order[i].row];
        const bool again = i && order[i].key == order[i - 1].key && stretch->step == list->at[order[i - 1].row].step;
        before = again ? before + 1 : 0;
        stretch->key = (int64_t)hash_mix((uint64_t)order[i].key + before);
    }
}

static void compare(struct stretches *list, struct arena *arena)
{
    const struct keyed *const order = by_key(list, arena);
    int64_t *const lengths = arena_array(arena, list->count, sizeof *lengths);
    for (size_t i = 0, run; i < list->count; i += run) {
        run = run_of(order + i, list->count - i);
        for (size_t k = 0; k < run; k++)
            lengths[k] = list->at[order[i + k].row].length_ns;
        sort_values(lengths, run);
        const int64_t usual = (int64_t)stat_quantile(lengths, run, 0.5);
        for (size_t k = 0; k < run; k++) {
            struct stretch *const stretch = &list->at[order[i + k].row];
            stretch->is_long = usual >= LONG_STRETCH_NS;
            if (run >= FEWEST_STEPS && !stretch->is_long && stretch->length_ns - usual >= INTERRUPTED_NS)
                stretch->over_ns = stretch->length_ns - usual;
        }
    }
}

/* ---- waits ---- */

/* So much of the waits as there is room for, a part of each that is as large for all. */
static double share_out(struct stretch *at, size_t count, bool among_long, double waited_ns)
{
    double room = 0;
    for (size_t i = 0; i < count; i++)
        if (!among_long || at[i].is_long)
            room += (double)at[i].length_ns - at[i].wait_ns;
    const double taken = waited_ns < room ? waited_ns : room, part = room > 0 ? taken / room : 0;
    for (size_t i = 0; i < count; i++)
        if (!among_long || at[i].is_long)
            at[i].wait_ns += part * ((double)at[i].length_ns - at[i].wait_ns);
    return waited_ns - taken;
}

/* Long stretches are not all wait where the others are not: at most half of what lies between that and an even part. */
static double most_of_long(const struct stretch *at, size_t count, double rest_ns)
{
    double length = 0, of_long = 0;
    for (size_t i = 0; i < count; i++) {
        length += (double)at[i].length_ns;
        of_long += at[i].is_long ? (double)at[i].length_ns : 0;
    }
    const double most = length > 0 ? of_long * (1 + rest_ns / length) / 2 : 0;
    return rest_ns < most ? rest_ns : most;
}

static void place_waits(struct stretch *at, size_t count, double waited_ns)
{
    double over = 0;
    for (size_t i = 0; i < count; i++)
        over += (double)at[i].over_ns;
    const double part = over > waited_ns ? waited_ns / over : 1;
    for (size_t i = 0; i < count; i++)
        at[i].wait_ns = part * (double)at[i].over_ns;
    double rest = waited_ns - part * over;
    if (!(rest > 0))
        return;
    const double to_long = most_of_long(at, count, rest);
    rest -= to_long;
    rest += share_out(at, count, true, to_long);
    share_out(at, count, false, rest);
}

static struct undisturbed map_of(const struct stretches *list, struct arena *arena)
{
    int64_t *const at = arena_array(arena, 2 * list->count, sizeof *at);
    double *const own_ns = arena_array(arena, 2 * list->count, sizeof *own_ns);
    uint32_t count = 0;
    double own = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct stretch *const stretch = &list->at[i];
        if (!count || at[count - 1] != stretch->start_ns) { /* between steps, if anything lies there */
            own += count ? (double)(stretch->start_ns - at[count - 1]) : 0;
            at[count] = stretch->start_ns;
            own_ns[count++] = own;
        }
        own += (double)stretch->length_ns - stretch->wait_ns;
        at[count] = stretch->start_ns + stretch->length_ns;
        own_ns[count++] = own;
    }
    return (struct undisturbed){at, own_ns, count};
}

static void place_plain_waits(struct stretches *list)
{
    for (size_t i = 0; i < list->count; i++)
        list->at[i].wait_ns = (double)list->at[i].over_ns;
}

static void place_known_waits(struct stretches *list, const int64_t *waited_ns)
{
    for (size_t i = 0, run; i < list->count; i += run) {
        for (run = 1; i + run < list->count && list->at[i + run].step == list->at[i].step; run++) {
        }
        place_waits(list->at + i, run, (double)waited_ns[list->at[i].step]);
    }
}

struct undisturbed undisturbed_of(const struct trace *trace, const struct undisturbed_of *of, struct arena *arena)
{
    struct arena scratch = {0};
    struct stretches list = stretches_of(trace, of, &scratch);
    number(&list, &scratch);
    compare(&list, &scratch);
    if (of->waited_ns)
        place_known_waits(&list, of->waited_ns);
    else
        place_plain_waits(&list);
    const struct undisturbed map = map_of(&list, arena);
    arena_free(&scratch);
    return map;
}

/* ---- looked up ---- */

static double up_to(const struct undisturbed *map, int64_t time_ns)
{
    const size_t low = search_after(map->at, map->count, sizeof *map->at, 0, time_ns); /* the first behind the time */
    if (low == 0)
        return map->own_ns[0] - (double)(map->at[0] - time_ns);
    if (low == map->count)
        return map->own_ns[low - 1] + (double)(time_ns - map->at[low - 1]);
    const double part = (double)(time_ns - map->at[low - 1]) / (double)(map->at[low] - map->at[low - 1]);
    return map->own_ns[low - 1] + part * (map->own_ns[low] - map->own_ns[low - 1]);
}

double undisturbed_time(const struct undisturbed *map, int64_t time_ns)
{
    return map->count ? up_to(map, time_ns) : (double)time_ns;
}

double undisturbed_between(const struct undisturbed *map, int64_t start_ns, int64_t end_ns)
{
    return map->count ? up_to(map, end_ns) - up_to(map, start_ns) : (double)(end_ns - start_ns);
}
