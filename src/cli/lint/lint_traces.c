/* SPDX-License-Identifier: Apache-2.0 */
#include "lint_traces.h"

#include "base/error.h"
#include "cli/program/commands.h"
#include "cli/program/reading.h"

struct joining {
    struct lint *lint;
    struct lint_traces *traces;
    struct arena *arena;
};

/* One at a time: all work on the same findings. The first trace is the one that is compared. */
static bool join(void *context, struct input_file *file, struct steptime_error *err)
{
    struct joining *joining = context;
    struct lint_traces *traces = joining->traces;
    (void)err;
    file->result = arena_alloc(&file->arena, sizeof(struct joined));
    join_trace(joining->lint, file->trace, joining->arena, file->result);
    if (!traces->count++ && traces->cpu.taken)
        device_against_cpu(file->trace, traces->cpu.at[0]->trace, joining->arena, &traces->against);
    return true;
}

static bool keep(void *context, struct input_file *file, struct steptime_error *err)
{
    (void)context;
    (void)err;
    return file->keep = true;
}

/* fix takes none. */
static const char *cpu_path(const struct call *call)
{
    return command_option(call->command, S("trace-cpu")) ? call_text(call, "trace-cpu") : NULL;
}

static const char **trace_paths(const struct call *call, struct arena *arena, uint32_t *count)
{
    const char **paths = arena_array(arena, call->given_count, sizeof *paths);
    *count = 0;
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, "trace"))
            paths[(*count)++] = call->given[i].value;
    return paths;
}

/* The same program on the CPU, against the first trace. */
static bool read_cpu(const struct call *call, struct lint_traces *traces, struct arena *arena,
                     struct steptime_error *err)
{
    const char **path = arena_alloc(arena, sizeof *path);
    *path = cpu_path(call);
    traces->asked_cpu = (struct inputs_asked){.paths = path, .count = 1, .apart = true, .take = keep};
    return !*path || call_inputs(call, &traces->asked_cpu, &traces->cpu, err);
}

bool lint_traces_join(const struct call *call, struct lint *lint, struct arena *arena, struct lint_traces *traces,
                      struct steptime_error *err)
{
    struct joining *joining = arena_alloc(arena, sizeof *joining);
    uint32_t count;
    const char **paths = trace_paths(call, arena, &count);
    *traces = (struct lint_traces){0};
    *joining = (struct joining){lint, traces, arena};
    if (!count && cpu_path(call))
        return fail(err, STEPTIME_USAGE, "--trace-cpu: compared with what? Give the run with a device as --trace too");
    if (!count)
        return true;
    if (!read_cpu(call, traces, arena, err))
        return false;
    traces->asked = (struct inputs_asked){
        .paths = paths, .count = count, .apart = true, .in_order = true, .context = joining, .take = join};
    if (!call_inputs(call, &traces->asked, &traces->inputs, err))
        return false;
    lint_rank(lint);
    return true;
}

static const struct joined *in_order(const struct lint_traces *traces, struct arena *arena)
{
    struct joined *joined = arena_array(arena, traces->count, sizeof *joined);
    uint32_t count = 0;
    for (uint32_t i = 0; i < traces->inputs.count; i++)
        if (traces->inputs.files[i].state == INPUT_TAKEN)
            joined[count++] = *(const struct joined *)traces->inputs.files[i].result;
    return joined;
}

void lint_traces_show(const struct lint_traces *traces, struct report *report)
{
    if (!traces->count)
        return;
    struct trust trust = {.job.arena = report_arena(report)};
    inputs_tell(&traces->inputs, report);
    inputs_trust(&traces->inputs, &trust);
    if (traces->cpu.taken) {
        inputs_tell(&traces->cpu, report);
        inputs_trust(&traces->cpu, &trust);
    }
    join_show(in_order(traces, report_arena(report)), traces->count, report);
    trust_show(&trust, report);
    if (traces->cpu.taken)
        device_against_cpu_show(&traces->against, report);
}

bool lint_traces_whole(const struct lint_traces *traces, struct steptime_error *err)
{
    return inputs_whole(&traces->inputs, err) && inputs_whole(&traces->cpu, err);
}

void lint_traces_close(struct lint_traces *traces)
{
    inputs_close(&traces->inputs);
    inputs_close(&traces->cpu);
}
