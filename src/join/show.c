/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"
#include "report/report.h"

static str verdict(const struct joined *joined, struct arena *arena)
{
    if (joined->device_bound)
        return S(
            "The device works for more than 95 % of a step: moving data costs the host time, but steps would hardly "
            "become shorter without it.");
    const double step_ns = (double)joined->bare_step_ns;
    return str_printf(arena, "With all findings of the source fixed together a step would take %.1f %% less.",
                      step_ns > 0 ? 100 * (double)joined->saving_ns / step_ns : 0);
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
    {"bare_step_ns", "a step replayed", UNIT_NS, COLUMN_DETAIL,
     "the step that savings are told of: without the recorder, where it made steps much longer"},
    {"confirmed", "confirmed", UNIT_COUNT, 0, "findings whose exact line the trace shows"},
    {"in_function", "in function", UNIT_COUNT, 0, "findings whose function the trace shows"},
    {"lines_seen", "lines seen", UNIT_COUNT, COLUMN_DETAIL,
     "lines of the source that PyTorch itself saw wait (record --sync-lines)"},
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
    table_int(table, joined->bare_step_ns);
    table_int(table, joined->confirmed);
    table_int(table, joined->in_function);
    table_int(table, joined->lines_seen);
    table_int(table, joined->from_trace);
}

/* ---- lines that were seen to wait ---- */

static const struct column_spec lines_columns[] = {
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "as the interpreter names it"},
    {"line", "line", UNIT_COUNT, 0, "that called what waits"},
    {"function", "function", UNIT_NONE, 0, "it stands in"},
    {"waits", "waits", UNIT_COUNT, 0, "for the device, a step"},
    {"in_steps", "in steps", UNIT_COUNT, COLUMN_DETAIL, "of those in which PyTorch warned of them"},
    {"rule", "rule", UNIT_NONE, 0, "of a finding there; empty: no rule finds this wait"},
    {"via", "via", UNIT_NONE, COLUMN_DETAIL, "the call within a library that waits, where it is one"},
    {0},
};

static void show_lines(struct section *section, const struct sync_lines *lines)
{
    struct table *const table = section_table(section, "sync_lines", "Lines that PyTorch saw wait for the device");
    table_columns(table, lines_columns);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct sync_line *const line = &lines->at[i];
        table_row(table);
        table_text(table, line->file);
        table_int(table, line->line);
        table_text(table, line->function);
        table_real(table, (double)line->count / (double)lines->steps);
        table_int(table, line->steps);
        table_text(table, line->rule);
        table_text(table, line->via);
    }
}

/* All ranks run the same lines: the first that has some speaks. */
static const struct sync_lines *lines_of(const struct joined *joined, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (joined[i].lines.count)
            return &joined[i].lines;
    return NULL;
}

/* ---- of a host without a device ---- */

static bool is_of_host(const struct joined *joined)
{
    return !joined->has_device && joined->has_frames && joined->belongs;
}

static const struct column_spec hosts_columns[] = {
    {"trace", "trace", UNIT_NONE, COLUMN_WIDE, "path of the trace"},
    {"steps", "steps", UNIT_COUNT, 0, "steps selected"},
    {"step_ns", "a step", UNIT_NS, 0, "without the recorder where that is known; else the median of those recorded"},
    {"under_lines", "findings", UNIT_COUNT, 0, "findings under whose lines the training thread spends time"},
    {"saving_ns", "saving", UNIT_NS, 0, "what their rewrites spare together; time that several share counts once"},
    {0},
};

static void show_hosts(const struct joined *joined, uint32_t count, struct report *report)
{
    struct table *table = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_of_host(&joined[i]))
            continue;
        if (!table) {
            struct section *const section = report_section(report, "host_time", "A step without a device");
            section_text(section,
                         S("No device works in it, so nothing waits for one: what a finding costs is the host's time "
                           "under its lines."));
            table = section_table(section, "hosts", "");
            table_columns(table, hosts_columns);
        }
        table_row(table);
        table_text(table, joined[i].path);
        table_int(table, joined[i].steps);
        table_int(table, joined[i].bare_step_ns);
        table_int(table, joined[i].under_lines);
        table_int(table, joined[i].saving_ns);
    }
}

/* Why a trace cannot speak for the source; "" where it can. */
static str objection(const struct joined *joined, struct arena *arena)
{
    if (is_of_host(joined))
        return S("");
    if (!joined->has_device)
        return S("shows no work of a device; findings rest on the source alone");
    if (!joined->has_frames && joined->lines_seen)
        return S("records no Python frames (with_stack=True does); findings rest on lines that PyTorch saw wait");
    if (!joined->has_frames)
        return S("records no Python frames (with_stack=True does); findings rest on the source alone");
    if (!joined->belongs && !joined->lines_seen)
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
    return joined->has_device && (joined->belongs || joined->lines_seen);
}

void join_show(const struct joined *joined, uint32_t count, struct report *report)
{
    show_hosts(joined, count, report);
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
    const struct sync_lines *const lines = lines_of(joined, count);
    if (section && lines)
        show_lines(section, lines);
}
