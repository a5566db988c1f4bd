/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"
#include "report/report.h"

static void value(struct section *section, const char *id, const char *title, int64_t ns)
{
    section_value(section, id, title, UNIT_NS, cell_int(ns));
}

static str verdict(const struct joined *joined, struct arena *arena)
{
    if (joined->device_bound)
        return S("The device works for more than 95 % of a step: what moves data costs the host time, but steps would "
                 "hardly become shorter without it.");
    const double share = joined->step_ns ? 100.0 * (double)joined->saving_ns / (double)joined->step_ns : 0;
    return str_printf(arena, "With all findings fixed together a step would take %.1f %% less.", share);
}

static void show_numbers(const struct joined *joined, struct section *section)
{
    section_value(section, "steps", "steps", UNIT_COUNT, cell_int(joined->steps));
    value(section, "step_ns", "a step", joined->step_ns);
    value(section, "busy_ns", "device at work", joined->busy_ns);
    value(section, "idle_ns", "device idle", joined->idle_ns);
    value(section, "preparing_ns", "of that while the host works", joined->preparing_ns);
    value(section, "loading_ns", "training thread in a data loader", joined->loading_ns);
    section_value(section, "blocking_moves", "copies and synchronisations that wait", UNIT_COUNT,
                  cell_real(joined->blocking_moves));
    value(section, "blocked_ns", "host blocked in them", joined->blocked_ns);
    value(section, "saving_ns", "saving, all findings fixed", joined->saving_ns);
    section_value(section, "confirmed", "findings confirmed", UNIT_COUNT, cell_int(joined->confirmed));
    section_value(section, "in_function", "findings shown in their function", UNIT_COUNT,
                  cell_int(joined->in_function));
    section_value(section, "from_trace", "findings of the trace alone", UNIT_COUNT, cell_int(joined->from_trace));
}

/* Why a trace cannot speak for the source; "" where it can. */
static str objection(const struct joined *joined, struct arena *arena)
{
    if (!joined->has_device)
        return S("shows no work of a device; findings rest on the source alone");
    if (!joined->has_frames)
        return S("records no Python frames (with_stack=True does); findings rest on the source alone");
    if (!joined->belongs)
        return str_printf(arena,
                          "does not belong to this source: none of its %u functions lies in the files linted; findings "
                          "rest on the source alone",
                          joined->functions);
    if (joined->moved)
        return S("was recorded with another state of the source: some functions are told by their name alone");
    return S("");
}

void join_show(const struct joined *joined, struct report *report)
{
    struct arena *arena = report_arena(report);
    const str problem = objection(joined, arena);
    if (problem.len)
        report_warning(report, joined->path, -1, problem);
    if (!joined->has_device || !joined->belongs)
        return;
    struct section *section = report_section(report, "evidence", "A step, as the trace shows it");
    section_text(section, verdict(joined, arena));
    show_numbers(joined, section);
}
