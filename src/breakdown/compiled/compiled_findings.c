/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled_findings.h"

#include "base/duration.h"
#include "base/intern.h"
#include "base/sum.h"

enum { MOST_FINDINGS = 3 }; /* of a kind; the tables have all */

const struct finding_words compiled_words[] = {
    {"CL101", "compiled-again", SEVERITY_WARNING, "a function is compiled again because a guard of its code failed",
     "Compiled code holds for what it was compiled for: sizes, types, values of globals. Where one differs the step stops "
     "until the function is compiled once more.",
     "Mark a size that changes with `torch._dynamo.mark_dynamic(tensor, dimension)` before the first call, or pad it to a few "
     "sizes. Pass numbers that change as tensors."},
    {"CL102", "graph-break", SEVERITY_NOTE, "a line breaks the graph of a compiled function",
     "What stands before and after the line is compiled apart, and the line runs in Python. Nothing is fused across it.",
     "Move the line out of the function, or follow the hint of PyTorch in the table `graph_breaks`."},
    {0},
};

static str file_name(str path)
{
    size_t slash = path.len;
    while (slash && path.at[slash - 1] != '/')
        slash--;
    return str_from(path, slash);
}

static str place_text(const struct log_place *place, struct arena *arena)
{
    const str file = file_name(place->file);
    return file.len ? str_printf(arena, " (%.*s:%lld)", (int)file.len, file.at, (long long)place->line) : S("");
}

/* ---- compiled again ---- */

/* Values that Dynamo keeps on its stack have no name of the program's. */
static str value_changed(const struct again *again, struct arena *arena)
{
    const struct log_value *value = &again->first->value;
    const bool named = !str_starts(value->subject, S("___"));
    const str name = named ? value->subject : S("a number"), quote = named ? S("`") : S("");
    const str code = value->code.len ? str_printf(arena, " in `%.*s`", (int)value->code.len, value->code.at) : S("");
    return str_printf(
        arena,
        "because %.*s%.*s%.*s%.*s changed, after it was %.*s. Pass what changes as a tensor, or keep it the "
        "same",
        (int)quote.len, quote.at, (int)name.len, name.at, (int)quote.len, quote.at, (int)code.len, code.at,
        (int)again->sizes.len, again->sizes.at);
}

static str why_again(const struct again *again, struct arena *arena)
{
    const struct log_size *size = &again->first->size;
    const str reason = again->first->reason;
    if (size->tensor.len)
        return str_printf(
            arena, "because size %lld of `%.*s` changed: %.*s. Mark it with torch._dynamo.mark_dynamic, or pad it",
            (long long)size->dimension, (int)size->tensor.len, size->tensor.at, (int)again->sizes.len, again->sizes.at);
    if (again->first->value.subject.len)
        return value_changed(again, arena);
    if (reason.len)
        return str_printf(arena, "because a guard failed, first: %.*s. Keep what it checks the same", (int)reason.len,
                          reason.at);
    return S("and the log does not say why");
}

static str again_said(const struct again *again, struct arena *arena)
{
    const struct log_compile *first = again->first;
    const str place = place_text(&first->place, arena), why = why_again(again, arena);
    return str_printf(arena, "`%.*s`%.*s was compiled again %u time%s %.*s: saves %s of the run.",
                      (int)first->function.len, first->function.at, (int)place.len, place.at, again->times,
                      again->times == 1 ? "" : "s", (int)why.len, why.at,
                      duration_words(arena, (double)again->time_ns).at);
}

static void find_again(const struct again *again, double saving_ns, uint32_t number, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct log_compile *first = again->first;
    const struct finding finding = {
        .id = str_printf(arena, "CL101-%u", number),
        .rule = S("CL101"),
        .severity = SEVERITY_WARNING,
        .tier = S("trace"),
        .message = again_said(again, arena),
        .file = first->place.file,
        .line = first->place.line,
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = saving_ns > 0 ? sum_rounded(saving_ns) : -1,
        .fix = S("none"),
    };
    report_finding(report, &finding);
}

/* ---- graph breaks ---- */

static void find_break(const struct log_break *at, const struct log_compile *compile, uint32_t number,
                       struct report *report)
{
    struct arena *arena = report_arena(report);
    const str place = place_text(&at->place, arena);
    const struct finding finding = {
        .id = str_printf(arena, "CL102-%u", number),
        .rule = S("CL102"),
        .severity = SEVERITY_NOTE,
        .tier = S("trace"),
        .message = str_printf(arena, "The graph of `%.*s` breaks%.*s: %.*s", (int)compile->function.len,
                              compile->function.at, (int)place.len, place.at, (int)at->reason.len, at->reason.at),
        .file = at->place.file,
        .line = at->place.line,
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = -1,
        .fix = S("none"),
    };
    report_finding(report, &finding);
}

/* A line once, however often it was compiled. */
static void find_breaks(const struct compile_log *log, struct report *report)
{
    struct intern *seen = intern_new();
    struct arena scratch = {0};
    uint32_t found = 0;
    for (uint32_t i = 0; i < log->break_count && found < MOST_FINDINGS; i++) {
        const struct log_break *at = &log->breaks[i];
        const str key =
            str_printf(&scratch, "%.*s:%lld", (int)at->place.file.len, at->place.file.at, (long long)at->place.line);
        if (intern_id(seen, key) == found + 1)
            find_break(at, &log->compiles[at->compile], ++found, report);
    }
    arena_free(&scratch);
    intern_free(seen);
}

static double saving_ns(const struct compiled *compiled, uint32_t i)
{
    return compiled->steps ? (double)compiled->agains[i].in_steps_ns / compiled->steps : 0;
}

double compiled_again_ns(const struct compiled *compiled)
{
    double sum = 0;
    for (uint32_t i = 0; i < compiled->again_count && i < MOST_FINDINGS; i++)
        sum += saving_ns(compiled, i);
    return sum;
}

str compiled_again_first(const struct compiled *compiled, struct arena *arena)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < compiled->again_count && i < MOST_FINDINGS; i++)
        if (compiled->agains[i].in_steps_ns > compiled->agains[most].in_steps_ns)
            most = i;
    return compiled->again_count ? again_said(&compiled->agains[most], arena) : S("");
}

void compiled_find(const struct compiled *compiled, double part, struct report *report)
{
    for (uint32_t i = 0; i < compiled->again_count && i < MOST_FINDINGS; i++)
        find_again(&compiled->agains[i], part * saving_ns(compiled, i), i + 1, report);
    find_breaks(compiled->log, report);
    report_words(report, compiled_words);
}
