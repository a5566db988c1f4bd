/* SPDX-License-Identifier: Apache-2.0 */
#include "lateness.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/sum.h"
#include "kind_words.h"
#include "late_costs.h"

/* A cause of less than this part of the late time is not told. */
static const double least = 0.05;

const char *late_kind_id(enum late_kind kind)
{
    static const char *const ids[LATE_KINDS] = {
        [LATE_OTHER] = "other",         [LATE_COMPUTE] = "compute_slower", [LATE_SEQUENCES] = "sequence_lengths",
        [LATE_LOADER] = "loader",       [LATE_COLLECTION] = "gc",          [LATE_COMPILATION] = "compilation",
        [LATE_ALLOCATOR] = "allocator", [LATE_SKEWED] = "skewed_start",    [LATE_STAGE] = "stage_imbalance",
        [LATE_LINK] = "link",
    };
    return ids[kind];
}

static enum late_kind kind_of_cause(enum cause cause)
{
    switch (cause) {
    case CAUSE_LOADING:
    case CAUSE_LOADER_WAIT:
        return LATE_LOADER;
    case CAUSE_COLLECTION:
        return LATE_COLLECTION;
    case CAUSE_COMPILATION:
        return LATE_COMPILATION;
    case CAUSE_ALLOCATION:
    case CAUSE_RETRY:
    case CAUSE_NO_CACHE:
    case CAUSE_MAPPING:
        return LATE_ALLOCATOR;
    default:
        return LATE_OTHER;
    }
}

/* One pause in one of several steps: it came to that step later, and is as fast as the others else. */
static bool is_skew(const struct holdup *holdup, uint32_t steps)
{
    return steps > 2 && holdup->is_long && (holdup->cause == CAUSE_PYTHON || holdup->cause == CAUSE_UNKNOWN) &&
           holdup->longest_ns / 8 >= holdup->time_ns / 10;
}

/* ---- longer than the others ---- */

struct others {
    const struct job_rank *ranks;
    uint32_t count, late; /* late: index of the rank that is compared */
    struct keyed *values; /* one for each other rank */
};

static double a_step(int64_t ns, uint32_t steps)
{
    return steps ? (double)ns / steps : 0;
}

/* By how much a figure of the late rank is above the lower median of the others. */
static double above_others(struct others *others, double (*figure)(const struct job_rank *rank, const void *of),
                           const void *of)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < others->count; r++)
        if (r != others->late)
            others->values[count++] = (struct keyed){sum_rounded(figure(&others->ranks[r], of)), r};
    sort_keyed(others->values, count);
    const double middle = count ? (double)others->values[(count - 1) / 2].key : 0;
    return figure(&others->ranks[others->late], of) - middle;
}

static double time_in(const struct job_rank *rank, const void *of)
{
    for (uint32_t i = 0; i < rank->holdups->count; i++)
        if (holdup_alike(&rank->holdups->at[i], of))
            return a_step(rank->holdups->at[i].time_ns, rank->holdups->steps);
    return 0;
}

static double compute_in(const struct job_rank *rank, const void *of)
{
    return a_step(rank->numbers->time_ns[TIME_COMPUTE], rank->numbers->steps);
}

/* ---- the causes ---- */

/* What comes in the data loader is no phase of the model. */
static const char *phase_of(const struct holdup *holdup, enum late_kind kind)
{
    return kind == LATE_LOADER ? "loader" : holdup->phase;
}

/* Where rows are missing, what they waited for is missing, too: then what a replay saves is no bound. */
static bool is_explained(const struct job_rank *rank)
{
    switch (verdict_doubt(rank->verdict)) {
    case DOUBT_LAUNCHES:
    case DOUBT_LOST:
    case DOUBT_HELD:
    case DOUBT_ERROR:
        return false;
    default:
        return true;
    }
}

static struct late_cause of_holdup(const struct holdup *holdup, const struct job_rank *rank, double excess_ns)
{
    const double gained = a_step(holdup->saved_ns, rank->holdups->steps);
    const enum late_kind kind = is_skew(holdup, rank->holdups->steps) ? LATE_SKEWED : kind_of_cause(holdup->cause);
    return (struct late_cause){
        .id = cause_id(holdup->cause),
        .title = str_of(holdup->is_long ? cause_long_title(holdup->cause) : cause_title(holdup->cause)),
        .per_step_ns = excess_ns < gained || !is_explained(rank) ? excess_ns : gained,
        .habit = kind == LATE_SKEWED ? HABIT_ONCE : holdup->habit,
        .what = holdup->title,
        .inside = holdup->inside,
        .line = holdup->line,
        .phase = phase_of(holdup, kind),
        .kind = kind,
    };
}

static int longest_first(const void *a, const void *b)
{
    const struct late_cause *x = a, *y = b;
    return (x->per_step_ns < y->per_step_ns) - (x->per_step_ns > y->per_step_ns);
}

static void keep(struct job *job, struct late_cause cause)
{
    if (cause.per_step_ns >= least * job_late_per_step_ns(job))
        job->causes[job->cause_count++] = cause;
}

static double elements_in(const struct job_rank *rank, const void *of)
{
    return rank->numbers->steps ? rank->numbers->elements / rank->numbers->steps : 0;
}

/* Its inputs are larger than those of the others. Half of the growth of compute, or more: attention grows by the square. */
static bool was_given_more(struct others *others, double compute_ns)
{
    const struct job_rank *late = &others->ranks[others->late];
    const double elements = elements_in(late, NULL), more = above_others(others, elements_in, NULL);
    const double usual_ns = compute_in(late, NULL) - compute_ns;
    return more > 0 && elements > more && usual_ns > 0 && compute_ns > 0 &&
           log(elements / (elements - more)) >= log(1 + compute_ns / usual_ns) / 2;
}

/* In which steps the rank is late; of what is no stretch of the host. */
static enum habit habit_of(const struct rank_account *account)
{
    const uint32_t steps = account->compared;
    if (steps == 1)
        return HABIT_ONE;
    if (account->late_steps == steps || (steps > 2 && account->late_steps + 1 == steps))
        return HABIT_EACH;
    if (account->late_every)
        return HABIT_PERIODIC;
    return account->late_steps <= 2 ? HABIT_ONCE : HABIT_SOME;
}

static bool is_longest_stage(const struct job *job)
{
    return job->ranks.stages.stands_out && job->ranks.stages.rank == job->late;
}

/* On the host alone operators are what the longest stage has more of. */
static bool is_work_of_stage(const struct job *job, const struct holdup *holdup)
{
    return is_longest_stage(job) && !job->ranks.at[job->late]->device && holdup->cause == CAUSE_OPERATOR;
}

static str title_of(enum late_kind kind, bool device, bool sized)
{
    if (kind == LATE_STAGE)
        return S("a stage of the pipeline with more work than the others");
    if (kind == LATE_SEQUENCES)
        return S("longer compute of larger inputs");
    if (!sized)
        return device ? S("longer compute") : S("longer operators");
    return device ? S("longer compute of inputs of the same size") : S("longer operators on inputs of the same size");
}

/* Of the host alone operators are its compute: where no stretch of it explains the late time, all of them do. */
static void add_compute(struct late_costs *costs, struct others *others, struct job *job)
{
    const double compute_ns = above_others(others, compute_in, NULL), late_ns = job_late_per_step_ns(job);
    const bool device = job->ranks.at[job->late]->device;
    double most = 0;
    for (uint32_t i = 0; i < job->cause_count; i++)
        most = job->causes[i].per_step_ns > most ? job->causes[i].per_step_ns : most;
    if (!device && 2 * most >= late_ns)
        return;
    enum late_kind kind = was_given_more(others, compute_ns) ? LATE_SEQUENCES : LATE_COMPUTE;
    if (is_longest_stage(job) && (kind == LATE_SEQUENCES || !others->ranks[job->late].numbers->elements))
        kind = LATE_STAGE;
    keep(job, (struct late_cause){.id = late_kind_id(kind),
                                  .title = title_of(kind, device, others->ranks[job->late].numbers->elements > 0),
                                  .per_step_ns = compute_ns,
                                  .cost_ns = device ? late_costs_take_class(costs, PATH_COMPUTE)
                                                    : late_costs_take(costs, CAUSE_OPERATOR, false, S("")),
                                  .habit = habit_of(&job->ranks.accounts[job->late]),
                                  .what = S(""),
                                  .inside = S(""),
                                  .line = S(""),
                                  .phase = "",
                                  .kind = kind});
}

/* A large cost that no cause above stands for: its part of the late time. */
static void add_untold(struct late_costs *costs, struct job *job)
{
    double share;
    const struct delay_cost *cost;
    while (job->cause_count < LATE_CAUSES_MOST && (cost = late_costs_untold(costs, &share))) {
        const struct line_kind *kind = &job->lines.kinds[cost->kind];
        keep(job, (struct late_cause){.id = kind_id(kind),
                                      .title = kind->class == PATH_UNKNOWN ? str_of(cause_title(CAUSE_UNKNOWN))
                                                                           : kind_title(kind),
                                      .per_step_ns = share * job_late_per_step_ns(job),
                                      .cost_ns = cost->short_ns + cost->long_ns,
                                      .habit = habit_of(&job->ranks.accounts[job->late]),
                                      .what = kind->name,
                                      .inside = S(""),
                                      .line = S(""),
                                      .phase = kind_phase(kind).at,
                                      .kind = kind_of_cause((enum cause)kind->cause)});
    }
}

/* What nobody waited for is no cause of lateness. */
static void keep_holdup(struct late_costs *costs, struct others *others, const struct holdup *holdup, struct job *job)
{
    struct late_cause cause = of_holdup(holdup, &others->ranks[others->late], above_others(others, time_in, holdup));
    cause.cost_ns = late_costs_take(costs, holdup->cause, holdup->is_long, holdup->what);
    if (cause.cost_ns || !job->lined)
        keep(job, cause);
}

void lateness_explain(const struct job_rank *ranks, uint32_t count, struct job *job)
{
    struct arena scratch = {0};
    struct others others = {ranks, count, job->late, arena_array(&scratch, count, sizeof *others.values)};
    struct late_costs costs = late_costs_of(job, &scratch);
    const struct holdups *holdups = ranks[job->late].holdups;
    for (uint32_t i = 0; i < holdups->count; i++)
        if (holdups->at[i].cause != CAUSE_DEVICE && !is_work_of_stage(job, &holdups->at[i])) /* told as compute */
            keep_holdup(&costs, &others, &holdups->at[i], job);
    add_compute(&costs, &others, job);
    add_untold(&costs, job);
    if (job->cause_count)
        qsort(job->causes, job->cause_count, sizeof *job->causes, longest_first);
    arena_free(&scratch);
}
