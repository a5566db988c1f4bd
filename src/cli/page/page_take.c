/* SPDX-License-Identifier: Apache-2.0 */
#include "page_take.h"

#include "base/mem.h"
#include "breakdown/path/critical_path.h"
#include "breakdown/strip/path_class.h"
#include "ops/rows/work.h"
#include "report/document.h"

static const struct selection all_steps;

/* ---- what events are drawn as ---- */

static enum page_class host_class(const struct trace *trace, const struct work_classes *work, uint32_t row)
{
    switch ((enum event_kind)trace->kind[row]) {
    case EVENT_OPERATOR:
        return work_host_communication(work, row) ? PAGE_COMMUNICATION : PAGE_OPERATOR;
    case EVENT_RUNTIME:
        return str_has(trace_name(trace, row), S("Synchronize")) ? PAGE_WAIT : PAGE_RUNTIME;
    case EVENT_ANNOTATION:
    case EVENT_DEVICE_ANNOTATION:
        return work_host_communication(work, row) ? PAGE_COMMUNICATION : PAGE_ANNOTATION;
    case EVENT_PYTHON:
        return PAGE_PYTHON;
    case EVENT_SYNC:
        return PAGE_WAIT;
    default:
        return PAGE_OTHER;
    }
}

static enum page_class class_of(const struct trace *trace, const struct work_classes *work, uint32_t row)
{
    static const enum page_class of_work[WORK_CLASSES] = {[WORK_COMPUTE] = PAGE_COMPUTE,
                                                          [WORK_COMMUNICATION] = PAGE_COMMUNICATION,
                                                          [WORK_COPY] = PAGE_COPY,
                                                          [WORK_MEMSET] = PAGE_MEMSET};
    return event_is_device_work((enum event_kind)trace->kind[row]) ? of_work[work_class(work, row)]
                                                                   : host_class(trace, work, row);
}

static uint8_t *classes_of(const struct trace *trace, struct arena *scratch)
{
    const struct work_classes *work = work_classes_new(trace, scratch);
    uint8_t *classes = arena_array(scratch, trace->count, sizeof *classes);
    for (uint32_t row = 0; row < trace->count; row++)
        classes[row] = (uint8_t)class_of(trace, work, row);
    return classes;
}

/* ---- what was found ---- */

static void take_path(const struct trace *trace, struct arena *scratch, struct page_marks *marks)
{
    struct critical_path path = {0};
    critical_path_run(trace, &all_steps, PATH_ALL, scratch, &path);
    struct page_stretch *stretches = arena_array(scratch, path.stretch_count, sizeof *stretches);
    for (uint32_t i = 0; i < path.stretch_count; i++) {
        const struct path_stretch *from = &path.stretches[i];
        const str name = path.names[from->name];
        stretches[i] = (struct page_stretch){from->start_ns, from->end_ns, from->row,
                                             name.len ? name : str_of(path_class_title(from->class))};
    }
    marks->path = stretches;
    marks->path_count = path.stretch_count;
}

/* Findings of this trace by itself: those of a job have no rows. */
static void take_findings(const struct summary *summary, uint32_t rows, struct arena *scratch, struct page_marks *marks)
{
    struct report *report = report_new(scratch, S("report"));
    summary_show((const struct summary *const[]){summary}, 1, PAGE_MOST_FINDINGS, (struct again_told){0}, report);
    struct page_found *found = arena_array(scratch, report->finding_count, sizeof *found);
    for (uint32_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];
        uint32_t *kept = arena_array(scratch, finding->event_count, sizeof *kept), count = 0;
        for (uint32_t k = 0; k < finding->event_count; k++)
            if (finding->events[k] < rows)
                kept[count++] = finding->events[k];
        if (count)
            found[marks->found_count++] = (struct page_found){finding->id, finding->rule, kept, count};
    }
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
        take_findings(&taken->summary, trace->count, &scratch, &marks);
        if (source)
            take_source(source, trace, &scratch, &marks);
    }
    page_trace_encode(trace, rank, &marks, &taken->timeline);
    arena_free(&scratch);
}
