/* SPDX-License-Identifier: Apache-2.0 */
/* HolisticTraceAnalysis 0.5.0: temporal, idle and kernel-type breakdown, overlap of communication and computation. */
#include <math.h>

#include "as.h"
#include "as_hta_rows.h"
#include "base/order.h"
#include "base/sort.h"

enum { DELAY_NS = 30 * 1000 }; /* consecutive_kernel_delay: documented in ns, compared in us */

/* ---- groups: its union, which lets a row of negative length stand alone ---- */

struct groups {
    struct hta_group {
        int64_t start_ns, end_ns;
    } * at;
    uint32_t count;
};

/* Of the rows of a class (HTA_CLASSES: of all). A row opens a group if it starts after all rows before it have ended. */
static struct groups groups_of(const struct hta_rows *rows, enum hta_class class, struct arena *arena)
{
    struct groups groups = {.at = arena_array(arena, rows->count, sizeof *groups.at)};
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct hta_row *row = &rows->at[i];
        if (class != HTA_CLASSES && row->class != class)
            continue;
        if (!groups.count || row->start_ns > latest)
            groups.at[groups.count++] = (struct hta_group){row->start_ns, row->end_ns};
        else
            groups.at[groups.count - 1].end_ns = larger_of(groups.at[groups.count - 1].end_ns, row->end_ns);
        latest = larger_of(latest, row->end_ns);
    }
    return groups;
}

static int64_t length(const struct groups *groups)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        sum += groups->at[i].end_ns - groups->at[i].start_ns;
    return sum;
}

/* ---- output ---- */

struct output {
    struct as_result *result;
    struct arena *arena;
};

static void add_us(const struct output *to, const char *name, int64_t ns)
{
    as_add(to->result, to->arena, str_of(name), (double)ns / 1000, "us");
}

static void add_percent(const struct output *to, const char *name, int64_t part, int64_t whole)
{
    as_add(to->result, to->arena, str_of(name), whole ? as_round2(100 * (double)part / (double)whole) : NAN, "percent");
}

/* ---- temporal ---- */

static void temporal(const struct output *to, const struct groups *all, const struct groups *computation)
{
    const int64_t kernel = all->at[all->count - 1].end_ns - all->at[0].start_ns;
    const int64_t idle = kernel - length(all), compute = length(computation), other = kernel - compute - idle;
    if (idle > kernel || compute > kernel || other < 0) {
        to->result->failure = "HolisticTraceAnalysis stops here: rounding gave kernels below 1 us a negative length";
        return;
    }
    add_us(to, "temporal.idle_time", idle);
    add_us(to, "temporal.compute_time", compute);
    add_us(to, "temporal.non_compute_time", other);
    add_us(to, "temporal.kernel_time", kernel);
    add_percent(to, "temporal.idle_time_pctg", idle, kernel);
    add_percent(to, "temporal.compute_time_pctg", compute, kernel);
    add_percent(to, "temporal.non_compute_time_pctg", other, kernel);
    to->result->figures.span_ns = kernel;
    to->result->figures.busy_ns = kernel - idle;
    to->result->figures.idle_ns = idle;
    to->result->figures.compute_ns = compute;
}

/* ---- idle, per stream ---- */

enum wait { HOST_WAIT, KERNEL_WAIT, OTHER, WAITS };

struct stream_idle {
    int64_t sum_ns[WAITS];
    bool listed[WAITS];
    bool begun;
    int64_t previous_end_ns;
};

static void add_gap(struct stream_idle *idle, const struct hta_row *row)
{
    enum wait wait = OTHER;
    int64_t gap = 0;
    if (idle->begun) {
        gap = row->start_ns - idle->previous_end_ns;
        if (row->launch_ns != INT64_MIN && row->launch_ns > idle->previous_end_ns)
            wait = HOST_WAIT;
        else if (gap < DELAY_NS)
            wait = KERNEL_WAIT;
    }
    idle->sum_ns[wait] += gap;
    idle->listed[wait] = idle->begun = true;
    idle->previous_end_ns = row->end_ns;
}

static void end_stream(const struct output *to, int64_t stream, const struct stream_idle *idle)
{
    static const char *const words[WAITS] = {"host_wait", "kernel_wait", "other"};
    struct as_rank *figures = &to->result->figures;
    int64_t *const sums[WAITS] = {&figures->host_wait_ns, &figures->kernel_wait_ns, &figures->other_idle_ns};
    for (int wait = 0; wait < WAITS; wait++) {
        *sums[wait] += idle->sum_ns[wait];
        if (!idle->listed[wait])
            continue;
        const str name = str_printf(to->arena, "idle.stream%lld.%s", (long long)stream, words[wait]);
        as_add(to->result, to->arena, name, as_round2((double)idle->sum_ns[wait] / 1000), "us");
    }
}

/* Rows stay in order of start within their stream. */
static void idle_of_streams(const struct output *to, const struct hta_rows *rows, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, rows->count, sizeof *order);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->at[i].work)
            order[count++] = (struct keyed){rows->at[i].stream, i};
    sort_keyed(order, count);
    struct as_rank *figures = &to->result->figures;
    figures->host_wait_ns = figures->kernel_wait_ns = figures->other_idle_ns = 0;
    struct stream_idle idle = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t copy = 0; copy < rows->at[order[i].row].copies; copy++)
            add_gap(&idle, &rows->at[order[i].row]);
        if (i + 1 == count || order[i + 1].key != order[i].key) {
            end_stream(to, order[i].key, &idle);
            idle = (struct stream_idle){0};
        }
    }
}

/* ---- what runs together ---- */

enum { KINDS = 3, SETS = 1 << KINDS };

/* Time in which exactly the classes of a set run, each stretch cut to whole microseconds for `whole`. */
struct together {
    int64_t exact_ns[SETS], whole_ns[SETS];
    bool seen[SETS];
};

struct point {
    int64_t time_ns;
    int set;
};

/* Start and end points in order of time; at one time the order of the list decides, as in a stable sort. */
static uint32_t points_of(const struct groups *groups, struct point *points, struct arena *scratch)
{
    uint32_t count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < groups[kind].count; i++)
            points[count++] = (struct point){groups[kind].at[i].start_ns, 1 << kind};
        for (uint32_t i = 0; i < groups[kind].count; i++)
            points[count++] = (struct point){groups[kind].at[i].end_ns, -(1 << kind)};
    }
    struct keyed *order = arena_array(scratch, count, sizeof *order);
    struct point *unsorted = arena_array(scratch, count, sizeof *unsorted);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (struct keyed){points[i].time_ns, i};
        unsorted[i] = points[i];
    }
    sort_keyed(order, count);
    for (uint32_t i = 0; i < count; i++)
        points[i] = unsorted[order[i].row];
    return count;
}

static struct together together_of(const struct groups groups[KINDS], struct arena *scratch)
{
    const uint32_t most = 2 * (groups[0].count + groups[1].count + groups[2].count);
    struct point *points = arena_array(scratch, most, sizeof *points);
    const uint32_t count = points_of(groups, points, scratch);
    struct together together = {0};
    int running = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        running += points[i].set;
        if (running <= 0 || running >= SETS)
            continue;
        const int64_t ns = points[i + 1].time_ns - points[i].time_ns;
        together.exact_ns[running] += ns;
        together.whole_ns[running] += ns / 1000 * 1000;
        together.seen[running] = true;
    }
    return together;
}

static void kernel_types(const struct output *to, const struct together *together)
{
    static const char *const names[SETS] = {
        NULL,
        "kernel_type.COMPUTATION",
        "kernel_type.COMMUNICATION",
        "kernel_type.COMPUTATION+COMMUNICATION",
        "kernel_type.MEMORY",
        "kernel_type.COMPUTATION+MEMORY",
        "kernel_type.COMMUNICATION+MEMORY",
        "kernel_type.COMPUTATION+COMMUNICATION+MEMORY",
    };
    for (int set = 1; set < SETS; set++)
        if (together->seen[set])
            add_us(to, names[set], together->whole_ns[set]);
}

static void overlap(const struct output *to, const struct together *together, const struct groups groups[KINDS])
{
    const int64_t both = together->exact_ns[3] + together->exact_ns[7];
    const int64_t communication = length(&groups[HTA_COMMUNICATION]);
    add_percent(to, "overlap.comp_comm_pctg", both, communication);
    to->result->figures.communication_ns = communication;
    to->result->figures.exposed_communication_ns = communication - both;
    to->result->figures.memory_ns = length(&groups[HTA_MEMORY]);
}

static void run(const struct trace *trace, struct arena *arena, struct as_result *result)
{
    struct arena scratch = {0};
    const struct output to = {result, arena};
    const struct hta_rows rows = hta_rows_of(trace, &scratch);
    as_add(result, arena, S("times_rounded"), rows.rounded, "bool");
    as_add(result, arena, S("profiler_step_names"), rows.step_names, "count");
    as_add(result, arena, S("last_step_dropped"), rows.step_names > 1, "bool");
    struct groups groups[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        groups[kind] = groups_of(&rows, (enum hta_class)kind, &scratch);
    const struct together together = together_of(groups, &scratch);
    if (rows.count) {
        const struct groups all = groups_of(&rows, HTA_CLASSES, &scratch);
        temporal(&to, &all, &groups[HTA_COMPUTATION]);
        idle_of_streams(&to, &rows, &scratch);
        kernel_types(&to, &together);
    }
    overlap(&to, &together, groups);
    arena_free(&scratch);
}

const struct as_tool as_hta = {"hta", "HolisticTraceAnalysis 0.5.0", run};
