/* SPDX-License-Identifier: Apache-2.0 */
#include "page_source.h"

#include "base/mem.h"
#include "breakdown/drawn/drawn.h"
#include "join/join.h"
#include "report/document.h"

/* Not in the header: the engine of time has a struct joined, too. */
struct page_evidence {
    struct joined *at; /* a trace each */
    size_t count, room;
};

/* ---- reading ---- */

static const char *const *paths_of(const struct call *call, struct arena *arena, uint32_t *count)
{
    const char **paths = arena_array(arena, call->given_count, sizeof *paths);
    *count = 0;
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, "source"))
            paths[(*count)++] = call->given[i].value;
    return paths;
}

bool page_source_open(const struct call *call, struct page_source *source, struct steptime_error *err)
{
    struct lint_options options = {.output = call_text(call, "output")};
    options.paths = paths_of(call, &source->arena, &options.path_count);
    source->asked = options.path_count > 0;
    source->evidence = arena_array(&source->arena, 1, sizeof *source->evidence);
    return !source->asked || lint_run(&options, &source->arena, &source->lint, err);
}

void page_source_close(struct page_source *source)
{
    if (source->asked) {
        lint_release(&source->lint);
        mem_free(source->evidence->at);
    }
    arena_free(&source->arena);
}

/* ---- a trace ---- */

/* Of several traces the one that says most of a finding gives its events: they are this one's where they are new. */
static const uint32_t **events_before(const struct lint *lint, struct arena *scratch)
{
    const uint32_t **events = arena_array(scratch, lint->finding_count, sizeof *events);
    for (uint32_t i = 0; i < lint->finding_count; i++)
        events[i] = lint->findings[i].events;
    return events;
}

static struct page_found found_of(const struct finding *finding, const struct trace *trace, struct arena *arena)
{
    const struct drawn_finding drawn = drawn_finding_of(finding, trace, arena);
    return (struct page_found){drawn.id, drawn.rule, drawn.rows, drawn.count};
}

struct page_found *page_source_join(struct page_source *source, const struct trace *trace, struct arena *arena,
                                    uint32_t *count)
{
    struct arena scratch = {0};
    struct lint *lint = &source->lint;
    const uint32_t known = lint->finding_count;
    const uint32_t **before = events_before(lint, &scratch);
    struct page_evidence *evidence = source->evidence;
    evidence->at = mem_grow(evidence->at, &evidence->room, evidence->count + 1, sizeof *evidence->at);
    join_trace(lint, trace, &source->arena, &evidence->at[evidence->count++]);
    struct report *report = report_new(&scratch, S("lint")); /* for the ids */
    lint_show(lint, false, report);
    struct page_found *found = arena_array(arena, lint->finding_count, sizeof *found);
    *count = 0;
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct finding *finding = &report->findings[i];
        if (finding->event_count && (i >= known || finding->events != before[i]))
            found[(*count)++] = found_of(finding, trace, arena);
    }
    arena_free(&scratch);
    return found;
}

/* ---- all ---- */

void page_source_show(const struct page_source *source, struct report *report)
{
    if (!source->asked)
        return;
    report_section(report, "lint", "The source"); /* the first title counts */
    lint_show(&source->lint, false, report);
    join_show(source->evidence->at, (uint32_t)source->evidence->count, report);
    report_rank_findings(report);
}
