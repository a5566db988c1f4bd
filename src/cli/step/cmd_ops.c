/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: time on the host, the device work behind them, arithmetic and traffic. */
#include "breakdown/kernels/operators.h"
#include "cli/program/command.h"
#include "peaks_option.h"

static void run(const struct call *call, const struct trace *trace, struct arena *arena, void *result)
{
    const str by = call_str(call, "by", call_flag(call, "shapes") ? "shape" : "name");
    const struct operators_asked asked = {
        .by = operator_grouping_of(by),
        .selection = call_selection(call),
        .device = call_str(call, "device", ""),
    };
    operators_run(trace, &asked, arena, result);
}

static bool show(const struct call *call, const void *const *results, uint32_t count, struct report *report,
                 struct steptime_error *err)
{
    operators_show((const struct operators *const *)results, count, report);
    return true;
}

static const struct analysis analysis = {
    .size = sizeof(struct operators), .run = run, .show = show, .check = peaks_option_check};

static const struct option options[] = {
    {"by", 0, "KEY", OPERATOR_GROUPINGS,
     "What a row is: an operator (name, the default), an operator with its shapes (shape), or all operators of an "
     "nn.Module or a line of Python."},
    {"shapes", 0, NULL, NULL, "The same as --by shape."},
    {0},
};

const struct command command_ops = {
    .name = "ops",
    .arguments = "TRACE|DIR...",
    .brief = "operators: host time, the device work behind them, FLOPs and bytes",
    .about = "Shows the operators in groups, those with the most device work first: calls, time on the host with and "
             "without what they call, the device work that they launched directly and inside other operators, and the "
             "arithmetic and traffic that their shapes tell. In a trace without device activity times are those of the "
             "host. Several traces are taken together.\n\nArithmetic and traffic are counted from recorded shapes "
             "(record_shapes=True); where they are not recorded the figures are null. Operators that call each other "
             "each show their own, so only the sum at the top counts everything once.\n\nBackward operators belong to "
             "the module and the line of their forward operator.",
    .examples = "steptime ops trace.json.gz|the operators with the most device work\n"
                "steptime ops --shapes --rows 40 trace.json.gz|with the shapes they were called with\n"
                "steptime ops --by module trace.json.gz|which part of the model costs what",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN | SHARED_TRACE | SHARED_PEAKS,
    .options = options,
    .analysis = &analysis,
};
