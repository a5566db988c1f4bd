/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"
#include "report/report.h"

static str verdict(const struct joined *joined, struct arena *arena)
{
    if (joined->device_bound)
        return S(
            "The device works for more than 95 % of a step: moving data costs the host time, but steps would hardly "
            "become shorter without it.");
    const double share = joined->step_ns ? 100.0 * (double)joined->saving_ns / (double)joined->step_ns : 0;
    return str_printf(arena, "With all findings of the source fixed together a step would take %.1f %% less.", share);
}

static const struct column_spec traces_columns[] = {
    {"trace", "trace", UNIT_NONE, COLUMN_WIDE, "path of the trace"},
    {"steps", "steps", UNIT_COUNT, 0, "steps selected"},
    {"step_ns", "a step", UNIT_NS, 0, "mean time of a step"},
    {"busy_ns", "device busy", UNIT_NS, 0, "union of device work, a step"},
    {"idle_ns", "device idle", UNIT_NS, COLUMN_DETAIL, "step less busy_ns"},
    {"preparing_ns", "host works in it", UNIT_NS, COLUMN_DETAIL,
     "idle time of the device in which the host works on values of its own, a step"},
    {"loading_ns", "data loader", UNIT_NS, COLUMN_DETAIL,
     "idle time of the device in which the host is in the data loader, a step"},
    {"blocking_moves", "waits", UNIT_COUNT, 0, "copies and waits that block the host, a step"},
    {"blocked_ns", "host blocked", UNIT_NS, 0, "time that the host is blocked by them, a step"},
    {"saving_ns", "saving", UNIT_NS, 0, "less step time without the findings, by replay of the trace"},
    {"confirmed", "confirmed", UNIT_COUNT, 0, "findings whose exact line the trace shows"},
    {"in_function", "in function", UNIT_COUNT, 0, "findings whose function the trace shows"},
    {"from_trace", "trace alone", UNIT_COUNT, 0, "findings of the trace that no line of the source explains"},
    {0},
};

static struct table *new_table(struct section *section)
{
    struct table *table = section_table(section, "traces", "");
    table_columns(table, traces_columns);
    return table;
}

static void show_row(struct table *table, const struct joined *joined)
{
    table_row(table);
    table_text(table, joined->path);
    table_int(table, joined->steps);
    table_int(table, joined->step_ns);
    table_int(table, joined->busy_ns);
    table_int(table, joined->idle_ns);
    table_int(table, joined->preparing_ns);
    table_int(table, joined->loading_ns);
    table_real(table, joined->blocking_moves);
    table_int(table, joined->blocked_ns);
    table_int(table, joined->saving_ns);
    table_int(table, joined->confirmed);
    table_int(table, joined->in_function);
    table_int(table, joined->from_trace);
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

static bool speaks(const struct joined *joined)
{
    return joined->has_device && joined->belongs;
}

void join_show(const struct joined *joined, uint32_t count, struct report *report)
{
    struct section *section = NULL;
    struct table *table = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const str problem = objection(&joined[i], report_arena(report));
        if (problem.len)
            report_warning(report, joined[i].path, -1, problem);
        if (!speaks(&joined[i]))
            continue;
        if (!section) {
            section = report_section(report, "evidence", "A step, as traces show it");
            section_text(section, verdict(&joined[i], report_arena(report)));
            table = new_table(section);
        }
        show_row(table, &joined[i]);
    }
}
