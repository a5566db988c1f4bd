/* SPDX-License-Identifier: Apache-2.0 */
#include "why.h"

#include <math.h>

#include "base/duration.h"

static double change_of(const struct diff *diff, enum diff_kind kind)
{
    return diff->kinds[kind].after_ns - diff->kinds[kind].before_ns;
}

/* "most in aten::mm (+2.60 ms)"; nothing of an operator that changed by more than the kind did: other time hid that. */
static str most_in(const struct diff *diff, const struct diff_operators *operators, enum diff_kind kind,
                   struct arena *arena)
{
    double ns;
    const double change = change_of(diff, kind);
    const str name = diff_operator_most(operators, change < 0 ? -1 : 1, arena, &ns);
    if (!name.len || fabs(ns) < fabs(change) / 10 || fabs(ns) > 1.2 * fabs(change))
        return S("");
    const str span = duration_change_words(arena, ns);
    return str_printf(arena, "%s %.*s (%.*s)", fabs(ns) >= fabs(change) / 2 ? "most in" : "the largest in",
                      (int)name.len, name.at, (int)span.len, span.at);
}

/* ---- compute ---- */

/* The share of kernels' time that is in 16 bits or fewer, of those whose name tells. */
static double reduced_share(const struct diff_side *side)
{
    const double told = side->reduced_ns + side->single_ns;
    return told > side->kernel_ns / 10 ? side->reduced_ns / told : NAN;
}

static str why_precision(const struct diff *diff, struct arena *arena)
{
    const double before = reduced_share(diff->before), after = reduced_share(diff->after);
    enum { MUCH = 30, PERCENT = 100 };
    if (isnan(before) || isnan(after) || PERCENT * fabs(after - before) < MUCH)
        return S("");
    return str_printf(arena, "kernels compute in %s now (%.0f %% of the time in 16 bits or fewer, before %.0f %%)",
                      after > before ? "fewer bits" : "32 bits", PERCENT * after, PERCENT * before);
}

static str device_of(const struct diff_side *side)
{
    return side->details[0]->device;
}

static str why_compute(const struct diff *diff, const struct diff_operators *operators, struct arena *arena)
{
    const str before = device_of(diff->before), after = device_of(diff->after);
    if (before.len && after.len && !str_eq(before, after) && operators->shared < 0.5)
        return S("both the device and the operators are others");
    if (before.len && after.len && !str_eq(before, after))
        return str_printf(arena, "another device (%.*s, before %.*s)", (int)after.len, after.at, (int)before.len,
                          before.at);
    const str precision = why_precision(diff, arena), most = most_in(diff, operators, DIFF_COMPUTE, arena);
    if (precision.len && most.len)
        return str_printf(arena, "%.*s, %.*s", (int)precision.len, precision.at, (int)most.len, most.at);
    return precision.len ? precision : most;
}

/* ---- copies ---- */

static double bytes_of(const struct diff_side *side)
{
    double bytes = 0;
    for (int copy = 0; copy < COPY_PARTS; copy++)
        bytes += side->copies[copy].bytes;
    return bytes;
}

static double memory_bytes(const struct diff_side *side, enum host_memory memory)
{
    return side->copies[part_of_copy(COPY_H2D, memory) - PART_FIRST_COPY].bytes +
           side->copies[part_of_copy(COPY_D2H, memory) - PART_FIRST_COPY].bytes;
}

/* Of what is copied between host and device, the share from or to pageable memory; NAN: not recorded, or nothing is. */
static double pageable_share(const struct diff_side *side)
{
    const double pageable = memory_bytes(side, HOST_PAGEABLE), pinned = memory_bytes(side, HOST_PINNED);
    return pageable + pinned > 0 ? pageable / (pageable + pinned) : NAN;
}

static str megabytes(double bytes, struct arena *arena)
{
    return bytes < 1e6 ? str_printf(arena, "%.0f kB", bytes / 1e3) : str_printf(arena, "%.1f MB", bytes / 1e6);
}

static str why_copies(const struct diff *diff, struct arena *arena)
{
    const double before = pageable_share(diff->before), after = pageable_share(diff->after);
    const double bytes_before = bytes_of(diff->before), bytes_after = bytes_of(diff->after);
    const str was = megabytes(bytes_before, arena), is = megabytes(bytes_after, arena);
    const bool same = fabs(bytes_after - bytes_before) <= bytes_before / 50;
    const str amount = same ? str_printf(arena, "the same %.*s a step", (int)is.len, is.at)
                            : str_printf(arena, "%.*s a step, before %.*s", (int)is.len, is.at, (int)was.len, was.at);
    if (fabs(after - before) > 0.3)
        return str_printf(arena, "they go through %s memory now, %s before; %.*s",
                          after > before ? "pageable" : "pinned", after > before ? "pinned" : "pageable",
                          (int)amount.len, amount.at);
    if (!bytes_before && !bytes_after)
        return S("");
    const bool longer = change_of(diff, DIFF_COPIES) > 0;
    return same ? str_printf(arena, "%.*s %s", (int)amount.len, amount.at,
                             longer ? "take longer or overlap less" : "take less time or overlap more")
                : amount;
}

/* ---- the host ---- */

static str why_loading(const struct diff *diff, struct arena *arena)
{
    const struct diff_loaders *before = &diff->before->loaders, *after = &diff->after->loaders;
    (void)arena;
    if (!before->known || !after->known)
        return S("");
    if (before->in_loop && !before->workers && after->workers && !after->in_loop)
        return S("it left the training loop for worker processes");
    if (before->workers && !before->in_loop && after->in_loop && !after->workers)
        return S("it moved from worker processes into the training loop");
    return after->in_loop && !after->workers ? S("it is done in the training loop, on both sides")
           : after->workers                  ? S("the loop waits for worker processes, on both sides")
                                             : S("");
}

static str why_blocked(const struct diff *diff, struct arena *arena)
{
    const struct diff_side *more = change_of(diff, DIFF_BLOCKED) > 0 ? diff->after : diff->before;
    const struct facts *facts = &more->facts;
    if (!facts->blocked_call.len)
        return S("");
    const str in = facts->blocked_frame.len ? facts->blocked_frame : facts->blocked_operator;
    return in.len ? str_printf(arena, "most in %.*s of %.*s", (int)facts->blocked_call.len, facts->blocked_call.at,
                               (int)in.len, in.at)
                  : str_printf(arena, "most in %.*s", (int)facts->blocked_call.len, facts->blocked_call.at);
}

static double calls_of(const struct diff_operators *operators, bool after)
{
    double calls = 0;
    for (uint32_t i = 0; i < operators->count; i++)
        calls += after ? operators->at[i].after_calls : operators->at[i].before_calls;
    return calls;
}

/*
 * The part of the kind that changed most. Not the operator: on the host an operator's time holds what it waits for the
 * device, and that is no work.
 */
static str largest_part(const struct diff *diff, struct arena *arena)
{
    const double sign = change_of(diff, DIFF_HOST) < 0 ? -1 : 1;
    enum part most = PARTS;
    double most_ns = 0;
    for (int part = 0; part < PARTS; part++) {
        const double ns = sign * (diff->after->mean.part_ns[part] - diff->before->mean.part_ns[part]);
        if (diff_kind_of_part(part) == DIFF_HOST && ns > most_ns) {
            most = part;
            most_ns = ns;
        }
    }
    if (most == PARTS)
        return S("");
    const str span = duration_change_words(arena, sign * most_ns), whole = str_of(part_title(most));
    const str title = str_from(whole, str_starts(whole, S("idle: ")) ? S("idle: ").len : 0); /* all of the kind is */
    return str_printf(arena, "%s '%.*s' (%.*s)",
                      most_ns >= fabs(change_of(diff, DIFF_HOST)) / 2 ? "most is" : "the largest part is",
                      (int)title.len, title.at, (int)span.len, span.at);
}

static str why_host(const struct diff *diff, const struct diff_operators *operators, struct arena *arena)
{
    const double before = calls_of(operators, false), after = calls_of(operators, true);
    const str most = diff->before->facts.device || diff->after->facts.device
                         ? largest_part(diff, arena)
                         : most_in(diff, operators, DIFF_HOST, arena);
    if (!operators->largest_only && before > 0 && after > 0 && fabs(after / before - 1) > 0.1)
        return str_printf(arena, "%.0f operators a step, before %.0f%s%.*s", after, before, most.len ? "; " : "",
                          (int)most.len, most.at);
    return most;
}

static bool has_rank(const struct job *job, int64_t rank)
{
    for (uint32_t r = 0; r < job->ranks.count; r++)
        if (job->ranks.at[r]->rank == rank)
            return true;
    return false;
}

/* Whoever it was on the side that waits more. */
static str why_late(const struct diff *diff, struct arena *arena)
{
    const bool grew = change_of(diff, DIFF_LATE) > 0;
    const struct job *job = grew ? &diff->after->job : &diff->before->job;
    if (job->late == RANK_NONE_LATE)
        return S("");
    const struct late_cause *cause = job->cause_count ? &job->causes[0] : NULL;
    const int64_t rank = job->ranks.at[job->late]->rank;
    const char *const verb = grew ? "comes" : has_rank(&diff->after->job, rank) ? "no longer comes" : "came";
    const str in = cause && cause->inside.len ? cause->inside : cause ? cause->what : S("");
    return str_printf(arena, "rank %lld %s late%s%.*s%s%.*s", (long long)rank, verb, cause ? ": " : "",
                      cause ? (int)cause->title.len : 0, cause ? cause->title.at : "", in.len ? " in " : "",
                      (int)in.len, in.at);
}

str diff_why(const struct diff *diff, const struct diff_operators *operators, enum diff_kind kind, struct arena *arena)
{
    switch (kind) {
    case DIFF_COMPUTE:
        return why_compute(diff, operators, arena);
    case DIFF_LATE:
        return why_late(diff, arena);
    case DIFF_COPIES:
        return why_copies(diff, arena);
    case DIFF_LOADING:
        return why_loading(diff, arena);
    case DIFF_BLOCKED:
        return why_blocked(diff, arena);
    case DIFF_HOST:
        return why_host(diff, operators, arena);
    default:
        return S("");
    }
}
