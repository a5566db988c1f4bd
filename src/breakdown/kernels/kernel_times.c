/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_times.h"

#include "base/order.h"
#include "base/sort.h"
#include "base/sum.h"
#include "kernels_select.h"

enum { SMALL = UINT8_MAX }; /* none of the largest */

static bool counts(const struct picked *picked, const struct work_classes *classes, uint32_t row)
{
    return picked->trace->kind[row] == EVENT_KERNEL && work_class(classes, row) == WORK_COMPUTE && picks(picked, row);
}

/* By number of the name; those that take most are handed out, the largest first. */
static uint32_t largest_of(const int64_t *total_ns, uint32_t names, uint32_t largest[KERNEL_TIMES_MOST],
                           struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, names, sizeof *order);
    uint32_t count = 0;
    for (uint32_t name = 0; name < names; name++)
        if (total_ns[name])
            order[count++] = (struct keyed){-total_ns[name], name};
    sort_keyed(order, count);
    count = count < KERNEL_TIMES_MOST ? count : KERNEL_TIMES_MOST;
    for (uint32_t i = 0; i < count; i++)
        largest[i] = order[i].row;
    return count;
}

static void add(struct kernel_time *time, uint64_t bins[LOG_BINS], int64_t ns)
{
    time->least_ns = time->count ? smaller_of(time->least_ns, ns) : ns;
    time->most_ns = larger_of(time->most_ns, ns);
    time->count++;
    sum_to(&time->total_ns, ns);
    bins[log_bin_of(ns)]++;
}

/* Of each name its place among the largest. */
static uint8_t *places_of(const uint32_t *largest, uint32_t count, uint32_t names, struct arena *scratch)
{
    uint8_t *places = arena_array(scratch, names, sizeof *places);
    memset(places, SMALL, names);
    for (uint32_t i = 0; i < count; i++)
        places[largest[i]] = (uint8_t)i;
    return places;
}

struct kernel_times kernel_times_of(const struct trace *trace, const struct work_classes *classes,
                                    const struct selection *selection, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t names = trace_text_count(trace);
    const struct picked picked = picked_by(trace, selection);
    int64_t *total_ns = arena_array(&scratch, names, sizeof *total_ns);
    uint32_t largest[KERNEL_TIMES_MOST];
    for (uint32_t row = 0; row < trace->count; row++)
        if (counts(&picked, classes, row))
            sum_to(&total_ns[trace->name[row]], trace->dur_ns[row]);
    struct kernel_times out = {.count = largest_of(total_ns, names, largest, &scratch)};
    out.at = arena_array(arena, out.count, sizeof *out.at);
    const uint8_t *places = places_of(largest, out.count, names, &scratch);
    uint64_t(*bins)[LOG_BINS] = arena_array(&scratch, out.count, sizeof *bins);
    for (uint32_t row = 0; row < trace->count && out.count; row++)
        if (places[trace->name[row]] != SMALL && counts(&picked, classes, row))
            add(&out.at[places[trace->name[row]]], bins[places[trace->name[row]]], trace->dur_ns[row]);
    for (uint32_t i = 0; i < out.count; i++) {
        out.at[i].name = str_copy(arena, trace_text(trace, largest[i]));
        out.at[i].bins = log_bins_pack(bins[i], log_bin_of(out.at[i].most_ns), arena);
    }
    arena_free(&scratch);
    return out;
}
