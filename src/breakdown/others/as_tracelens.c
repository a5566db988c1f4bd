/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TraceLens 171dd74: its GPU timeline. `all` takes every device event of the
 * file, `linked` (what its report prints) those that a launch leads to.
 */
#include "as.h"
#include "base/span.h"

enum class { COMPUTATION, COMMUNICATION, MEMCPY, CLASSES };

/* ---- classes ---- */

static bool one_of(str name, const char *const *names, size_t count)
{
    const str bare = str_ends(name, S(".kd")) ? (str){name.at, name.len - 3} : name;
    for (size_t i = 0; i < count; i++)
        if (str_eq(bare, str_of(names[i])))
            return true;
    return false;
}

/* Kernels by which ROCm copies and fills. */
static bool is_copy_kernel(str name)
{
    static const char *const names[] = {
        "MEMORY_COPY_HOST_TO_DEVICE",         "MEMORY_COPY_DEVICE_TO_HOST",
        "MEMORY_COPY_DEVICE_TO_DEVICE",       "__amd_rocclr_copyBuffer",
        "__amd_rocclr_copyBufferRect",        "__amd_rocclr_copyBufferAligned",
        "__amd_rocclr_copyBufferRectAligned",
    };
    return one_of(name, names, sizeof names / sizeof *names);
}

static bool is_fill_kernel(str name)
{
    static const char *const names[] = {"__amd_rocclr_fillBuffer", "__amd_rocclr_fillBufferAligned"};
    return one_of(name, names, sizeof names / sizeof *names);
}

static bool communicates(str name)
{
    return str_has_nocase(name, S("nccl")) || str_has_nocase(name, S("rccl")) ||
           str_has_nocase(name, S("cross_device_reduce"));
}

static enum class class_of(const struct trace *trace, uint32_t row) {
    const str name = trace_name(trace, row); const bool kernel = trace->kind[row] == EVENT_KERNEL;
    if (trace->kind[row] == EVENT_COPY || (kernel && is_copy_kernel(name))) return MEMCPY;
    if (kernel && is_fill_kernel(name)) return COMPUTATION;
    return communicates(name) ? COMMUNICATION : COMPUTATION;
}

/* ---- the timeline ---- */

struct times {
    int64_t computation, communication, exposed_communication, memcpy, exposed_memcpy, busy, total;
};

static struct times times_of(struct spans sets[CLASSES])
{
    struct spans busy = {0}, hidden = {0}, rest = {0};
    struct times times = {
        spans_length(&sets[COMPUTATION]), spans_length(&sets[COMMUNICATION]), 0, spans_length(&sets[MEMCPY]), 0, 0, 0};
    spans_minus(&sets[COMMUNICATION], &sets[COMPUTATION], &rest);
    times.exposed_communication = spans_length(&rest);
    spans_union(&sets[COMPUTATION], &sets[COMMUNICATION], &hidden);
    spans_minus(&sets[MEMCPY], &hidden, &rest);
    times.exposed_memcpy = spans_length(&rest);
    spans_union(&hidden, &sets[MEMCPY], &busy);
    times.busy = spans_length(&busy);
    times.total = busy.count ? busy.at[busy.count - 1].end_ns - busy.at[0].start_ns : 0;
    spans_free(&busy);
    spans_free(&hidden);
    spans_free(&rest);
    return times;
}

static void add_ms(struct as_result *result, struct arena *arena, const char *prefix, const char *name, int64_t ns)
{
    as_add(result, arena, str_printf(arena, "%s.%s", prefix, name), (double)ns / 1e6, "ms");
}

static void add_times(struct as_result *result, struct arena *arena, const char *prefix, const struct times *times)
{
    add_ms(result, arena, prefix, "computation_time", times->computation);
    add_ms(result, arena, prefix, "exposed_comm_time", times->exposed_communication);
    add_ms(result, arena, prefix, "exposed_memcpy_time", times->exposed_memcpy);
    add_ms(result, arena, prefix, "busy_time", times->busy);
    add_ms(result, arena, prefix, "idle_time", times->total - times->busy);
    add_ms(result, arena, prefix, "total_time", times->total);
    add_ms(result, arena, prefix, "total_comm_time", times->communication);
    add_ms(result, arena, prefix, "total_memcpy_time", times->memcpy);
}

static void take_figures(struct as_rank *figures, const struct times *times)
{
    figures->span_ns = times->total;
    figures->busy_ns = times->busy;
    figures->idle_ns = times->total - times->busy;
    figures->compute_ns = times->computation;
    figures->communication_ns = times->communication;
    figures->memory_ns = times->memcpy;
    figures->exposed_communication_ns = times->exposed_communication;
}

/* ---- the run ---- */

/* Its categories are kernel, gpu_memcpy and gpu_memset to the letter: none of 2020, none of other vendors. */
static bool counts(const struct trace *trace, uint32_t row)
{
    return event_is_device_work((enum event_kind)trace->kind[row]) && !trace_attr_text(trace, row, ATTR_CATEGORY).len;
}

static bool linked(const struct trace *trace, uint32_t row)
{
    return trace->cause[row] != ROW_NONE && trace->kind[trace->cause[row]] == EVENT_RUNTIME;
}

static uint32_t timeline(const struct trace *trace, bool linked_only, struct times *times)
{
    struct spans sets[CLASSES] = {0};
    uint32_t count = 0;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (!counts(trace, row) || (linked_only && !linked(trace, row)))
            continue;
        spans_add(&sets[class_of(trace, row)], as_start_ns(trace, row), as_end_ns(trace, row));
        count++;
    }
    for (int class = 0; class < CLASSES; class ++)
        spans_tidy(&sets[class]);
    *times = times_of(sets);
    for (int class = 0; class < CLASSES; class ++)
        spans_free(&sets[class]);
    return count;
}

static void run(const struct trace *trace, struct arena *arena, struct as_result *result)
{
    struct times times;
    if (!timeline(trace, false, &times)) {
        result->failure = "TraceLens stops here: no event of its categories kernel, gpu_memcpy and gpu_memset";
        return;
    }
    add_times(result, arena, "all", &times);
    take_figures(&result->figures, &times);
    if (timeline(trace, true, &times))
        add_times(result, arena, "linked", &times);
}

const struct as_tool as_tracelens = {"tracelens", "TraceLens 171dd74", run};
