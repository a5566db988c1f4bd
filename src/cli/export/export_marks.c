/* SPDX-License-Identifier: Apache-2.0 */
#include "export_marks.h"

#include <stdlib.h>

#include "breakdown/drawn/drawn.h"
#include "breakdown/summary/summary.h"

static const struct selection all_steps;

static struct perfetto_track path_track(const struct trace *trace, struct arena *arena)
{
    uint32_t count;
    const struct drawn_stretch *path = drawn_path(trace, arena, &count);
    struct perfetto_mark *marks = arena_array(arena, count, sizeof *marks);
    for (uint32_t i = 0; i < count; i++)
        marks[i] = (struct perfetto_mark){path[i].start_ns, path[i].end_ns, path[i].row, path[i].name, path[i].class};
    return (struct perfetto_track){S("critical path"), marks, count};
}

static int by_start(const void *a, const void *b)
{
    const struct perfetto_mark *left = a, *right = b;
    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* Events that lie in one another are told one behind the other, so far as they do not overlap. */
static struct perfetto_track finding_track(const struct trace *trace, const struct drawn_finding *finding,
                                           struct arena *arena)
{
    struct perfetto_mark *marks = arena_array(arena, finding->count, sizeof *marks);
    const uint32_t count = finding->count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = finding->rows[i];
        marks[i] = (struct perfetto_mark){trace->start_ns[row], trace_end_ns(trace, row), row,
                                          str_copy(arena, trace_name(trace, row)), finding->message};
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
    uint32_t count;
    const struct drawn_finding *findings = drawn_findings(summary, trace, EXPORT_MOST_FINDINGS, arena, &count);
    marks->tracks = arena_array(arena, 1 + count, sizeof *marks->tracks);
    marks->tracks[marks->track_count++] = path_track(trace, arena);
    for (uint32_t i = 0; i < count; i++)
        marks->tracks[marks->track_count++] = finding_track(trace, &findings[i], arena);
}
