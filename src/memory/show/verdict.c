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
    const str then = told_bytes(arena, a->reserved_at_peak), most = told_bytes(arena, a->reserved_peak);
    if (str_eq(then, most))
        return str_printf(arena, "; it had %s from the device then, which is the most", then.at);
    return str_printf(arena, "; it had %s from the device then, and %s at most", then.at, most.at);
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

/* Of most of it the category follows from how long pieces live, which may err. */
static bool is_guess(const struct memory_account *a, int category)
{
    const struct memory_share *share = &a->categories[category];
    return category != CATEGORY_BEFORE && share->certain_bytes < share->bytes / 2;
}

/* "It is about 62 % activations, 20 % optimizer, 12 % parameters." */
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
        words = str_printf(arena, "%.*s%s%s%.0f %% %s", (int)words.len, words.at, words.len ? ", " : "",
                           is_guess(a, most) ? "about " : "", percent(a->categories[most].bytes, a->peak),
                           memory_category_word((enum memory_category)most));
    }
    return words;
}

/* "activations"; "mostly activations" where it was made for several things. */
static str purpose_words(const struct filled_most *most, struct arena *arena)
{
    if (!most->mostly)
        return S(", for several things");
    return str_printf(arena, ", %s%s", most->alone ? "" : "mostly ",
                      memory_category_word((enum memory_category)most->category));
}

static void tell_line(const struct memory_account *a, struct section *section, struct arena *arena)
{
    struct filled_most most;
    const bool found = memory_filled_most(a, &most);
    if (!found && a->log->cut && !a->frames)
        return; /* they may stand in what is missing */
    if (!found) {
        section_text(section,
                     a->frames ? S("No line of a program made what lived then.")
                               : S("The recording holds no frames, so that no line can be named: record with stacks."));
        return;
    }
    const struct memory_context *context = &a->log->contexts[most.context];
    const str where = told_line(a->log, most.context, false, arena);
    const bool other = most.inner_alone && context->user != MEMORY_NONE && context->inner != context->user &&
                       context->inner != MEMORY_NONE;
    const str inner = memory_frame_words(a->log, context->inner, arena);
    const str of = percent(a->peak - most.of_lines, a->peak) < 1
                       ? S("")
                       : str_printf(arena, "Of the %s (%.0f %%) that have a line, ",
                                    told_bytes(arena, most.of_lines).at, percent(most.of_lines, a->peak));
    const str purpose = a->log->cut ? S("") : purpose_words(&most, arena);
    section_text(section,
                 str_printf(arena, "%.*s%.*s filled most: %s (%.0f %%%.*s) in %lld piece%s%s%.*s.", (int)of.len, of.at,
                            (int)where.len, where.at, told_bytes(arena, most.bytes).at, percent(most.bytes, a->peak),
                            (int)purpose.len, purpose.at, (long long)most.pieces, most.pieces == 1 ? "" : "s",
                            other ? ", in " : "", other ? (int)inner.len : 0, inner.at));
}

/* "; the allocator had 3 GiB free, of which it may use 2 GiB, the largest piece 1 GiB" */
static str inside_words(const struct memory_layout *layout, struct arena *arena)
{
    if (!layout->known)
        return S("");
    const str free = told_bytes(arena, layout->free), usable = told_bytes(arena, layout->usable);
    const str part = str_eq(free, usable) ? S("") : str_printf(arena, ", of which it may use %s", usable.at);
    const str largest =
        layout->usable ? str_printf(arena, ", the largest piece %s", told_bytes(arena, layout->largest).at) : S("");
    return str_printf(arena, "; the allocator had %s free%.*s%.*s", free.at, (int)part.len, part.at, (int)largest.len,
                      largest.at);
}

static void tell_outs(const struct memory_account *a, struct section *section, struct arena *arena)
{
    if (!a->out_count)
        return;
    const struct memory_out *out = &a->outs[0];
    const str where = told_line(a->log, out->context, false, arena);
    const str more = a->out_count > 1 ? str_printf(arena, " %u requests failed in all.", a->out_count) : S("");
    const str inside = inside_words(&out->layout, arena);
    section_text(section,
                 str_printf(arena, "Out of memory: %.*s asked for %s%.*s.%.*s", (int)where.len, where.at,
                            told_bytes(arena, out->asked).at, (int)inside.len, inside.at, (int)more.len, more.at));
}

static void tell_leak(const struct memory_account *a, struct section *section, struct arena *arena)
{
    const struct memory_leak *leak = a->leak_count ? &a->leaks[0] : NULL;
    if (a->log->cut && !(leak && leak->certain))
        return;
    if (a->steps.count < 5) {
        section_text(section, str_printf(arena, "What grows from step to step wants 5 steps, and there are %u (%s).",
                                         a->steps.count, a->steps.told_by.at));
        return;
    }
    if (!leak || !leak->certain) {
        section_text(section, str_printf(arena, "No line certainly leaves something behind in each step (%s).",
                                         a->steps.told_by.at));
        return;
    }
    const str where = told_line(a->log, leak->context, false, arena);
    section_text(section, str_printf(arena, "It grows step by step: %.*s leaves %s behind in each.", (int)where.len,
                                     where.at, told_bytes(arena, leak->bytes / leak->of).at));
}

static str before_words(const struct memory_account *a, struct arena *arena)
{
    if (!a->begin)
        return S("What lived before the first event is not known: the recorder counts from there on.");
    return str_printf(arena,
                      "What lived before the first event is not known beyond %s: the recorder counts from there on.",
                      told_bytes(arena, a->begin).at);
}

/* What lived at the peak and nothing tells is a part of what lived before: the rest went, or is known. */
static str unknown_words(const struct memory_account *a, int64_t bytes, struct arena *arena)
{
    const str part = told_bytes(arena, bytes), whole = told_bytes(arena, a->begin);
    const bool all = str_eq(part, whole);
    return str_printf(arena, "%.*s (%.0f %%) of it %s%.*s%slived before the first event, and nothing says from where.",
                      (int)part.len, part.at, percent(bytes, a->peak), all ? "" : "is of the ",
                      all ? 0 : (int)whole.len, whole.at, all ? "" : " that ");
}

static void tell_doubts(const struct memory_account *a, struct section *section, struct arena *arena)
{
    const struct memory_share *before = &a->categories[CATEGORY_BEFORE];
    if (percent(before->bytes, a->peak) >= 1)
        section_text(section, unknown_words(a, before->bytes, arena));
    if (!a->begin_known && !a->log->cut)
        section_text(section, before_words(a, arena));
    if (a->log->first_lines)
        section_text(
            section,
            S("Lines are those in which functions begin, which is what the trace has; the operator says more, and a "
              "snapshot has the lines themselves."));
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
    section_detail(section, "steps_told_by", "steps told by", UNIT_NONE, cell_text(a->steps.told_by));
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
                 str_printf(arena, "%s allocator of %s%.*s%.*s held %s at most%.*s%.*s%s.",
                            a->log->cut ? "The file breaks off: before that the" : "The", a->device < 0 ? "the " : "",
                            (int)device.len, device.at, (int)of_file.len, of_file.at, told_bytes(arena, a->peak).at,
                            (int)when.len, when.at, (int)reserved.len, reserved.at,
                            a->log->cut ? "; more may have been held behind it" : ""));
    const str categories = category_words(a, arena);
    if (categories.len && !a->log->cut)
        section_text(section, str_printf(arena, "It is %.*s.", (int)categories.len, categories.at));
    tell_outs(a, section, arena);
    tell_line(a, section, arena);
    tell_leak(a, section, arena);
    tell_doubts(a, section, arena);
    tell_values(a, section);
}
