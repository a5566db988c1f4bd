/* SPDX-License-Identifier: Apache-2.0 */
#include "drawn.h"

#include "breakdown/path/critical_path.h"
#include "breakdown/summary/summary.h"
#include "report/document.h"

static const struct selection all_steps;

struct drawn_stretch *drawn_path(const struct trace *trace, struct arena *arena, uint32_t *count)
{
    struct critical_path path = {0};
    critical_path_run(trace, &all_steps, PATH_ALL, arena, &path);
    struct drawn_stretch *stretches = arena_array(arena, path.stretch_count, sizeof *stretches);
    for (uint32_t i = 0; i < path.stretch_count; i++) {
        const struct path_stretch *from = &path.stretches[i];
        const str name = path.names[from->name], class = str_of(path_class_title(from->class));
        stretches[i] = (struct drawn_stretch){from->start_ns, from->end_ns, from->row, name.len ? name : class, class};
    }
    *count = path.stretch_count;
    return stretches;
}

struct drawn_finding drawn_finding_of(const struct finding *finding, const struct trace *trace, struct arena *arena)
{
    uint32_t *rows = arena_array(arena, finding->event_count, sizeof *rows), count = 0;
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i] < trace->count)
            rows[count++] = finding->events[i];
    return (struct drawn_finding){str_copy(arena, finding->id), str_copy(arena, finding->rule),
                                  str_copy(arena, finding->message), rows, count};
}

struct drawn_finding *drawn_findings(const struct summary *summary, const struct trace *trace, uint32_t most,
                                     struct arena *arena, uint32_t *count)
{
    struct report *report = report_new(arena, S("drawn"));
    summary_show((const struct summary *const[]){summary}, 1, most, (struct again_told){0}, report);
    struct drawn_finding *findings = arena_array(arena, report->finding_count, sizeof *findings);
    *count = 0;
    for (uint32_t i = 0; i < report->finding_count; i++) {
        const struct drawn_finding finding = drawn_finding_of(&report->findings[i], trace, arena);
        if (finding.count)
            findings[(*count)++] = finding;
    }
    return findings;
}
