/* SPDX-License-Identifier: Apache-2.0 */
#include "compile_log.h"

#include "base/error.h"
#include "parallel/crew.h"

#include <math.h>

bool compile_log_check(const struct call *call, struct steptime_error *err)
{
    return !call_text(call, "compile-log") || crew_ours()->count == 1 ||
           fail(err, STEPTIME_USAGE, "--compile-log is for one process: use steptime, not steptime-mpi");
}

bool compile_log_of_sketch(const struct call *call, struct steptime_error *err)
{
    return !call_text(call, "compile-log") ||
           fail(err, STEPTIME_INPUT, "is a sketch, and --compile-log wants the trace");
}

void compile_log_take(const struct call *call, const struct trace *trace, struct arena *arena,
                      struct compiled_trace *out)
{
    if (call_text(call, "compile-log"))
        compiled_run(trace, call_selection(call), arena, out);
}

static const struct compiled_trace *const *traces_of(const void *const *results, size_t offset, uint32_t count,
                                                     struct arena *arena)
{
    const struct compiled_trace **traces = arena_array(arena, count, sizeof *traces);
    for (uint32_t i = 0; i < count; i++)
        traces[i] = (const struct compiled_trace *)((const char *)results[i] + offset);
    return traces;
}

bool compile_log_open(const struct call *call, const void *const *results, size_t offset, uint32_t count,
                      struct arena *arena, struct log_beside *out, struct steptime_error *err)
{
    const char *path = call_text(call, "compile-log");
    *out = (struct log_beside){.asked = path};
    if (!path)
        return true;
    const bool good = compile_log_read(path, arena, &out->log, err);
    if (good)
        compiled_join_log(&out->log, traces_of(results, offset, count, arena), count, arena, &out->compiled);
    return good;
}

void compile_log_close(struct log_beside *beside)
{
    compile_log_free(&beside->log);
}

void compile_log_show(const struct log_beside *beside, double most_ns, struct report *report)
{
    if (beside->asked)
        compiled_show(&beside->compiled, most_ns, report);
}

bool compile_log_tell(const struct call *call, const void *const *results, size_t offset, uint32_t count,
                      struct report *report, struct steptime_error *err)
{
    struct log_beside beside;
    const bool good = compile_log_open(call, results, offset, count, report_arena(report), &beside, err);
    if (good)
        compile_log_show(&beside, NAN, report);
    compile_log_close(&beside);
    return good;
}
