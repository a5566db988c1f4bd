/* SPDX-License-Identifier: Apache-2.0 */
#include "price_dry_show.h"

#include "base/sum.h"

static const struct column_spec columns[] = {
    {"kind", "kind", UNIT_NONE, 0,
     "value: a stand-in was given for a number; branch: the script chose its way by one; shape: a stand-in for a shape; "
     "skipped: not done in a dry run"},
    {"place", "place", UNIT_NONE, COLUMN_WIDE, "the line of the script, or of the package that asked"},
    {"call", "call", UNIT_NONE, 0, "what was called there"},
    {"times", "times", UNIT_COUNT, 0, "how often"},
    {0},
};

static void put_notes(struct section *section, const struct dry_result *dry)
{
    struct table *const table = section_table(section, "stand_ins", "Stand-ins");
    table_columns(table, columns);
    for (uint32_t i = 0; i < dry->count; i++) {
        table_row(table);
        table_text(table, str_of(dry_kind_word(dry->at[i].kind)));
        table_text(table, dry->at[i].place);
        table_text(table, dry->at[i].words);
        table_int(table, dry->at[i].times);
    }
}

void price_show_dry(const struct dry_result *dry, bool shapes, struct report *report)
{
    if (shapes && !dry->shaped)
        report_warning(report, S("--batch-shape"), -1,
                       S("no DataLoader of the script handed out such batches: it gets its data otherwise"));
    struct section *const section = report_section(report, "dry_run", "Dry run");
    section_value(section, "steps", "steps made", UNIT_COUNT, cell_int(dry->steps));
    section_value(section, "values", "values stood in for", UNIT_COUNT, cell_int((int64_t)dry->times[DRY_VALUE]));
    section_value(section, "branches", "branches on stand-ins", UNIT_COUNT, cell_int((int64_t)dry->times[DRY_BRANCH]));
    section_value(section, "shapes", "shapes stood in for", UNIT_COUNT, cell_int((int64_t)dry->times[DRY_SHAPE]));
    section_value(section, "torch", "PyTorch", UNIT_NONE, cell_text_or_null(dry->torch));
    if (dry->short_because.len)
        section_text(section, str_printf(report_arena(report), "The script made no more steps: it stopped %.*s",
                                         (int)dry->short_because.len, dry->short_because.at));
    if (dry->of_first)
        section_text(
            section,
            S("The first step is priced: only if all were made is the last one known, and a second run for as many steps as were "
              "made had no time, or went otherwise."));
    if (dry->by_hand.len)
        section_text(section,
                     str_printf(report_arena(report), "Steps end with backward() at %.*s: no optimizer was made.",
                                (int)dry->by_hand.len, dry->by_hand.at));
    if (dry->nothing_there)
        section_text(section, S("The script puts nothing on the device: it is priced as if all of it lay there."));
    if (dry->times[DRY_BRANCH])
        section_text(section,
                     S("The script chose its way by values that nobody knows: the lines are below. A real run may "
                       "do something else there."));
    if (dry->count)
        put_notes(section, dry);
}

/* ---- what no interval holds ---- */

/* The line that did so most often; NULL: none did. */
static const struct dry_note *most_often(const struct dry_result *dry, enum dry_kind kind)
{
    const struct dry_note *most = NULL;
    for (uint32_t i = 0; i < dry->count; i++)
        if (dry->at[i].kind == kind && (!most || dry->at[i].times > most->times))
            most = &dry->at[i];
    return most;
}

static void leave_out(const struct dry_result *dry, enum dry_kind kind, const char *what, struct report *report)
{
    const struct dry_note *const most = most_often(dry, kind);
    const unsigned long long times = dry->times[kind];
    if (most)
        section_text(report_section(report, "price", "Price"),
                     str_printf(report_arena(report), "Not in the intervals: %s (%s%.*s, %llu time%s in all).", what,
                                times > (uint64_t)most->times ? "most often at " : "at ", (int)most->place.len,
                                most->place.at, times, times == 1 ? "" : "s"));
}

void price_show_left_out(const struct dry_result *dry, struct report *report)
{
    leave_out(dry, DRY_BRANCH, "a real run may go another way where stand-ins chose the script's", report);
    leave_out(dry, DRY_SHAPE,
              "sizes that depend on values are the largest they can be, and sparse tensors count as full ones", report);
}

/* ---- memory ---- */

static const struct column_spec memory_columns[] = {
    {"kind", "held for", UNIT_NONE, 0,
     "parameters, buffers, gradients, optimizer (its state), activations (made before backward() and none of these), made "
     "backwards (the same in backward()), other"},
    {"bytes", "at the peak", UNIT_BYTES, COLUMN_SUM, "what is held for that where the peak is reached"},
    {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "bytes / peak_bytes"},
    {0},
};

static const struct column_spec held_columns[] = {
    {"place", "made at", UNIT_NONE, COLUMN_WIDE, "the line of the script, or of the package that made them"},
    {"kind", "held for", UNIT_NONE, 0, "as in the table above"},
    {"bytes", "at the peak", UNIT_BYTES, COLUMN_PART,
     "all storages that this line made, of this kind, and that live at the peak"},
    {"storages", "storages", UNIT_COUNT, COLUMN_SUM, "how many of them"},
    {0},
};

static void put_kinds(const struct dry_memory *memory, struct section *section)
{
    struct table *const table = section_table(section, "memory", "At the peak");
    table_columns(table, memory_columns);
    for (int kind = 0; kind < DRY_MEMORY_KINDS; kind++) {
        if (!memory->by_kind[kind])
            continue;
        table_row(table);
        table_text(table, str_of(dry_memory_word((enum dry_memory_kind)kind)));
        table_int(table, memory->by_kind[kind]);
        table_cell(table, cell_ratio((double)memory->by_kind[kind], (double)memory->peak_bytes));
    }
}

static void put_held(const struct dry_memory *memory, struct section *section)
{
    struct table *const table = section_table(section, "held", "By line");
    table_columns(table, held_columns);
    for (uint32_t i = 0; i < memory->held_count; i++) {
        table_row(table);
        table_text(table, memory->held[i].place);
        table_text(table, str_of(dry_memory_word(memory->held[i].kind)));
        table_int(table, memory->held[i].bytes);
        table_int(table, memory->held[i].storages);
    }
}

static void put_beside(const struct hardware *on, int64_t peak_bytes, struct section *section)
{
    const struct fit_range context = fit_context(), workspaces = fit_workspaces(on);
    const int64_t allocated = fit_workspaces_allocated(on);
    if (allocated)
        section_value(section, "allocated_bytes", "with two workspaces of cuBLAS", UNIT_BYTES,
                      cell_int(sum_add(peak_bytes, allocated)));
    section_value(section, "context_low_bytes", "CUDA's context, at least", UNIT_BYTES, cell_int(context.low));
    section_value(section, "context_high_bytes", "CUDA's context, at most", UNIT_BYTES, cell_int(context.high));
    section_value(section, "workspaces_low_bytes", "workspaces, at least", UNIT_BYTES, cell_int(workspaces.low));
    section_value(section, "workspaces_high_bytes", "workspaces, at most", UNIT_BYTES, cell_int(workspaces.high));
}

void price_show_memory(const struct dry_memory *memory, const struct hardware *on, struct report *report)
{
    struct section *const section = report_section(report, "memory", "Memory");
    if (!memory->peak_bytes) {
        section_text(
            section,
            S("How much it holds is not known: it made nothing, or so many tensors that the table of their lives "
              "is over 64 MiB."));
        return;
    }
    section_value(section, "peak_bytes", "tensors at most", UNIT_BYTES, cell_int(memory->peak_bytes));
    section_value(section, "peak_place", "reached at", UNIT_NONE, cell_text_or_null(memory->place));
    section_value(section, "peak_step", "reached in step", UNIT_COUNT, cell_int(memory->step));
    section_value(section, "reserved_bytes", "the allocator takes", UNIT_BYTES, cell_int(memory->reserved_bytes));
    section_value(section, "fragmentation", "of it not used at most", UNIT_RATIO,
                  cell_ratio((double)(memory->reserved_bytes - memory->peak_bytes), (double)memory->reserved_bytes));
    if (on)
        put_beside(on, memory->peak_bytes, section);
    put_kinds(memory, section);
    put_held(memory, section);
}
