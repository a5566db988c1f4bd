/* SPDX-License-Identifier: Apache-2.0 */
#include "overheads.h"

#include <math.h>
#include <stdlib.h>

#include "overheads_private.h"
#include "base/sort.h"

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

static double net_ns(const struct sample *sample, double event_ns)
{
    return (double)sample->ns - (double)sample->events * event_ns;
}

/* As stat_quantile, of doubles. */
static double quantile(const double *sorted, size_t count, double q)
{
    const double h = q * (double)(count - 1);
    const size_t low = (size_t)h;
    if (low + 1 >= count)
        return sorted[count - 1];
    return sorted[low] + (h - (double)low) * (sorted[low + 1] - sorted[low]);
}

/* They are in order already where all have as many events. */
static void put_in_order(double *net, size_t count, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, count, sizeof *order);
    double *from = arena_array(scratch, count, sizeof *from);
    for (size_t i = 0; i < count; i++) {
        from[i] = net[i] + 0.0; /* no negative zero */
        memcpy(&order[i].key, &from[i], sizeof from[i]);
        order[i].key ^= order[i].key < 0 ? INT64_MAX : 0; /* as integers in the order of the reals */
        order[i].row = (uint32_t)i;
    }
    sort_keyed(order, count);
    for (size_t i = 0; i < count; i++)
        net[i] = from[order[i].row];
}

struct fence fence_of(const struct sample *samples, size_t count, double event_ns)
{
    struct arena scratch = {0};
    double *net = arena_array(&scratch, count, sizeof *net);
    bool ordered = true;
    for (size_t i = 0; i < count; i++) {
        net[i] = net_ns(&samples[i], event_ns);
        ordered = ordered && (!i || net[i - 1] <= net[i]);
    }
    if (!ordered)
        put_in_order(net, count, &scratch);
    const double lower = quantile(net, count, 0.25), upper = quantile(net, count, 0.75);
    arena_free(&scratch);
    return (struct fence){lower - 1.5 * (upper - lower), upper + 1.5 * (upper - lower)};
}

void sums_add(struct overhead_sums *sums, const struct sample *sample, struct fence fence, double event_ns, int sign)
{
    const double net = net_ns(sample, event_ns);
    const double seen = sample->ns > 0 ? (double)sample->ns : 0, own = net > 0 ? net : 0;
    const bool outlier = net < fence.low || net > fence.high, wait = outlier && net > 0 && sample->full;
    sums->whole += wait ? 0 : sign * seen;
    sums->waits += sign * wait;
    sums->count += sign;
    if (outlier)
        return;
    sums->sum += sign * own;
    sums->squares += sign * own * own;
    sums->recorded += sign * seen;
    sums->kept += sign;
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

static struct overhead overhead_of(const struct sample *samples, size_t count, double event_ns)
{
    const struct fence fence = fence_of(samples, count, event_ns);
    struct overhead_sums sums = {0};
    for (size_t i = 0; i < count; i++)
        sums_add(&sums, &samples[i], fence, event_ns, 1);
    return overhead_of_sums(&sums, samples[(count - 1) / 2].ns);
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

const struct overheads *overheads_of(const struct overhead_samples *samples, struct arena *arena)
{
    struct arena scratch = {0};
    const struct samples_dealt dealt = overhead_samples_by_key(samples, &scratch);
    struct overheads *overheads = arena_alloc(arena, sizeof *overheads);
    const double event_ns = profiler_cost_ns(samples, &dealt);
    overheads->profiler_us = event_ns / 1e3;
    overheads->rows = arena_array(arena, samples->key_count, sizeof *overheads->rows);
    for (uint32_t key = 0; key < samples->key_count; key++) {
        const uint32_t kind = overhead_row_kind(samples->keys[key].kind);
        if (kind >= OVERHEADS)
            continue;
        overheads->rows[overheads->count++] = (struct overhead_row){
            .kind = (enum overhead_kind)kind,
            .name = samples_name(samples, &samples->keys[key], arena),
            .overhead = overhead_of(dealt.at + dealt.from[key], dealt.from[key + 1] - dealt.from[key], event_ns),
        };
    }
    overheads_finish(overheads);
    arena_free(&scratch);
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
