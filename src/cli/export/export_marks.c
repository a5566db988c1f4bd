/* SPDX-License-Identifier: Apache-2.0 */
#include "export_marks.h"

#include <stdlib.h>

#include "breakdown/path/critical_path.h"
#include "breakdown/summary/summary.h"
#include "report/document.h"

static const struct selection all_steps;

static struct perfetto_track path_track(const struct trace *trace, struct arena *arena)
{
    struct critical_path path = {0};
    critical_path_run(trace, &all_steps, PATH_ALL, arena, &path);
    struct perfetto_mark *marks = arena_array(arena, path.stretch_count, sizeof *marks);
    for (uint32_t i = 0; i < path.stretch_count; i++) {
        const struct path_stretch *stretch = &path.stretches[i];
        const str name = path.names[stretch->name], title = str_of(path_class_title(stretch->class));
        marks[i] =
            (struct perfetto_mark){stretch->start_ns, stretch->end_ns, stretch->row, name.len ? name : title, title};
    }
    return (struct perfetto_track){S("critical path"), marks, path.stretch_count};
}

static int by_start(const void *a, const void *b)
{
    const struct perfetto_mark *left = a, *right = b;
    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* Events that lie in one another are told one behind the other, so far as they do not overlap. */
static struct perfetto_track finding_track(const struct trace *trace, const struct finding *finding,
                                           struct arena *arena)
{
    struct perfetto_mark *marks = arena_array(arena, finding->event_count, sizeof *marks);
    uint32_t count = 0;
    for (uint32_t i = 0; i < finding->event_count; i++) {
        const uint32_t row = finding->events[i];
        if (row < trace->count)
            marks[count++] =
                (struct perfetto_mark){trace->start_ns[row], trace_end_ns(trace, row), row,
                                       str_copy(arena, trace_name(trace, row)), str_copy(arena, finding->message)};
    }
    qsort(marks, count, sizeof *marks, by_start);
    for (uint32_t i = 1; i < count; i++)
        if (marks[i].start_ns < marks[i - 1].end_ns)
            marks[i - 1].end_ns = marks[i].start_ns;
    return (struct perfetto_track){str_printf(arena, "finding %.*s", (int)finding->id.len, finding->id.at), marks,
                                   count};
}

void export_marks_of(const struct trace *trace, struct arena *arena, struct export_marks *marks)
{
    *marks = (struct export_marks){0};
    if (!trace->count)
        return;
    struct summary *summary = arena_alloc(arena, sizeof *summary);
    summary_run(trace, &all_steps, false, arena, summary);
    struct report *report = report_new(arena, S("export"));
    summary_show((const struct summary *const[]){summary}, 1, EXPORT_MOST_FINDINGS, (struct again_told){0}, report);
    marks->tracks = arena_array(arena, 1 + report->finding_count, sizeof *marks->tracks);
    marks->tracks[marks->track_count++] = path_track(trace, arena);
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].event_count)
            marks->tracks[marks->track_count++] = finding_track(trace, &report->findings[i], arena);
}
