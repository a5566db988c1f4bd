/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: how much, for what, from which line, and what is not known. */
#include "parts.h"

#include "base/duration.h"

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static str reserved_words(const struct memory_account *a, struct arena *arena)
{
    if (a->reserved_peak < 0 || (a->device < 0 && !a->reserved_peak))
        return S("");
    return str_printf(arena, ", and had %s of it from the device", told_bytes(arena, a->reserved_peak).at);
}

static str when_words(const struct memory_account *a, struct arena *arena)
{
    if (a->peak_row < 0)
        return S(", before the first event");
    const str in_step = a->peak_step == MEMORY_NONE
                            ? S("")
                            : str_printf(arena, " in step %lld", (long long)a->steps.at[a->peak_step].number);
    if (a->peak_ns < 0 || a->first_ns < 0)
        return in_step;
    return str_printf(arena, ", %s after the first event%.*s",
                      duration_words(arena, (double)(a->peak_ns - a->first_ns)).at, (int)in_step.len, in_step.at);
}

/* "It is 62 % activations, 20 % optimizer, 12 % parameters." */
static str category_words(const struct memory_account *a, struct arena *arena)
{
    str words = S("");
    bool told[CATEGORIES] = {false};
    for (int k = 0; k < 4; k++) {
        int most = -1;
        for (int i = 0; i < CATEGORIES; i++)
            if (!told[i] && a->categories[i].bytes > 0 &&
                (most < 0 || a->categories[i].bytes > a->categories[most].bytes))
                most = i;
        if (most < 0 || percent(a->categories[most].bytes, a->peak) < 1)
            break;
        told[most] = true;
        words =
            str_printf(arena, "%.*s%s%.0f %% %s", (int)words.len, words.at, words.len ? ", " : "",
                       percent(a->categories[most].bytes, a->peak), memory_category_word((enum memory_category)most));
    }
    return words;
}

/* The line that filled most, all its categories together. */
static const struct memory_line *first_line(const struct memory_account *a)
{
    for (uint32_t i = 0; i < a->line_count; i++)
        if (told_frame(a->log, a->lines[i].context) != MEMORY_NONE || a->log->contexts[a->lines[i].context].node)
            return &a->lines[i];
    return NULL;
}

static void tell_line(const struct memory_account *a, struct section *section, struct arena *arena)
{
    const struct memory_line *line = first_line(a);
    if (!line) {
        section_text(section,
                     a->frames ? S("No line of a program made what lived then.")
                               : S("The recording holds no frames, so that no line can be named: record with stacks."));
        return;
    }
    const struct memory_context *context = &a->log->contexts[line->context];
    const str where = told_line(a->log, line->context, false, arena);
    const bool other = context->user != MEMORY_NONE && context->inner != context->user && context->inner != MEMORY_NONE;
    const str inner = memory_frame_words(a->log, context->inner, arena);
    section_text(section,
                 str_printf(arena, "%.*s filled most: %s (%.0f %%, %s) in %lld piece%s%s%.*s.", (int)where.len,
                            where.at, told_bytes(arena, line->bytes).at, percent(line->bytes, a->peak),
                            memory_category_word(line->category), (long long)line->pieces, line->pieces == 1 ? "" : "s",
                            other ? ", in " : "", other ? (int)inner.len : 0, inner.at));
}

static void tell_outs(const struct memory_account *a, struct section *section, struct arena *arena)
{
    if (!a->out_count)
        return;
    const struct memory_out *out = &a->outs[0];
    const str where = told_line(a->log, out->context, false, arena);
    const str more = a->out_count > 1 ? str_printf(arena, " %u requests failed in all.", a->out_count) : S("");
    const str inside = !out->layout.known ? S("")
                                          : str_printf(arena, "; the allocator had %s free, the largest piece %s",
                                                       told_bytes(arena, out->layout.free).at,
                                                       told_bytes(arena, out->layout.largest).at);
    section_text(section,
                 str_printf(arena, "Out of memory: %.*s asked for %s%.*s.%.*s", (int)where.len, where.at,
                            told_bytes(arena, out->asked).at, (int)inside.len, inside.at, (int)more.len, more.at));
}

static void tell_leak(const struct memory_account *a, struct section *section, struct arena *arena)
{
    if (a->steps.count < 5) {
        section_text(section, str_printf(arena, "What grows from step to step wants 5 steps, and there are %u (%s).",
                                         a->steps.count, memory_step_words(a->steps.source)));
        return;
    }
    const struct memory_leak *leak = a->leak_count ? &a->leaks[0] : NULL;
    if (!leak || !leak->certain) {
        section_text(section, str_printf(arena, "No line certainly leaves something behind in each step (%s).",
                                         memory_step_words(a->steps.source)));
        return;
    }
    const str where = told_line(a->log, leak->context, false, arena);
    section_text(section, str_printf(arena, "It grows step by step: %.*s leaves %s behind in each.", (int)where.len,
                                     where.at, told_bytes(arena, leak->bytes / leak->of).at));
}

static void tell_doubts(const struct memory_account *a, struct section *section, struct arena *arena)
{
    const struct memory_share *before = &a->categories[CATEGORY_BEFORE];
    if (percent(before->bytes, a->peak) >= 1)
        section_text(section,
                     str_printf(arena,
                                "%s (%.0f %%) was there before the recording begins, and nothing says from where.",
                                told_bytes(arena, before->bytes).at, percent(before->bytes, a->peak)));
    if (a->log->first_lines)
        section_text(
            section,
            S("Lines are those in which functions begin, which is what the trace has; the operator says more, and a "
              "snapshot has the lines themselves."));
    if (a->log->cut)
        section_text(section, S("The end of the recording is missing: what lived before it may be more."));
}

static void tell_values(const struct memory_account *a, struct section *section)
{
    section_detail(section, "peak_bytes", "peak", UNIT_BYTES, cell_int(a->peak));
    section_detail(section, "reserved_peak_bytes", "most reserved", UNIT_BYTES, cell_int_or_null(a->reserved_peak));
    section_detail(section, "reserved_at_peak_bytes", "reserved at the peak", UNIT_BYTES,
                   cell_int_or_null(a->reserved_at_peak));
    section_detail(section, "end_bytes", "held at the end", UNIT_BYTES, cell_int(a->end));
    section_detail(section, "growth_bytes", "growth a step", UNIT_BYTES, cell_int_if(a->steps.count >= 3, a->growth));
    section_detail(section, "steps", "steps", UNIT_COUNT, cell_int(a->steps.count));
    section_detail(section, "steps_told_by", "steps told by", UNIT_NONE,
                   cell_text(str_of(memory_step_words(a->steps.source))));
    section_detail(section, "out_of_memory_events", "requests that failed", UNIT_COUNT, cell_int(a->out_count));
    section_detail(section, "bytes_are", "bytes are", UNIT_NONE,
                   cell_text(a->log->asked_sizes ? S("as asked for") : S("as given")));
}

void memory_tell_verdict(const struct memory_told *fullest, struct section *section, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct memory_account *a = &fullest->account;
    section_in_head(section);
    const str device = told_device(fullest, arena), reserved = reserved_words(a, arena), when = when_words(a, arena);
    const str of_file =
        fullest->input.len ? str_printf(arena, " of %.*s", (int)fullest->input.len, fullest->input.at) : S("");
    section_text(section,
                 str_printf(arena, "The allocator of %s%.*s%.*s held %s at most%.*s%.*s.", a->device < 0 ? "the " : "",
                            (int)device.len, device.at, (int)of_file.len, of_file.at, told_bytes(arena, a->peak).at,
                            (int)reserved.len, reserved.at, (int)when.len, when.at));
    const str categories = category_words(a, arena);
    if (categories.len)
        section_text(section, str_printf(arena, "It is %.*s.", (int)categories.len, categories.at));
    tell_outs(a, section, arena);
    tell_line(a, section, arena);
    tell_leak(a, section, arena);
    tell_doubts(a, section, arena);
    tell_values(a, section);
}
