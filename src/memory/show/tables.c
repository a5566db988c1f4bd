/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

static int64_t since(const struct memory_account *account, int64_t time_ns)
{
    return time_ns >= 0 && account->first_ns >= 0 && time_ns >= account->first_ns ? time_ns - account->first_ns : -1;
}

static void cells_of_side(struct table *table, const struct memory_told *told, struct arena *arena)
{
    table_text(table, told_device(told, arena));
    table_cell(table, cell_text_or_null(told->input));
}

static void file_and_line(struct table *table, const struct memory_log *log, uint32_t frame, struct arena *arena)
{
    table_cell(table, frame == MEMORY_NONE
                          ? cell_null()
                          : cell_text_or_null(str_copy(arena, intern_text(log->names, log->frames[frame].file))));
    table_cell(table, cell_int_if(frame != MEMORY_NONE, frame == MEMORY_NONE ? 0 : log->frames[frame].line));
}

/* ---- one table each; `table` may be asked for several accounts ---- */

static void devices(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    table_row(table);
    cells_of_side(table, told, arena);
    table_int(table, a->peak);
    table_cell(table, cell_int_or_null(since(a, a->peak_ns)));
    table_cell(table, cell_int_or_null(a->reserved_peak));
    table_int(table, a->begin);
    table_int(table, a->end);
    table_cell(table, cell_int_or_null(a->reserved_end));
    table_int(table, (int64_t)a->allocations);
    table_int(table, (int64_t)a->frees);
    table_int(table, (int64_t)a->unmatched);
    table_int(table, (int64_t)a->doubled);
    table_int(table, a->steps.count);
}

static void inner_and_operator(struct table *table, const struct memory_log *log, uint32_t context, struct arena *arena)
{
    const struct memory_context *of = &log->contexts[context];
    const bool other = of->user != MEMORY_NONE && of->inner != of->user;
    table_cell(table, other ? cell_text_or_null(memory_frame_words(log, of->inner, arena)) : cell_null());
    table_cell(table, cell_text_or_null(str_copy(arena, intern_text(log->names, of->node))));
}

static const char *const told_by[] = {
    [TOLD_BY_NOTHING] = "nothing", [TOLD_BY_LIFE] = "life", [TOLD_BY_STACK] = "stack", [TOLD_BY_OBJECT] = "object"};

static void lines(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (uint32_t i = 0; i < a->line_count; i++) {
        const struct memory_line *line = &a->lines[i];
        const uint32_t frame = told_frame(a->log, line->context);
        table_row(table);
        table_text(table, told_line(a->log, line->context, line->before, arena));
        table_int(table, line->bytes);
        table_cell(table, cell_ratio((double)line->bytes, (double)a->peak));
        table_int(table, line->pieces);
        table_text(table, str_of(memory_category_word(line->category)));
        table_text(table, str_of(told_by[line->told]));
        inner_and_operator(table, a->log, line->context, arena);
        table_cell(table, cell_text_or_null(str_copy(arena, intern_text(a->log->names, line->name))));
        table_int(table, line->largest);
        cells_of_side(table, told, arena);
        file_and_line(table, a->log, frame, arena);
        table_cell(table,
                   frame == MEMORY_NONE
                       ? cell_null()
                       : cell_text_or_null(str_copy(arena, intern_text(a->log->names, a->log->frames[frame].name))));
    }
}

static void categories(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (int i = 0; i < CATEGORIES; i++) {
        const struct memory_share *share = &a->categories[i];
        if (!share->pieces)
            continue;
        table_row(table);
        table_text(table, str_of(memory_category_word((enum memory_category)i)));
        table_int(table, share->bytes);
        table_cell(table, cell_ratio((double)share->bytes, (double)a->peak));
        table_int(table, share->pieces);
        table_cell(table, cell_ratio((double)share->certain_bytes, (double)share->bytes));
        cells_of_side(table, told, arena);
    }
}

static void layout_row(struct table *table, str moment, const struct memory_layout *layout,
                       const struct memory_told *told, struct arena *arena)
{
    table_row(table);
    table_text(table, moment);
    table_int(table, layout->reserved);
    table_int(table, layout->held);
    table_int(table, layout->free);
    table_int(table, layout->stuck);
    table_int(table, layout->largest);
    table_int(table, layout->pieces);
    table_cell(table, layout->free > 0 ? cell_real(1 - (double)layout->largest / (double)layout->free) : cell_null());
    table_cell(table, cell_int_or_null(layout->rounding));
    cells_of_side(table, told, arena);
}

static void layouts(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    if (a->at_peak.known)
        layout_row(table, S("peak"), &a->at_peak, told, arena);
    for (uint32_t i = 0; i < a->out_count; i++)
        if (a->outs[i].layout.known)
            layout_row(table, str_printf(arena, "out of memory %u", i + 1), &a->outs[i].layout, told, arena);
    if (a->at_end.known)
        layout_row(table, S("end"), &a->at_end, told, arena);
}

static void leaks(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (uint32_t i = 0; i < a->leak_count; i++) {
        const struct memory_leak *leak = &a->leaks[i];
        table_row(table);
        table_text(table, told_line(a->log, leak->context, false, arena));
        table_int(table, leak->bytes / leak->of);
        table_int(table, leak->pieces);
        table_int(table, leak->steps);
        table_int(table, leak->of);
        table_text(table, leak->certain ? S("yes") : S("doubtful"));
        inner_and_operator(table, a->log, leak->context, arena);
        cells_of_side(table, told, arena);
        file_and_line(table, a->log, told_frame(a->log, leak->context), arena);
    }
}

static void outs(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (uint32_t i = 0; i < a->out_count; i++) {
        const struct memory_out *out = &a->outs[i];
        table_row(table);
        table_text(table, told_line(a->log, out->context, false, arena));
        table_int(table, out->asked);
        table_cell(table, cell_int_or_null(out->device_free));
        table_int(table, out->held);
        table_cell(table, cell_int_or_null(out->reserved));
        table_cell(table, cell_int_if(out->layout.known, out->layout.free));
        table_cell(table, cell_int_if(out->layout.known, out->layout.largest));
        table_cell(table, cell_int_or_null(since(a, out->time_ns)));
        cells_of_side(table, told, arena);
        file_and_line(table, a->log, told_frame(a->log, out->context), arena);
    }
}

static void steps(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (uint32_t i = 0; i < a->steps.count; i++) {
        const struct memory_step_numbers *step = &a->step_numbers[i];
        table_row(table);
        table_int(table, step->number);
        table_int(table, step->peak);
        table_int(table, step->end);
        table_cell(table, cell_int_or_null(step->reserved));
        cells_of_side(table, told, arena);
    }
}

static void timeline(struct table *table, const struct memory_account *a)
{
    for (uint32_t i = 0; i < a->points; i++) {
        if (since(a, a->timeline[i].time_ns) < 0)
            continue;
        table_row(table);
        table_int(table, since(a, a->timeline[i].time_ns));
        table_int(table, a->timeline[i].held);
        table_cell(table, cell_int_or_null(a->timeline[i].reserved));
    }
}

/* ---- the report ---- */

typedef void fill_fn(struct table *table, const struct memory_told *told, struct arena *arena);

static struct section *tell(struct report *report, const char *id, const char *title, const struct memory_told *told,
                            uint32_t count, fill_fn *fill)
{
    struct section *section = report_section(report, id, title);
    struct table *table = section_table(section, id, "");
    memory_columns(table, id);
    for (uint32_t i = 0; i < count; i++)
        fill(table, &told[i], report_arena(report));
    return section;
}

static bool any(const struct memory_told *told, uint32_t count, bool (*has)(const struct memory_account *))
{
    for (uint32_t i = 0; i < count; i++)
        if (has(&told[i].account))
            return true;
    return false;
}

static bool has_layout(const struct memory_account *a)
{
    return a->at_end.known || a->at_peak.known;
}
static bool has_leaks(const struct memory_account *a)
{
    return a->leak_count;
}
static bool has_outs(const struct memory_account *a)
{
    return a->out_count;
}
static bool has_steps(const struct memory_account *a)
{
    return a->steps.count;
}

static const struct memory_told *fullest_of(const struct memory_told *told, uint32_t count)
{
    const struct memory_told *fullest = told;
    for (uint32_t i = 1; i < count; i++) { /* what a GPU holds is what people ask for */
        const bool better_kind = told[i].account.device >= 0 && fullest->account.device < 0;
        const bool same_kind = (told[i].account.device >= 0) == (fullest->account.device >= 0);
        if (better_kind || (same_kind && told[i].account.peak > fullest->account.peak))
            fullest = &told[i];
    }
    return fullest;
}

static void tell_timeline(const struct memory_told *fullest, struct report *report)
{
    struct section *section = report_section(report, "memory_devices", "Devices");
    struct table *table = section_table(section, "memory_timeline", "Memory over time");
    memory_columns(table, "memory_timeline");
    timeline(table, &fullest->account);
    table_json_only(table);
    section_page_figure(section, "memory_over_time", FIGURE_LINE, "memory_timeline", "time_ns", "held_bytes");
    if (fullest->account.reserved_peak >= 0)
        section_page_figure(section, "reserved_over_time", FIGURE_LINE, "memory_timeline", "time_ns", "reserved_bytes");
}

void memory_show(const struct memory_told *told, uint32_t count, struct report *report)
{
    const struct memory_told *fullest = fullest_of(told, count);
    memory_tell_verdict(fullest, report_section(report, "memory", "Memory"), report);
    if (any(told, count, has_outs))
        tell(report, "out_of_memory", "Out of memory", told, count, outs);
    tell(report, "memory_lines", "What filled it, at the peak", told, count, lines);
    tell(report, "memory_categories", "For what, at the peak", told, count, categories);
    if (any(told, count, has_leaks))
        tell(report, "memory_leaks", "What grows step by step", told, count, leaks);
    if (any(told, count, has_layout))
        tell(report, "memory_layout", "How it is cut up", told, count, layouts);
    if (any(told, count, has_steps))
        tell(report, "memory_steps", "Step by step", told, count, steps);
    tell(report, "memory_devices", "Devices", told, count, devices);
    tell_timeline(fullest, report);
    uint32_t found[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++)
        memory_find(&told[i], found, report);
    report_words(report, memory_words);
}
