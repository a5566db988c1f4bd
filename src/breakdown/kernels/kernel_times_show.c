/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/sum.h"
#include "kernel_times.h"
#include "ops/rows/kernel_title.h"

/* A kernel of several ranks. */
struct compared {
    str name;
    uint32_t ranks, slowest; /* that have it among their largest; index of that with the largest mean */
    uint64_t launches;
    double typical_ns, slowest_ns; /* the lower median of the ranks' means; the largest */
    int64_t least_ns, most_ns;
    double p50_ns, p99_ns, slowest_p50_ns, slowest_p99_ns;
};

struct comparing {
    const struct kernel_times_rank *ranks;
    uint32_t count;
    struct compared at[KERNEL_TIMES_MOST];
    uint32_t kernels;
};

/* ---- which ---- */

static int64_t *totals_of(const struct comparing *c, struct intern *names, struct arena *scratch)
{
    int64_t *total_ns = arena_array(scratch, (size_t)c->count * KERNEL_TIMES_MOST + 1, sizeof *total_ns);
    for (uint32_t r = 0; r < c->count; r++)
        for (uint32_t i = 0; i < c->ranks[r].times->count; i++) {
            const struct kernel_time *time = &c->ranks[r].times->at[i];
            sum_to(&total_ns[intern_id(names, time->name)], time->total_ns);
        }
    return total_ns;
}

static const struct kernel_time *time_of(const struct kernel_times *times, str name)
{
    for (uint32_t i = 0; i < times->count; i++)
        if (str_eq(times->at[i].name, name))
            return &times->at[i];
    return NULL;
}

/* ---- one kernel, of a rank or more ---- */

static double mean_of(const struct kernel_time *time)
{
    return (double)time->total_ns / (double)time->count;
}

static double quantile_of(const struct kernel_time *within, const uint64_t bins[LOG_BINS], double q)
{
    const double value = log_bins_quantile(bins, q);
    return fmin(fmax(value, (double)within->least_ns), (double)within->most_ns);
}

static void measure_slowest(const struct kernel_time *time, struct compared *out)
{
    uint64_t bins[LOG_BINS] = {0};
    log_bins_add(&time->bins, bins);
    out->slowest_p50_ns = quantile_of(time, bins, 0.5);
    out->slowest_p99_ns = quantile_of(time, bins, 0.99);
}

static void add_rank(const struct kernel_time *time, uint64_t bins[LOG_BINS], struct kernel_time *all)
{
    all->least_ns = all->count ? smaller_of(all->least_ns, time->least_ns) : time->least_ns;
    all->most_ns = larger_of(all->most_ns, time->most_ns);
    all->count += time->count;
    log_bins_add(&time->bins, bins);
}

static struct compared compare(const struct comparing *c, str name, struct arena *scratch)
{
    struct compared out = {.name = name};
    struct kernel_time all = {0};
    uint64_t bins[LOG_BINS] = {0};
    double *means = arena_array(scratch, c->count, sizeof *means);
    const struct kernel_time *slowest = NULL;
    for (uint32_t r = 0; r < c->count; r++) {
        const struct kernel_time *time = time_of(c->ranks[r].times, name);
        if (!time)
            continue;
        add_rank(time, bins, &all);
        means[out.ranks++] = mean_of(time);
        if (mean_of(time) > out.slowest_ns || out.ranks == 1) {
            out.slowest = r;
            out.slowest_ns = mean_of(time);
            slowest = time;
        }
    }
    measure_slowest(slowest, &out);
    qsort(means, out.ranks, sizeof *means, ascending_reals);
    out.typical_ns = out.ranks ? means[(out.ranks - 1) / 2] : 0;
    out.launches = all.count;
    out.least_ns = all.least_ns;
    out.most_ns = all.most_ns;
    out.p50_ns = quantile_of(&all, bins, 0.5);
    out.p99_ns = quantile_of(&all, bins, 0.99);
    return out;
}

/* Those that take most over all ranks; what one rank alone has is not compared. */
static void compare_all(struct comparing *c)
{
    struct arena scratch = {0};
    struct intern *names = intern_new();
    const int64_t *total_ns = totals_of(c, names, &scratch);
    const uint32_t count = intern_count(names);
    struct keyed *order = arena_array(&scratch, count, sizeof *order);
    for (uint32_t name = 0; name < count; name++)
        order[name] = (struct keyed){-total_ns[name], name};
    sort_keyed(order, count);
    for (uint32_t i = 0; i < count && c->kernels < KERNEL_TIMES_MOST && order[i].key < 0; i++) {
        const struct compared one = compare(c, intern_text(names, order[i].row), &scratch);
        if (one.ranks > 1)
            c->at[c->kernels++] = one;
    }
    for (uint32_t i = 0; i < c->kernels; i++) /* the names go */
        c->at[i].name = time_of(c->ranks[c->at[i].slowest].times, c->at[i].name)->name;
    intern_free(names);
    arena_free(&scratch);
}

/* ---- a slow rank ---- */

static const double slower = 1.05; /* than the typical rank, to be called slow */

enum { NO_RANK = UINT32_MAX };

/* A rank that is slowest in all of them is slow by itself: its device, or it was given more to do. */
static uint32_t slow_in_all(const struct comparing *c, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint32_t i = 0; i < c->kernels; i++) {
        const double ratio = c->at[i].slowest_ns / c->at[i].typical_ns;
        if (c->at[i].slowest != c->at[0].slowest || !(ratio >= slower))
            return NO_RANK;
        *least = fmin(*least, ratio);
        *most = fmax(*most, ratio);
    }
    return c->kernels > 1 ? c->at[0].slowest : NO_RANK;
}

static void say_slow(const struct comparing *c, struct section *section, struct arena *arena)
{
    double least, most;
    const uint32_t slow = slow_in_all(c, &least, &most);
    section_value(section, "slow_rank", "rank on which all of them take longest", UNIT_NONE,
                  slow == NO_RANK ? cell_null() : cell_int(c->ranks[slow].rank));
    if (slow != NO_RANK)
        section_text(
            section,
            str_printf(arena,
                       "All %u take longest on rank %lld, %.2f to %.2f times as long as on the typical rank: not "
                       "one kernel is slow there but its device, or it has more to do.",
                       c->kernels, (long long)c->ranks[slow].rank, least, most));
}

/* ---- the table ---- */

static const struct column_spec columns[] = {
    {"title", "kernel", UNIT_NONE, COLUMN_WIDE, "the name as a person would say it"},
    {"name", "recorded name", UNIT_NONE, COLUMN_DETAIL, "the name as recorded"},
    {"ranks", "ranks", UNIT_COUNT, COLUMN_DETAIL, "ranks of whose eight largest compute kernels it is one"},
    {"launches", "launches", UNIT_COUNT, COLUMN_DETAIL, "launches of it on these ranks"},
    {"typical_mean_ns", "typical rank", UNIT_NS, COLUMN_PLAIN, "lower median of these ranks' mean durations"},
    {"slowest_rank", "slowest rank", UNIT_NONE, COLUMN_PLAIN, "the rank with the largest mean duration"},
    {"slowest_mean_ns", "its mean", UNIT_NS, COLUMN_PLAIN, "mean duration on the slowest rank"},
    {"slowest_over_typical", "over typical", UNIT_NONE, COLUMN_PLAIN, "slowest_mean_ns / typical_mean_ns"},
    {"p50_ns", "median", UNIT_NS, COLUMN_PLAIN, "median duration on all these ranks, from eight bins an octave"},
    {"p99_ns", "99 %", UNIT_NS, COLUMN_PLAIN, "99th percentile of the same"},
    {"slowest_p50_ns", "its median", UNIT_NS, COLUMN_DETAIL, "median duration on the slowest rank, from the same bins"},
    {"slowest_p99_ns", "its 99 %", UNIT_NS, COLUMN_DETAIL, "99th percentile of the same"},
    {"min_ns", "shortest", UNIT_NS, COLUMN_DETAIL, "shortest duration on all these ranks"},
    {"max_ns", "longest", UNIT_NS, COLUMN_DETAIL, "longest duration on all these ranks"},
    {0},
};

static void put(const struct comparing *c, const struct compared *kernel, struct table *table, struct arena *arena)
{
    table_row(table);
    table_text(table, kernel_title(kernel->name, arena));
    table_text(table, str_copy(arena, kernel->name));
    table_int(table, kernel->ranks);
    table_int(table, (int64_t)kernel->launches);
    table_real(table, kernel->typical_ns);
    table_int(table, c->ranks[kernel->slowest].rank);
    table_real(table, kernel->slowest_ns);
    table_real(table, kernel->slowest_ns / kernel->typical_ns);
    table_real(table, kernel->p50_ns);
    table_real(table, kernel->p99_ns);
    table_real(table, kernel->slowest_p50_ns);
    table_real(table, kernel->slowest_p99_ns);
    table_int(table, kernel->least_ns);
    table_int(table, kernel->most_ns);
}

void kernel_times_show(const struct kernel_times_rank *ranks, uint32_t count, struct report *report)
{
    struct comparing c = {.ranks = ranks, .count = count};
    struct arena *arena = report_arena(report);
    compare_all(&c);
    if (!c.kernels)
        return;
    struct section *section = report_section(report, "kernels", "The largest kernels, rank against rank");
    say_slow(&c, section, arena);
    struct table *table = section_table(section, "kernels_of_ranks", "");
    table_columns(table, columns);
    for (uint32_t i = 0; i < c.kernels; i++)
        put(&c, &c.at[i], table, arena);
}
