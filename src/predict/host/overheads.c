/* SPDX-License-Identifier: Apache-2.0 */
#include "overheads.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "overheads_private.h"
#include "sample_pool.h"

str overhead_word(enum overhead_kind kind)
{
    static const char *const words[OVERHEADS] = {
        [OVERHEAD_T1] = "t1", [OVERHEAD_T2] = "t2",       [OVERHEAD_T3] = "t3",   [OVERHEAD_T4] = "t4",
        [OVERHEAD_T5] = "t5", [OVERHEAD_START] = "start", [OVERHEAD_GAP] = "gap", [OVERHEAD_RETURN] = "return",
    };
    return kind < OVERHEADS ? str_of(words[kind]) : S("?");
}

str overhead_pair(str before, str name, struct arena *arena)
{
    static const char between[] = " > ";
    const size_t gap = sizeof between - 1;
    char *text = arena_array(arena, before.len + gap + name.len + 1, 1);
    if (before.len)
        memcpy(text, before.at, before.len);
    memcpy(text + before.len, between, gap);
    if (name.len)
        memcpy(text + before.len + gap, name.at, name.len);
    return (str){text, before.len + gap + name.len};
}

/* ---- one row of samples ---- */

static double net_ns(const struct sample_run *run, double event_ns)
{
    return (double)run->ns - (double)run->events * event_ns;
}

/* A run without the profiler's cost. */
struct net {
    double ns;
    uint32_t count;
};

static double net_at(const struct net *sorted, size_t place)
{
    while (place >= sorted->count)
        place -= sorted++->count;
    return sorted->ns;
}

/* As stat_quantile, of doubles; count: of the samples. */
static double quantile(const struct net *sorted, size_t count, double q)
{
    const double h = q * (double)(count - 1);
    const size_t low = (size_t)h;
    if (low + 1 >= count)
        return net_at(sorted, count - 1);
    const double below = net_at(sorted, low);
    return below + (h - (double)low) * (net_at(sorted, low + 1) - below);
}

/* They are in order already where all have as many events. */
static void put_in_order(struct net *net, size_t count, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, count, sizeof *order);
    struct net *from = arena_array(scratch, count, sizeof *from);
    for (size_t i = 0; i < count; i++) {
        from[i] = net[i];
        from[i].ns += 0.0; /* no negative zero */
        memcpy(&order[i].key, &from[i].ns, sizeof from[i].ns);
        order[i].key ^= order[i].key < 0 ? INT64_MAX : 0; /* as integers in the order of the reals */
        order[i].row = (uint32_t)i;
    }
    sort_keyed(order, count);
    for (size_t i = 0; i < count; i++)
        net[i] = from[order[i].row];
}

static size_t count_of(const struct sample_runs *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        count += runs->at[i].count;
    return count;
}

struct fence fence_of(const struct sample_runs *runs, double event_ns)
{
    struct arena scratch = {0};
    struct net *net = arena_array(&scratch, runs->count, sizeof *net);
    const size_t count = count_of(runs);
    bool ordered = true;
    for (size_t i = 0; i < runs->count; i++) {
        net[i] = (struct net){net_ns(&runs->at[i], event_ns), runs->at[i].count};
        ordered = ordered && (!i || net[i - 1].ns <= net[i].ns);
    }
    if (!ordered)
        put_in_order(net, runs->count, &scratch);
    const double lower = quantile(net, count, 0.25), upper = quantile(net, count, 0.75);
    arena_free(&scratch);
    return (struct fence){lower - 1.5 * (upper - lower), upper + 1.5 * (upper - lower)};
}

void sums_add(struct overhead_sums *sums, const struct sample_run *run, struct fence fence, double event_ns, int sign)
{
    const double net = net_ns(run, event_ns);
    const double seen = run->ns > 0 ? (double)run->ns : 0, own = net > 0 ? net : 0;
    const bool outlier = net < fence.low || net > fence.high, wait = outlier && net > 0 && run->full;
    const int64_t count = sign * (int64_t)run->count;
    sums->whole += wait ? 0 : (double)count * seen;
    sums->waits += wait ? count : 0;
    sums->count += count;
    if (outlier)
        return;
    sums->sum += (double)count * own;
    sums->squares += (double)count * own * own;
    sums->recorded += (double)count * seen;
    sums->kept += count;
}

struct overhead overhead_of_sums(const struct overhead_sums *sums, int64_t median_ns)
{
    const double mean = sums->kept > 0 ? sums->sum / (double)sums->kept : 0;
    const double variance = sums->kept > 0 ? sums->squares / (double)sums->kept - mean * mean : 0;
    const int64_t seen = sums->count - sums->waits;
    return (struct overhead){
        .mean_us = mean / 1e3,
        .sd_us = sqrt(variance > 0 ? variance : 0) / 1e3,
        .profiler_us = sums->kept > 0 ? (sums->recorded / (double)sums->kept - mean) / 1e3 : 0,
        .whole_us = seen > 0 ? sums->whole / (double)seen / 1e3 : 0,
        .median_us = median_ns > 0 ? (double)median_ns / 1e3 : 0,
        .count = (uint64_t)sums->count,
    };
}

/* The lower median. */
static int64_t median_ns(const struct sample_runs *runs, size_t count)
{
    size_t place = (count - 1) / 2, i = 0;
    while (place >= runs->at[i].count)
        place -= runs->at[i++].count;
    return runs->at[i].ns;
}

static struct overhead overhead_of(const struct sample_runs *runs, double event_ns)
{
    const struct fence fence = fence_of(runs, event_ns);
    struct overhead_sums sums = {0};
    for (size_t i = 0; i < runs->count; i++)
        sums_add(&sums, &runs->at[i], fence, event_ns, 1);
    return overhead_of_sums(&sums, median_ns(runs, (size_t)sums.count));
}

/* ---- the table ---- */

uint32_t overhead_row_kind(uint32_t kind)
{
    return kind == SAMPLES_T1_SAME ? (uint32_t)OVERHEAD_T1 : kind;
}

static int by_kind_and_name(const void *a, const void *b)
{
    const struct overhead_row *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : str_cmp(x->name, y->name);
}

static void weigh(struct overhead *into, const struct overhead *row)
{
    const double have = (double)into->count, more = (double)row->count, all = have + more;
    const double mean = (into->mean_us * have + row->mean_us * more) / all;
    const double squares = (into->sd_us * into->sd_us + into->mean_us * into->mean_us) * have +
                           (row->sd_us * row->sd_us + row->mean_us * row->mean_us) * more;
    const double variance = squares / all - mean * mean;
    *into = (struct overhead){
        .mean_us = mean,
        .sd_us = sqrt(variance > 0 ? variance : 0),
        .profiler_us = (into->profiler_us * have + row->profiler_us * more) / all,
        .whole_us = (into->whole_us * have + row->whole_us * more) / all,
        .median_us = (into->median_us * have + row->median_us * more) / all,
        .count = into->count + row->count,
    };
}

void overheads_finish(struct overheads *overheads)
{
    qsort(overheads->rows, overheads->count, sizeof *overheads->rows, by_kind_and_name);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < overheads->count; i++) {
        struct overhead_row *row = &overheads->rows[i];
        if (kept && !by_kind_and_name(&overheads->rows[kept - 1], row))
            weigh(&overheads->rows[kept - 1].overhead, &row->overhead);
        else
            overheads->rows[kept++] = *row;
    }
    overheads->count = kept;
    memset(overheads->all, 0, sizeof overheads->all);
    for (uint32_t i = 0; i < kept; i++)
        if (overheads->rows[i].name.len)
            weigh(&overheads->all[overheads->rows[i].kind], &overheads->rows[i].overhead);
    for (uint32_t i = 0; i < kept; i++)
        if (!overheads->rows[i].name.len)
            overheads->all[overheads->rows[i].kind] = overheads->rows[i].overhead;
}

static const struct overheads *overheads_of_dealt(const struct samples_dealt *dealt, struct arena *arena)
{
    struct overheads *overheads = arena_alloc(arena, sizeof *overheads);
    const double event_ns = profiler_cost_ns(dealt);
    overheads->profiler_us = event_ns / 1e3;
    overheads->rows = arena_array(arena, dealt->keys->count, sizeof *overheads->rows);
    for (size_t key = 0; key < dealt->keys->count; key++) {
        const uint32_t kind = overhead_row_kind(dealt->keys->at[key].kind);
        if (kind >= OVERHEADS)
            continue;
        overheads->rows[overheads->count++] = (struct overhead_row){
            .kind = (enum overhead_kind)kind,
            .name = sample_keys_name(dealt->keys, key, arena),
            .overhead = overhead_of(&dealt->of[key], event_ns),
        };
    }
    overheads_finish(overheads);
    return overheads;
}

const struct overheads *overheads_of(const struct overhead_samples *samples, struct arena *arena)
{
    struct arena scratch = {0};
    const struct samples_dealt dealt = overhead_samples_by_key(samples, &scratch);
    const struct overheads *overheads = overheads_of_dealt(&dealt, arena);
    arena_free(&scratch);
    return overheads;
}

const struct overheads *overheads_of_pool(const struct overhead_pool *pool, struct arena *arena)
{
    struct arena scratch = {0};
    const struct samples_dealt dealt = overhead_pool_by_key(pool, &scratch);
    const struct overheads *overheads = overheads_of_dealt(&dealt, arena);
    arena_free(&scratch);
    return overheads;
}

const struct overheads *overheads_of_program(const struct program *program, struct arena *arena)
{
    struct overhead_samples *samples = overhead_samples_new();
    overhead_samples_add(samples, program);
    const struct overheads *overheads = overheads_of(samples, arena);
    overhead_samples_free(samples);
    return overheads;
}

/* ---- asking ---- */

struct overhead overheads_get(const struct overheads *overheads, enum overhead_kind kind, str name)
{
    if (!name.len)
        return overheads->all[kind];
    const struct overhead_row wanted = {.kind = kind, .name = name};
    const struct overhead_row *row = overheads->count ? bsearch(&wanted, overheads->rows, overheads->count,
                                                                sizeof *overheads->rows, by_kind_and_name)
                                                      : NULL;
    return row ? row->overhead : (struct overhead){0};
}

struct overhead overheads_after(const struct overheads *overheads, str before, str name)
{
    struct arena scratch = {0};
    const struct overhead found = overheads_get(overheads, OVERHEAD_T1, overhead_pair(before, name, &scratch));
    arena_free(&scratch);
    return found;
}

uint32_t overheads_count(const struct overheads *overheads)
{
    return overheads->count;
}

struct overhead_row overheads_at(const struct overheads *overheads, uint32_t i)
{
    return overheads->rows[i];
}

double overheads_profiler_us(const struct overheads *overheads)
{
    return overheads->profiler_us;
}

double overheads_event_us(const struct overheads *overheads)
{
    return overheads->event_us;
}
