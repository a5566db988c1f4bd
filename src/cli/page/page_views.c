/* SPDX-License-Identifier: Apache-2.0 */
#include "page_views.h"

#include "breakdown/job/across_show.h"
#include "breakdown/job/delay_show.h"
#include "breakdown/kernels/roofline.h"
#include "breakdown/ranks/ranks_show.h"
#include "breakdown/step/breakdown_show.h"
#include "breakdown/summary/summary_job.h"

struct views {
    const struct summary **summaries;
    const struct breakdown **breakdowns;
    const struct curves **curves;
    const struct kernels **kernels;
    const struct operators **operators;
    const struct page_memory **memories;
    struct page_name *names;
};

static struct views views_of(const struct page_taken *const *traces, uint32_t count, struct arena *arena)
{
    struct views views = {
        arena_array(arena, count, sizeof *views.summaries), arena_array(arena, count, sizeof *views.breakdowns),
        arena_array(arena, count, sizeof *views.curves),    arena_array(arena, count, sizeof *views.kernels),
        arena_array(arena, count, sizeof *views.operators), arena_array(arena, count, sizeof *views.memories),
        arena_array(arena, count, sizeof *views.names),
    };
    for (uint32_t i = 0; i < count; i++) {
        views.summaries[i] = &traces[i]->summary;
        views.breakdowns[i] = &traces[i]->summary.details->breakdown;
        views.curves[i] = &traces[i]->curves;
        views.kernels[i] = &traces[i]->kernels;
        views.operators[i] = &traces[i]->operators;
        views.memories[i] = &traces[i]->memory;
        views.names[i] =
            (struct page_name){traces[i]->name, str_printf(arena, "rank %lld", (long long)traces[i]->timeline.rank)};
    }
    return views;
}

/* Who waits for whom, and the path that crosses from rank to rank. */
static void show_job(const struct summary *const *summaries, uint32_t count, struct report *report)
{
    struct job job;
    summary_job(summaries, count, report_arena(report), &job);
    ranks_show(&job.ranks, report);
    across_show(&job, report);
    delay_show(&job, report);
}

void page_views_show(const struct page_taken *const *traces, uint32_t count, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct views views = views_of(traces, count, arena);
    summary_show(views.summaries, count, PAGE_MOST_FINDINGS, (struct again_told){0}, report);
    steps_show(views.breakdowns, count, report);
    curves_show(views.curves, count, report);
    if (count > 1)
        show_job(views.summaries, count, report);
    operators_show(views.operators, count, report);
    kernels_show(views.kernels, count, report);
    roofline_show(views.operators, count, report);
    page_memory_show(views.memories, views.names, count, report);
}
