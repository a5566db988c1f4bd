/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <stdlib.h>

static int64_t since(const struct memory_account *account, int64_t time_ns)
{
    return time_ns >= 0 && account->first_ns >= 0 && time_ns >= account->first_ns ? time_ns - account->first_ns : -1;
}

static void cell_of_name(struct table *table, const struct memory_told *told)
{
    table_cell(table, cell_text_or_null(told->name));
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

static bool several_devices(const struct memory_told *told, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (told[i].account.device != told[0].account.device)
            return true;
    return false;
}

/* ---- one table each; `table` may be asked for several accounts ---- */

static void devices(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    table_row(table);
    table_text(table, told_device(told, arena));
    cell_of_name(table, told);
    table_cell(table, cell_text_or_null(told->input));
    table_int(table, a->peak);
    table_cell(table, cell_int_or_null(since(a, a->peak_ns)));
    table_cell(table, cell_int_or_null(a->reserved_peak));
    table_cell(table, cell_int_if(a->begin_known, a->begin));
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

static void line_row(struct table *table, const struct memory_told *told, uint32_t i, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    const struct memory_line *line = &a->lines[i];
    const uint32_t frame = told_frame(a->log, line->context);
    table_row(table);
    table_text(table, told_line(a->log, line->context, line->before, arena));
    cell_of_name(table, told);
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
    table_cell(table, frame == MEMORY_NONE
                          ? cell_null()
                          : cell_text_or_null(str_copy(arena, intern_text(a->log->names, a->log->frames[frame].name))));
}

static void category_row(struct table *table, const struct memory_told *told, uint32_t i, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    const struct memory_share *share = &a->categories[i];
    table_row(table);
    table_text(table, str_of(memory_category_word((enum memory_category)i)));
    cell_of_name(table, told);
    table_int(table, share->bytes);
    table_cell(table, cell_ratio((double)share->bytes, (double)a->peak));
    table_int(table, share->pieces);
    table_cell(table, cell_ratio((double)share->certain_bytes, (double)share->bytes));
    cells_of_side(table, told, arena);
}

static void layout_row(struct table *table, str moment, const struct memory_layout *layout,
                       const struct memory_told *told, struct arena *arena)
{
    table_row(table);
    table_text(table, moment);
    cell_of_name(table, told);
    table_int(table, layout->reserved);
    table_int(table, layout->held);
    table_int(table, layout->free);
    table_int(table, layout->stuck);
    table_int(table, layout->usable);
    table_int(table, layout->largest);
    table_int(table, layout->pieces);
    table_cell(table,
               layout->usable > 0 ? cell_real(1 - (double)layout->largest / (double)layout->usable) : cell_null());
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

static void leak_row(struct table *table, const struct memory_told *told, uint32_t i, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    const struct memory_leak *leak = &a->leaks[i];
    table_row(table);
    table_text(table, told_line(a->log, leak->context, false, arena));
    cell_of_name(table, told);
    table_int(table, leak->bytes / leak->of);
    table_int(table, leak->pieces);
    table_int(table, leak->steps);
    table_int(table, leak->of);
    table_text(table, leak->certain ? S("yes") : S("doubtful"));
    inner_and_operator(table, a->log, leak->context, arena);
    cells_of_side(table, told, arena);
    file_and_line(table, a->log, told_frame(a->log, leak->context), arena);
}

static void outs(struct table *table, const struct memory_told *told, struct arena *arena)
{
    const struct memory_account *a = &told->account;
    for (uint32_t i = 0; i < a->out_count; i++) {
        const struct memory_out *out = &a->outs[i];
        table_row(table);
        table_text(table, told_line(a->log, out->context, false, arena));
        cell_of_name(table, told);
        table_int(table, out->asked);
        table_cell(table, cell_int_or_null(out->device_free));
        table_int(table, out->held);
        table_cell(table, cell_int_or_null(out->reserved));
        table_cell(table, cell_int_if(out->layout.known, out->layout.free));
        table_cell(table, cell_int_if(out->layout.known, out->layout.usable));
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
        cell_of_name(table, told);
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

/* ---- rows of all files together, the largest first ---- */

struct sized_row {
    int64_t bytes;
    uint32_t told, row;
};

static int largest_first(const void *a, const void *b)
{
    const struct sized_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->told != y->told ? (x->told > y->told) - (x->told < y->told) : (x->row > y->row) - (x->row < y->row);
}

/* What such a table has of one account: how many rows there may be, the bytes of one (below 0: it is none), its cells. */
struct sized_rows {
    uint32_t (*count)(const struct memory_account *a);
    int64_t (*bytes)(const struct memory_account *a, uint32_t row);
    void (*fill)(struct table *table, const struct memory_told *told, uint32_t row, struct arena *arena);
};

static uint32_t line_count(const struct memory_account *a)
{
    return a->line_count;
}
static int64_t line_bytes(const struct memory_account *a, uint32_t row)
{
    return a->lines[row].bytes;
}
static uint32_t category_count(const struct memory_account *a)
{
    (void)a;
    return CATEGORIES;
}
static int64_t category_bytes(const struct memory_account *a, uint32_t row)
{
    return a->categories[row].pieces ? a->categories[row].bytes : -1;
}
static uint32_t leak_count(const struct memory_account *a)
{
    return a->leak_count;
}
static int64_t leak_bytes(const struct memory_account *a, uint32_t row)
{
    return a->leaks[row].bytes / a->leaks[row].of;
}

static const struct sized_rows of_lines = {line_count, line_bytes, line_row},
                               of_categories = {category_count, category_bytes, category_row},
                               of_leaks = {leak_count, leak_bytes, leak_row};

static size_t size_rows(const struct memory_told *told, uint32_t count, const struct sized_rows *of,
                        struct sized_row *sized)
{
    size_t rows = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < of->count(&told[i].account); k++) {
            const int64_t bytes = of->bytes(&told[i].account, k);
            if (bytes >= 0)
                sized[rows++] = (struct sized_row){bytes, i, k};
        }
    return rows;
}

static void tell_sized(struct report *report, const char *id, const char *title, const struct memory_told *told,
                       uint32_t count, const struct sized_rows *of)
{
    struct table *table = section_table(report_section(report, id, title), id, "");
    struct arena scratch = {0};
    size_t most = 0;
    memory_columns(table, id, several_devices(told, count));
    if (count > 1)
        table_several_wholes(table);
    for (uint32_t i = 0; i < count; i++)
        most += of->count(&told[i].account);
    struct sized_row *sized = arena_array(&scratch, most, sizeof *sized);
    const size_t rows = size_rows(told, count, of, sized);
    if (rows)
        qsort(sized, rows, sizeof *sized, largest_first);
    for (size_t i = 0; i < rows; i++)
        of->fill(table, &told[sized[i].told], sized[i].row, report_arena(report));
    arena_free(&scratch);
}

static struct section *tell(struct report *report, const char *id, const char *title, const struct memory_told *told,
                            uint32_t count, fill_fn *fill)
{
    struct section *section = report_section(report, id, title);
    struct table *table = section_table(section, id, "");
    memory_columns(table, id, several_devices(told, count));
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

/* What a GPU holds is what people ask for. */
static int fuller(const struct memory_account *a, const struct memory_account *b)
{
    const bool of_gpu = a->device >= 0, other = b->device >= 0;
    return of_gpu != other ? of_gpu - other : (a->peak > b->peak) - (a->peak < b->peak);
}

static const struct memory_told *fullest_of(const struct memory_told *told, uint32_t count)
{
    const struct memory_told *fullest = told;
    for (uint32_t i = 1; i < count; i++)
        if (fuller(&told[i].account, &fullest->account) > 0)
            fullest = &told[i];
    return fullest;
}

static int fullest_first(const void *a, const void *b)
{
    const struct memory_told *x = a, *y = b;
    const int order = fuller(&y->account, &x->account);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Of one file its devices stand in their order. */
static void order_files(struct memory_told *told, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        told[i].order = i;
    if (told[0].input.len)
        qsort(told, count, sizeof *told, fullest_first);
}

static void tell_timeline(const struct memory_told *fullest, struct report *report)
{
    struct section *section = report_section(report, "memory_devices", "Devices");
    struct table *table = section_table(section, "memory_timeline", "Memory over time");
    memory_columns(table, "memory_timeline", false);
    timeline(table, &fullest->account);
    table_json_only(table);
    section_page_figure(section, "memory_over_time", FIGURE_LINE, "memory_timeline", "time_ns", "held_bytes");
    if (fullest->account.reserved_peak >= 0)
        section_page_figure(section, "reserved_over_time", FIGURE_LINE, "memory_timeline", "time_ns", "reserved_bytes");
}

void memory_show(struct memory_told *told, uint32_t count, struct report *report)
{
    order_files(told, count);
    const struct memory_told *fullest = fullest_of(told, count);
    memory_tell_verdict(fullest, report_section(report, "memory", "Memory"), report);
    if (any(told, count, has_outs))
        tell(report, "out_of_memory", "Out of memory", told, count, outs);
    tell_sized(report, "memory_lines", "What filled it, at the peak", told, count, &of_lines);
    tell_sized(report, "memory_categories", "For what, at the peak", told, count, &of_categories);
    if (any(told, count, has_leaks))
        tell_sized(report, "memory_leaks", "What grows step by step", told, count, &of_leaks);
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
