/* SPDX-License-Identifier: Apache-2.0 */
#include "lint_traces.h"

#include "base/error.h"
#include "commands.h"
#include "read/read.h"

static struct report_input input_of(const struct trace *trace, const char *path, struct arena *arena)
{
    return (struct report_input){
        .path = str_of(path),
        .format = str_copy(arena, trace->info.format),
        .events = trace->count,
        .bytes = trace->info.file_bytes,
        .repaired = (int64_t)trace->repaired,
        .dropped = (int64_t)trace->dropped,
    };
}

/* The same program on the CPU, against the first trace. */
static bool compare(const struct trace *trace, const char *path, struct arena *arena, struct lint_traces *traces,
                    struct steptime_error *err)
{
    struct trace *cpu = trace_read(path, NULL, err);
    if (!cpu)
        return false;
    traces->cpu = input_of(cpu, path, arena);
    traces->compared = true;
    device_against_cpu(trace, cpu, arena, &traces->against);
    trace_free(cpu);
    return true;
}

/* fix takes none. */
static const char *cpu_path(const struct call *call)
{
    return command_option(call->command, S("trace-cpu")) ? call_text(call, "trace-cpu") : NULL;
}

static bool join_one(const struct call *call, struct lint *lint, const char *path, struct arena *arena,
                     struct lint_traces *traces, struct steptime_error *err)
{
    struct trace *trace = trace_read(path, NULL, err);
    if (!trace)
        return false;
    const char *cpu = traces->count ? NULL : cpu_path(call);
    traces->inputs[traces->count] = input_of(trace, path, arena);
    join_trace(lint, trace, arena, &traces->joined[traces->count++]);
    const bool good = !cpu || compare(trace, cpu, arena, traces, err);
    trace_free(trace);
    return good;
}

bool lint_traces_join(const struct call *call, struct lint *lint, struct arena *arena, struct lint_traces *traces,
                      struct steptime_error *err)
{
    *traces = (struct lint_traces){0};
    traces->joined = arena_array(arena, call->given_count, sizeof *traces->joined);
    traces->inputs = arena_array(arena, call->given_count, sizeof *traces->inputs);
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, "trace") &&
            !join_one(call, lint, call->given[i].value, arena, traces, err))
            return false;
    if (!traces->count && cpu_path(call))
        return fail(err, STEPTIME_USAGE, "--trace-cpu: compared with what? Give the run with a device as --trace too");
    if (traces->count)
        lint_rank(lint);
    return true;
}

void lint_traces_show(const struct lint_traces *traces, struct report *report)
{
    for (uint32_t i = 0; i < traces->count; i++)
        report_input(report, traces->inputs[i]);
    if (traces->compared)
        report_input(report, traces->cpu);
    join_show(traces->joined, traces->count, report);
    if (traces->compared)
        device_against_cpu_show(&traces->against, report);
}
