/* SPDX-License-Identifier: Apache-2.0 */
/* Device work by kernel: how often, how long, how late, how near to what the device can do. */
#include "breakdown/kernels/kernels.h"
#include "cli/program/command.h"
#include "peaks_option.h"

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    const struct kernels_asked asked = {
        .by = kernel_grouping_of(call_str(call, "by", "name")),
        .selection = call_selection(call),
        .device = call_str(call, "device", ""),
    };
    kernels_run(trace, &asked, arena, result);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    kernels_show((const struct kernels *const *)results, count, report);
    return true;
}

static const struct analysis analysis = {
    .size = sizeof(struct kernels), .run = run, .show = show, .check = peaks_option_check};

static const struct option options[] = {
    {"by", 0, "KEY", KERNEL_GROUPINGS,
     "What a row is: a kernel (name, the default), a kernel with the shapes of its operator (shape), or all work of "
     "a class, nn.Module, line of Python, operator or stream."},
    {0},
};

const struct command command_kernels = {
    .name = "kernels",
    .arguments = "TRACE|DIR...",
    .brief = "kernels, copies and memsets: time, launch delay, FLOP/s and bytes/s",
    .about = "Shows the device work in groups, longest first: how often, how long (total, mean, percentiles, share "
             "of the busy time), how long after its launch it started, and the arithmetic and traffic a second "
             "where the shapes of the operators behind it are recorded, beside the device's peak. Copies and "
             "memsets are rows too. Several traces are taken together.\n\nA kernel has FLOP/s only where all the "
             "arithmetic of an operator is its own: one of several kernels of an operator has none.\n\nThe tables: "
             "kernels (with grid, block, registers and occupancy where recorded), classes, launches (calls into the "
             "runtime).",
    .examples =
        "steptime kernels trace.json.gz|the longest kernels\n"
        "steptime kernels --by python trace.json.gz|which lines of the program the device works for\n"
        "steptime kernels --by shape --format csv --table kernels trace.json.gz|all of them with shapes, as CSV",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE | SHARED_PEAKS,
    .options = options,
    .analysis = &analysis,
};
