/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/sum.h"

const struct verdict_experiment verdict_experiments[VERDICT_EXPERIMENTS] = {
    {RESOURCE_DEVICE, BOUND_COMPUTE, "device twice as fast", "with the device twice as fast"},
    {RESOURCE_HOST, BOUND_HOST, "host twice as fast", "with the host twice as fast"},
    {RESOURCE_OPERATORS, BOUND_COMPUTE, "operators twice as fast", "with the operators twice as fast"},
    {RESOURCE_FORWARD, BOUND_UNKNOWN, "forward twice as fast", ""},
    {RESOURCE_BACKWARD, BOUND_UNKNOWN, "backward twice as fast", ""},
    {RESOURCE_OPTIMIZER, BOUND_UNKNOWN, "optimizer twice as fast", ""},
    {RESOURCE_BESIDE, BOUND_HOST, "Python and the rest twice as fast",
     "with what is in no operator (Python, compilation) twice as fast"},
    {RESOURCE_COMMUNICATION, BOUND_COMMUNICATION, "communication free", "if communication took no time"},
    {RESOURCE_DATA, BOUND_INPUT, "data ready", "if each batch were ready when it is asked for"},
    {RESOURCE_COPIES, BOUND_COPIES, "copies free", "if copies took no time"},
    {RESOURCE_STALLS, BOUND_STALL, "no stalls", "without the stalls"},
    {RESOURCE_START, BOUND_START, "no start-up", "without what comes once: leave the first steps out"},
    {RESOURCE_LATENESS, BOUND_LATE, "nobody late", "if the late rank came with the others: repair that place first"},
};

double verdict_explained(const struct verdict_rank *rank)
{
    return rank->step_ns > 0 ? (double)rank->explained_ns / (double)rank->step_ns : 1;
}

/* Of several that of the one that gains most, and the one that is explained least. */
static void add_rank(struct verdict *sums, const struct verdict *more)
{
    const struct verdict_rank own = {more->rank, more->step_ns, more->explained_ns};
    if (part_of(more->pair_ns, more->step_ns) > part_of(sums->pair_ns, sums->pair_of.step_ns)) {
        sums->pair_ns = more->pair_ns;
        sums->pair[0] = more->pair[0];
        sums->pair[1] = more->pair[1];
        sums->pair_of = own;
    }
    if (!sums->least.step_ns || verdict_explained(&own) < verdict_explained(&sums->least))
        sums->least = own;
}

void verdict_add(struct verdict *sums, const struct verdict *more)
{
    add_rank(sums, more);
    if (!sums->steps)
        sums->bare_share = more->bare_share;
    sums->first_only = more->first_only && (sums->first_only || !sums->steps);
    sums->steps += more->steps;
    sums->among += more->among;
    sum_to(&sums->step_ns, more->step_ns);
    sum_to(&sums->explained_ns, more->explained_ns);
    for (int r = 0; r < RESOURCES; r++) {
        sum_to(&sums->saved_ns[r], more->saved_ns[r]);
        sum_to(&sums->removed_ns[r], more->removed_ns[r]);
        sum_to(&sums->time_ns[r], more->time_ns[r]);
    }
    sum_to(&sums->held_ns, more->held_ns);
    sum_to(&sums->blank_ns, more->blank_ns);
    if (more->left_out_ns > sums->left_out_ns)
        sums->left_out_cause = more->left_out_cause;
    sum_to(&sums->left_out_ns, more->left_out_ns);
    sums->launches += more->launches;
    sums->lost += more->lost;
    sums->work += more->work;
    sums->unlaunched += more->unlaunched;
    sums->device |= more->device;
}

double verdict_error(const struct verdict *verdict)
{
    return fabs(verdict_share(verdict, verdict->explained_ns - verdict->step_ns));
}

bool verdict_is_held(const struct verdict *verdict)
{
    return verdict_share(verdict, verdict->held_ns) > held_most;
}

bool verdict_halves(enum resource resource)
{
    return resource <= RESOURCE_BESIDE;
}

/* A late rank is seen in the collectives, so no doubt about the replay touches it. */
bool verdict_is_late(const struct verdict *verdict)
{
    const int64_t late_ns = verdict->removed_ns[RESOURCE_LATENESS];
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (verdict_ranks(verdict, r) && verdict_compared_ns(verdict, r) > late_ns)
            return false;
    return verdict_share(verdict, late_ns) >= saves_least;
}

/*
 * What the training thread did is not known for most of the time. Beside a device that matters where the host is not the
 * answer: the thread may have waited for the device there.
 */
static bool is_blank(const struct verdict *verdict)
{
    const int64_t host_ns = verdict->removed_ns[RESOURCE_HOST];
    bool host = verdict->device && verdict_share(verdict, host_ns) >= saves_least;
    for (int r = 0; r < RESOURCE_NONE; r++)
        host = host && verdict->removed_ns[r] <= host_ns;
    return verdict_share(verdict, verdict->blank_ns) > blank_most && !host;
}

enum verdict_doubt verdict_doubt(const struct verdict *verdict)
{
    if (verdict_is_late(verdict))
        return DOUBT_NONE;
    if (verdict->work < WORK_LEAST)
        return DOUBT_FEW;
    if (verdict->step_ns < (int64_t)verdict->steps * STEP_LEAST_NS)
        return DOUBT_SHORT;
    if (verdict->first_only)
        return DOUBT_FIRST;
    if ((double)verdict->unlaunched > unlaunched_most * (double)verdict->work)
        return DOUBT_LAUNCHES;
    if ((double)verdict->lost > lost_most * (double)verdict->launches)
        return DOUBT_LOST;
    if (verdict_is_held(verdict))
        return DOUBT_HELD;
    if (is_blank(verdict))
        return DOUBT_BLANK;
    return verdict_error(verdict) > error_most ? DOUBT_ERROR : DOUBT_NONE;
}

/* ---- the answer ---- */

bool verdict_ranks(const struct verdict *verdict, enum resource resource)
{
    switch (resource) {
    case RESOURCE_FORWARD:
    case RESOURCE_BACKWARD:
    case RESOURCE_OPTIMIZER:
        return false;
    case RESOURCE_OPERATORS:
    case RESOURCE_BESIDE:
        return !verdict->device;
    case RESOURCE_DEVICE:
    case RESOURCE_HOST:
        return verdict->device;
    default:
        return true;
    }
}

/* What is compared; -1: what is not stands behind all else. */
static int64_t weight(const struct verdict *verdict, int experiment)
{
    const enum resource resource = verdict_experiments[experiment].resource;
    return verdict_ranks(verdict, resource) ? verdict_compared_ns(verdict, resource) : -1;
}

/* Experiments by what their removal saves, most first; of equal ones the first of the table. */
static void rank_by_removal(const struct verdict *verdict, int order[VERDICT_EXPERIMENTS])
{
    for (int i = 0; i < VERDICT_EXPERIMENTS; i++) {
        int at = i;
        for (; at && weight(verdict, order[at - 1]) < weight(verdict, i); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

bool verdict_worth(const struct verdict *verdict, enum resource resource)
{
    return verdict_share(verdict, verdict->removed_ns[resource]) >= saves_least;
}

struct verdict_answer verdict_answer(const struct verdict *verdict)
{
    struct verdict_answer answer = {BOUND_UNKNOWN, BOUND_UNKNOWN};
    if (verdict_doubt(verdict) != DOUBT_NONE)
        return answer;
    int order[VERDICT_EXPERIMENTS];
    rank_by_removal(verdict, order);
    const double most = verdict_share(verdict, verdict_compared_ns(verdict, verdict_experiments[order[0]].resource));
    const double next = verdict_share(verdict, verdict_compared_ns(verdict, verdict_experiments[order[1]].resource));
    answer.bound = most < saves_least ? BOUND_BALANCED : verdict_experiments[order[0]].bound;
    if (most - next < close && next >= saves_least)
        answer.second = verdict_experiments[order[1]].bound;
    return answer;
}
