/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_columns.h"

#include <string.h>

#define HIDDEN COLUMN_DETAIL

/* Table by table. */
static const struct {
    const char *table;
    struct column_spec spec;
} rows[] = {
    {"kernels",
     {"title", "name", UNIT_NONE, COLUMN_WIDE,
      "the name as a person would say it: kernels without parameters and what wraps them, files without their folders"}},
    {"kernels",
     {"name", "whole name", UNIT_NONE, HIDDEN,
      "what --by groups by: the kernel's name (copies and memsets are rows too), class, module, line of Python, "
      "operator or stream"}},
    {"kernels",
     {"class", "class", UNIT_NONE, 0, "kind of the work by rules over its name; null where the row has several"}},
    {"kernels",
     {"shape", "shape", UNIT_NONE, HIDDEN, "Input Dims of the innermost operator, with --by shape; else null"}},
    {"kernels", {"count", "times", UNIT_COUNT, COLUMN_SUM, "pieces of device work"}},
    {"kernels", {"total_ns", "total", UNIT_NS, COLUMN_SUM, "sum of their durations"}},
    {"kernels",
     {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART,
      "total_ns / busy_ns; the rows sum to more than 1 where streams overlap"}},
    {"kernels", {"mean_ns", "mean", UNIT_NS, 0, "total_ns / count"}},
    {"kernels", {"p50_ns", "p50", UNIT_NS, HIDDEN, "median of the durations, between closest ranks"}},
    {"kernels", {"p95_ns", "p95", UNIT_NS, 0, "95th percentile of the durations, between closest ranks"}},
    {"kernels",
     {"launch_delay_mean_ns", "launch delay", UNIT_NS, 0,
      "mean over the work whose launch call is recorded of max(0, start of the work - end of the call)"}},
    {"kernels", {"launch_delay_p95_ns", "delay p95", UNIT_NS, HIDDEN, "95th percentile of the same"}},
    {"kernels",
     {"flop_share", "of peak", UNIT_RATIO, 0,
      "flops / sum over the same kernels of duration x the device's peak for their precision"}},
    {"kernels",
     {"bytes_share", "of memory", UNIT_RATIO, 0,
      "bytes / sum over the same kernels of duration x the device's memory bandwidth; null for copies"}},
    {"kernels", {"flop_per_s", "FLOP/s", UNIT_FLOP_PER_S, 0, "flops / duration of the same kernels"}},
    {"kernels", {"bytes_per_s", "bytes/s", UNIT_BYTES_PER_S, 0, "bytes / duration of the same work"}},
    {"kernels",
     {"flops", "arithmetic", UNIT_FLOP, HIDDEN | COLUMN_SUM,
      "sum of the operators' flops over the kernels that do the whole of it; null where there is none"}},
    {"kernels",
     {"bytes", "bytes", UNIT_BYTES, HIDDEN | COLUMN_SUM,
      "of copies and memsets as recorded; of kernels the least traffic of their operator, where one kernel is all its "
      "work"}},
    {"kernels", {"min_ns", "least", UNIT_NS, HIDDEN, "shortest duration"}},
    {"kernels", {"max_ns", "most", UNIT_NS, 0, "longest duration"}},
    {"kernels",
     {"occupancy", "occupancy", UNIT_RATIO, HIDDEN,
      "est. achieved occupancy, mean weighted by duration over the kernels that record it"}},
    {"kernels", {"blocks_per_sm", "blocks/SM", UNIT_NONE, HIDDEN, "the same mean of blocks per SM"}},
    {"kernels", {"warps_per_sm", "warps/SM", UNIT_NONE, HIDDEN, "the same mean of warps per SM"}},
    {"kernels", {"registers", "registers", UNIT_COUNT, HIDDEN, "most registers a thread of a kernel of the row"}},
    {"kernels",
     {"shared_memory_bytes", "shared memory", UNIT_BYTES, HIDDEN, "most shared memory a block of a kernel of the row"}},
    {"kernels", {"grid", "grid", UNIT_NONE, HIDDEN, "grid of the launches; null where they differ"}},
    {"kernels", {"block", "block", UNIT_NONE, HIDDEN, "block of the launches; null where they differ"}},
    {"kernels", {"ranks", "ranks", UNIT_COUNT, HIDDEN, "traces that have the row"}},

    {"classes", {"class", "class", UNIT_NONE, 0, "kind of the work by rules over its name"}},
    {"classes", {"count", "times", UNIT_COUNT, COLUMN_SUM, "pieces of device work"}},
    {"classes", {"total_ns", "total", UNIT_NS, COLUMN_SUM, "sum of their durations"}},
    {"classes", {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "total_ns / busy_ns"}},
    {"classes", {"mean_ns", "mean", UNIT_NS, 0, "total_ns / count"}},

    {"launches", {"name", "call", UNIT_NONE, COLUMN_WIDE, "name of the runtime or driver call on the host"}},
    {"launches", {"count", "times", UNIT_COUNT, COLUMN_SUM, "calls that begin in the selected steps"}},
    {"launches", {"total_ns", "total", UNIT_NS, COLUMN_PART, "sum of their durations"}},
    {"launches", {"mean_ns", "mean", UNIT_NS, 0, "total_ns / count"}},
    {"launches", {"p50_ns", "p50", UNIT_NS, HIDDEN, "median of the durations"}},
    {"launches", {"p95_ns", "p95", UNIT_NS, 0, "95th percentile of the durations"}},
    {"launches", {"max_ns", "most", UNIT_NS, 0, "longest duration"}},
    {"launches", {"work", "device work", UNIT_COUNT, COLUMN_SUM, "pieces of device work that the calls caused"}},

    {"operators",
     {"title", "name", UNIT_NONE, COLUMN_WIDE, "the name as a person would say it: files without their folders"}},
    {"operators",
     {"name", "whole name", UNIT_NONE, HIDDEN, "what --by groups by: the operator's name, module or line of Python"}},
    {"operators", {"shape", "shape", UNIT_NONE, COLUMN_WIDE, "Input Dims, with --by shape; else null"}},
    {"operators",
     {"family", "family", UNIT_NONE, 0,
      "what the operator is for, by rules over its name; null where the row has several"}},
    {"operators",
     {"phase", "phase", UNIT_NONE, HIDDEN, "forward, backward or optimizer; null where the row has several"}},
    {"operators", {"calls", "calls", UNIT_COUNT, COLUMN_SUM, "calls that begin in the selected steps"}},
    {"operators",
     {"device_total_ns", "device", UNIT_NS, 0,
      "sum of the device work launched inside, without calls inside another call of the same row"}},
    {"operators",
     {"device_self_ns", "device self", UNIT_NS, COLUMN_SUM,
      "sum of the device work of which it is the innermost operator"}},
    {"operators",
     {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART,
      "device_self_ns / busy_ns; in a trace without device activity host_self_ns / its sum over all operators"}},
    {"operators",
     {"host_total_ns", "host", UNIT_NS, 0,
      "what the calls of the row cover on their threads: time inside two of them, one in the other or overlapping in part, counts once"}},
    {"operators",
     {"host_self_ns", "host self", UNIT_NS, COLUMN_PART,
      "of that, the time in which no operator or runtime call inside was open; never above host_total_ns"}},
    {"operators", {"mean_ns", "mean", UNIT_NS, 0, "mean duration of a call on the host"}},
    {"operators", {"p50_ns", "p50", UNIT_NS, HIDDEN, "median of the same"}},
    {"operators", {"p95_ns", "p95", UNIT_NS, HIDDEN, "95th percentile of the same"}},
    {"operators", {"max_ns", "most", UNIT_NS, HIDDEN, "longest of the same"}},
    {"operators",
     {"launches", "launches", UNIT_COUNT, HIDDEN | COLUMN_SUM,
      "pieces of device work of which it is the innermost operator"}},
    {"operators",
     {"flop_share", "of peak", UNIT_RATIO, 0,
      "flops / (time x peak for the precision), over the calls with a known peak"}},
    {"operators",
     {"bytes_share", "of memory", UNIT_RATIO, 0, "bytes / (time x memory bandwidth), over the calls with a known one"}},
    {"operators",
     {"flop_per_s", "FLOP/s", UNIT_FLOP_PER_S, 0,
      "flops / device work inside the same calls, on the host their duration; null where no device work was inside"}},
    {"operators", {"bytes_per_s", "bytes/s", UNIT_BYTES_PER_S, 0, "bytes / the same time"}},
    {"operators",
     {"flops", "arithmetic", UNIT_FLOP, HIDDEN,
      "sum over the calls whose shapes tell; null where none does. Operators that contain each other each have their "
      "own"}},
    {"operators",
     {"bytes", "bytes", UNIT_BYTES, HIDDEN, "least traffic: inputs read once, outputs written once; the same sum"}},
    {"operators", {"ranks", "ranks", UNIT_COUNT, HIDDEN, "traces that have the row"}},
};

struct table *kernels_table(struct section *section, const char *id, const char *title)
{
    struct table *table = section_table(section, id, title);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].table, id) == 0)
            table_column(table, rows[i].spec);
    return table;
}
