/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"

#include <math.h>

#include "permutation.h"

static const double least_share = 0.01;
/* Of what others took of a step: so much of it may be left in the step at its quickest. */
static const double left_share = 0.125;

const char *diff_kind_id(enum diff_kind kind)
{
    static const char *const ids[DIFF_KINDS] = {
        [DIFF_COMPUTE] = "compute", [DIFF_LATE] = "late_rank",          [DIFF_COMMUNICATION] = "communication",
        [DIFF_COPIES] = "copies",   [DIFF_LOADING] = "data_loading",    [DIFF_BLOCKED] = "host_blocked",
        [DIFF_HOST] = "host",       [DIFF_COMPILATION] = "compilation", [DIFF_PROFILER] = "profiler",
        [DIFF_UNKNOWN] = "unknown",
    };
    return ids[kind];
}

const char *diff_kind_title(enum diff_kind kind)
{
    static const char *const titles[DIFF_KINDS] = {
        [DIFF_COMPUTE] = "compute", [DIFF_LATE] = "waiting for a late rank", [DIFF_COMMUNICATION] = "communication",
        [DIFF_COPIES] = "copies",   [DIFF_LOADING] = "data loading",         [DIFF_BLOCKED] = "host blocked",
        [DIFF_HOST] = "host work",  [DIFF_COMPILATION] = "compilation",      [DIFF_PROFILER] = "the profiler itself",
        [DIFF_UNKNOWN] = "unknown",
    };
    return titles[kind];
}

enum diff_kind diff_kind_of_part(enum part part)
{
    if ((part >= PART_FIRST_COPY && part <= PART_LAST_COPY) || part == PART_MEMSET)
        return DIFF_COPIES;
    switch (part) {
    case PART_COMPUTE:
        return DIFF_COMPUTE;
    case PART_EXPOSED_COMMUNICATION:
    case PART_COMMUNICATION:
        return DIFF_COMMUNICATION;
    case PART_DATA_LOADING:
        return DIFF_LOADING;
    case PART_BLOCKED:
        return DIFF_BLOCKED;
    case PART_COMPILATION:
        return DIFF_COMPILATION;
    case PART_PROFILER:
        return DIFF_PROFILER;
    case PART_UNKNOWN:
        return DIFF_UNKNOWN;
    default:
        return DIFF_HOST;
    }
}

/* ---- the kinds ---- */

static double kind_of_step(const struct diff_step *step, enum diff_kind kind)
{
    double ns = 0;
    for (int part = 0; part < PARTS; part++)
        if (diff_kind_of_part(part) == kind)
            ns += step->part_ns[part];
    return ns;
}

/* Waiting for the late rank is a part of communication, and no transfer. */
static double kind_of_mean(const struct diff_side *side, enum diff_kind kind)
{
    const double communication = kind_of_step(&side->mean, DIFF_COMMUNICATION);
    const double waited = fmin(communication, side->facts.waited_ns);
    if (kind == DIFF_LATE)
        return waited;
    return kind == DIFF_COMMUNICATION ? communication - waited : kind_of_step(&side->mean, kind);
}

static double *values_of(const struct diff_side *side, enum diff_kind kind, struct arena *arena)
{
    double *values = arena_array(arena, side->count, sizeof *values);
    for (uint32_t i = 0; i < side->count; i++)
        values[i] = kind == DIFF_KINDS ? side->steps[i].wall_ns : kind_of_step(&side->steps[i], kind);
    return values;
}

static double p_of(const struct diff *diff, enum diff_kind kind, enum permutation_by by)
{
    struct arena scratch = {0};
    const double p = permutation_p(values_of(diff->before, kind, &scratch), diff->before->count,
                                   values_of(diff->after, kind, &scratch), diff->after->count, by);
    arena_free(&scratch);
    return p;
}

static struct spread spread_of_kind(const struct diff *diff, enum diff_kind kind)
{
    struct arena scratch = {0};
    const struct spread spread = spread_of(values_of(diff->before, kind, &scratch), diff->before->count,
                                           values_of(diff->after, kind, &scratch), diff->after->count);
    arena_free(&scratch);
    return spread;
}

/* Only kinds of which there is something are tested, so that absent ones correct nothing. */
static void find_kinds(struct diff *diff)
{
    double p[DIFF_KINDS];
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        struct diff_change *change = &diff->kinds[kind];
        change->before_ns = kind_of_mean(diff->before, kind);
        change->after_ns = kind_of_mean(diff->after, kind);
        const bool any = change->before_ns > 0 || change->after_ns > 0;
        p[kind] = any && kind != DIFF_LATE ? p_of(diff, kind, PERMUTE_MEAN) : NAN;
    }
    permutation_correct(p, DIFF_KINDS);
    for (int kind = 0; kind < DIFF_KINDS; kind++)
        diff->kinds[kind].p = p[kind];
}

static double gain(const struct diff *diff, int kind)
{
    return diff->kinds[kind].after_ns - diff->kinds[kind].before_ns;
}

/* A loader without workers runs on the thread that trains; what one with workers does is waiting, which has no quickest. */
static bool is_work_of_host(const struct diff *diff, int kind)
{
    const struct diff_loaders *before = &diff->before->loaders, *after = &diff->after->loaders;
    return kind == DIFF_HOST || (kind == DIFF_LOADING && !before->workers && !after->workers);
}

/* Of the change, a share of the step, less than half is in the step at its quickest. */
static bool is_disturbed(const struct diff *diff, int kind, double share)
{
    return kind != DIFF_KINDS && is_work_of_host(diff, kind) && !isnan(diff->quickest_share) &&
           diff->quickest_share * (share < 0 ? -1 : 1) < fabs(share) / 2;
}

/* Where others disturbed the step they disturbed all that ran on the host, workers of loaders, too. */
static bool is_proven(const struct diff *diff, int kind)
{
    const double share = gain(diff, kind) / diff->before->mean.wall_ns;
    const bool on_host = kind == DIFF_HOST || kind == DIFF_LOADING;
    return diff->kinds[kind].p <= DIFF_LEVEL && fabs(share) > least_share && !(on_host && diff->disturbed) &&
           !is_disturbed(diff, kind, share) && fabs(gain(diff, kind)) >= spread_of_kind(diff, kind).by_chance;
}

/* Of the change of the step, else of any, the kind that made most of it. */
static enum diff_kind cause_of(const struct diff *diff, bool proven)
{
    const double change = diff->after->mean.wall_ns - diff->before->mean.wall_ns;
    enum diff_kind most = DIFF_KINDS;
    double most_ns = 0;
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        const double ns = proven ? fabs(gain(diff, kind)) : change < 0 ? -gain(diff, kind) : gain(diff, kind);
        if (ns > most_ns && (!proven || is_proven(diff, kind))) {
            most = kind;
            most_ns = ns;
        }
    }
    return most;
}

/* ---- the answer ---- */

/* Of fewer steps their spread is hardly known: twice what they differ by counts, too, and a large difference is never explained. */
enum { FEW_STEPS = 8 };
static const double large_share = 0.1;

static bool is_few(const struct diff *diff)
{
    return diff->before->count < FEW_STEPS || diff->after->count < FEW_STEPS;
}

/* No smaller one is told, a share of the step before. Below four steps the median deviation says nothing. */
static double least_change(const struct diff *diff)
{
    const bool spread = is_few(diff) && !isnan(diff->p_mean);
    const double noise = spread ? 2 * fmax(diff->before->spread_ns, diff->after->spread_ns) : 0;
    return fmax(least_share, noise / diff->before->mean.wall_ns);
}

static bool is_small(const struct diff *diff)
{
    const double floor_ns = least_change(diff) * diff->before->mean.wall_ns;
    return fabs(diff->after->mean.wall_ns - diff->before->mean.wall_ns) < floor_ns &&
           fabs(diff->after->median_ns - diff->before->median_ns) < floor_ns;
}

static bool is_explained(const struct diff *diff)
{
    if (is_few(diff) && fabs(diff->share) >= large_share)
        return false;
    return is_small(diff) || fabs(diff->after->mean.wall_ns - diff->before->mean.wall_ns) < diff->spread.by_chance;
}

bool diff_is_quickest_alone(const struct diff *diff)
{
    return diff->disturbed && !is_explained(diff) &&
           fabs(diff->quickest_share) <= fmax(least_share, left_share * diff->taken_share);
}

static enum diff_answer answer_of(const struct diff *diff)
{
    if (diff->before->marked != diff->after->marked)
        return DIFF_APART;
    const bool explained = is_explained(diff);
    if (isnan(diff->p_mean))
        return explained ? DIFF_SILENT : DIFF_UNTESTED;
    if (!explained && !is_small(diff) && diff->p_mean <= DIFF_LEVEL && diff->p_rank <= DIFF_LEVEL && !diff->disturbed)
        return DIFF_PROVEN;
    if (cause_of(diff, true) != DIFF_KINDS)
        return DIFF_PART;
    return explained || diff_is_quickest_alone(diff) ? DIFF_SILENT : DIFF_UNPROVEN;
}

static double quickest_share(const struct diff_side *before, const struct diff_side *after)
{
    const struct quickest *first = &before->quickest, *second = &after->quickest;
    const bool same = first->steps && second->steps && first->order == second->order && first->ns > 0;
    return same ? second->ns / first->ns - 1 : NAN;
}

static double taken_of(const struct diff_side *side)
{
    return side->quickest.steps && side->quickest.ns > 0 ? fmax(0, side->mean.wall_ns / side->quickest.ns - 1) : NAN;
}

/* That no number of steps helps: half of a change must be in the step at its quickest, where what others took leaves its mark, too. */
static double shows_at_least(const struct diff *diff)
{
    const bool host = diff->disturbed || is_work_of_host(diff, cause_of(diff, false));
    return fmax(least_share, host && !isnan(diff->taken_share) ? 2 * left_share * diff->taken_share : 0);
}

static double shows_share(const struct diff *diff)
{
    return isnan(diff->p_mean)
               ? NAN
               : fmax(fmax(least_change(diff), shows_at_least(diff)), diff->spread.shows / diff->before->mean.wall_ns);
}

struct diff diff_of(const struct diff_side *before, const struct diff_side *after)
{
    struct diff diff = {.before = before, .after = after, .cause = DIFF_KINDS};
    diff.share = before->mean.wall_ns > 0 ? after->mean.wall_ns / before->mean.wall_ns - 1 : NAN;
    diff.p_mean = p_of(&diff, DIFF_KINDS, PERMUTE_MEAN);
    diff.p_rank = p_of(&diff, DIFF_KINDS, PERMUTE_RANK);
    diff.quickest_share = quickest_share(before, after);
    diff.taken_share = isnan(diff.quickest_share) ? NAN : fmax(taken_of(before), taken_of(after));
    diff.spread = spread_of_kind(&diff, DIFF_KINDS);
    find_kinds(&diff);
    diff.disturbed = is_disturbed(&diff, cause_of(&diff, false), diff.share);
    diff.shows_share = shows_share(&diff);
    diff.answer = answer_of(&diff);
    if (diff.answer != DIFF_SILENT && diff.answer != DIFF_APART)
        diff.cause = cause_of(&diff, diff.answer == DIFF_PART);
    return diff;
}

uint32_t diff_steps_for(const struct diff *diff, double share)
{
    const uint32_t steps =
        shows_at_least(diff) > fabs(share) ? 0 : spread_steps(&diff->spread, share * diff->before->mean.wall_ns);
    return steps && least_change(diff) > fabs(share) && steps < FEW_STEPS ? FEW_STEPS : steps;
}
