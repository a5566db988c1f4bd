/* SPDX-License-Identifier: Apache-2.0 */
#include "page_take.h"

#include "base/mem.h"
#include "breakdown/drawn/drawn.h"
#include "breakdown/idle/host_event.h"
#include "ops/rows/work.h"

/* ---- what events are drawn as ---- */

struct classing {
    const struct trace *trace;
    const struct work_classes *work;
    struct host_events *host;
};

static enum page_class host_class(const struct classing *in, uint32_t row)
{
    switch ((enum event_kind)in->trace->kind[row]) {
    case EVENT_OPERATOR:
        return work_host_communication(in->work, row) ? PAGE_COMMUNICATION : PAGE_OPERATOR;
    case EVENT_RUNTIME:
        return host_open_call(in->host, row).state == HOST_BLOCKED ? PAGE_WAIT : PAGE_RUNTIME;
    case EVENT_ANNOTATION:
    case EVENT_DEVICE_ANNOTATION:
        return work_host_communication(in->work, row) ? PAGE_COMMUNICATION : PAGE_ANNOTATION;
    case EVENT_PYTHON:
        return PAGE_PYTHON;
    case EVENT_SYNC:
        return PAGE_WAIT;
    default:
        return PAGE_OTHER;
    }
}

static enum page_class class_of(const struct classing *in, uint32_t row)
{
    static const enum page_class of_work[WORK_CLASSES] = {[WORK_COMPUTE] = PAGE_COMPUTE,
                                                          [WORK_COMMUNICATION] = PAGE_COMMUNICATION,
                                                          [WORK_COPY] = PAGE_COPY,
                                                          [WORK_MEMSET] = PAGE_MEMSET};
    return event_is_device_work((enum event_kind)in->trace->kind[row]) ? of_work[work_class(in->work, row)]
                                                                       : host_class(in, row);
}

static uint8_t *classes_of(const struct trace *trace, struct arena *scratch)
{
    const struct work_classes *work = work_classes_new(trace, scratch);
    const struct classing in = {trace, work, host_events_new(trace, work, scratch)};
    uint8_t *classes = arena_array(scratch, trace->count, sizeof *classes);
    for (uint32_t row = 0; row < trace->count; row++)
        classes[row] = (uint8_t)class_of(&in, row);
    return classes;
}

/* ---- what was found ---- */

static void take_path(const struct trace *trace, struct arena *scratch, struct page_marks *marks)
{
    const struct drawn_stretch *path = drawn_path(trace, scratch, &marks->path_count);
    struct page_stretch *stretches = arena_array(scratch, marks->path_count, sizeof *stretches);
    for (uint32_t i = 0; i < marks->path_count; i++)
        stretches[i] = (struct page_stretch){path[i].start_ns, path[i].end_ns, path[i].row, path[i].name};
    marks->path = stretches;
}

/* Findings of this trace by itself: those of a job have no rows. */
static void take_findings(const struct summary *summary, const struct trace *trace, struct arena *scratch,
                          struct page_marks *marks)
{
    const struct drawn_finding *findings =
        drawn_findings(summary, trace, PAGE_MOST_FINDINGS, scratch, &marks->found_count);
    struct page_found *found = arena_array(scratch, marks->found_count, sizeof *found);
    for (uint32_t i = 0; i < marks->found_count; i++)
        found[i] = (struct page_found){findings[i].id, findings[i].rule, findings[i].rows, findings[i].count};
    marks->found = found;
}

/* And those that lint joined with it. */
static void take_source(struct page_source *source, const struct trace *trace, struct arena *scratch,
                        struct page_marks *marks)
{
    uint32_t count;
    const struct page_found *more = page_source_join(source, trace, scratch, &count);
    struct page_found *all = arena_array(scratch, marks->found_count + count, sizeof *all);
    memcpy(all, marks->found, marks->found_count * sizeof *all);
    memcpy(all + marks->found_count, more, count * sizeof *all);
    marks->found = all;
    marks->found_count += count;
}

void page_take(const struct trace *trace, int64_t rank, const struct selection *selection, bool of_job,
               struct page_source *source, struct arena *arena, struct page_taken *taken)
{
    summary_run(trace, selection, of_job, arena, &taken->summary);
    kernels_run(trace, &(struct kernels_asked){.by = KERNELS_BY_NAME, .selection = selection, .device = S("")}, arena,
                &taken->kernels);
    operators_run(trace, &(struct operators_asked){.by = OPERATORS_BY_NAME, .selection = selection, .device = S("")},
                  arena, &taken->operators);
    curves_run(trace, selection, &taken->curves);
    page_memory_take(trace, arena, &taken->memory);
    taken->name = str_copy(arena, trace->info.path);
    struct arena scratch = {0};
    struct page_marks marks = {.classes = classes_of(trace, &scratch)};
    if (trace->count) {
        take_path(trace, &scratch, &marks);
        take_findings(&taken->summary, trace, &scratch, &marks);
        if (source)
            take_source(source, trace, &scratch, &marks);
    }
    page_trace_encode(trace, rank, &marks, &taken->timeline);
    arena_free(&scratch);
}
