/* SPDX-License-Identifier: Apache-2.0 */
#include "base/duration.h"
#include "ranks_stages.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"

/* A stage stands out by this share of a step at least, and by twice as much as the next one does. */
static const double least_share = 0.05, stand_out = 2;

/* Two ranks with messages between them. */
struct link {
    uint32_t low, high; /* indices of ranks */
    int64_t step;       /* the last one that was looked at */
    uint32_t up, down;  /* steps in which the lower one sent first, and the higher one */
    bool both;          /* messages go both ways */
    bool last_up;
};

struct graph {
    const struct ranks *ranks;
    struct map index; /* the two ranks: index of the link */
    struct link *at;
    uint32_t count;
};

static struct link *link_of(struct graph *g, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const int64_t key = (int64_t)((uint64_t)low << 32 | high);
    uint32_t index = map_get(&g->index, key);
    if (index == MAP_NONE) {
        index = g->count++;
        g->at[index] = (struct link){.low = low, .high = high, .step = INT64_MIN};
        map_put(&g->index, key, index);
    }
    return &g->at[index];
}

/* Which of the two members sends. */
static uint32_t sender_of(const struct ranks *ranks, const struct meeting *meeting)
{
    for (uint32_t k = meeting->first; k < meeting->first + 2; k++) {
        const struct meeting_member *member = &ranks->members[k];
        if (ranks->at[member->rank]->collectives[member->index].of.sends)
            return member->rank;
    }
    return RANK_NONE_LATE;
}

static void add_message(struct graph *g, const struct meeting *meeting)
{
    const struct ranks *ranks = g->ranks;
    const uint32_t a = ranks->members[meeting->first].rank, b = ranks->members[meeting->first + 1].rank;
    const uint32_t sender = sender_of(ranks, meeting);
    if (sender == RANK_NONE_LATE)
        return;
    struct link *link = link_of(g, a, b);
    const bool up = sender == link->low, first = link->step == INT64_MIN;
    link->both |= !first && up != link->last_up;
    link->last_up = up;
    if (meeting->sample->step == link->step)
        return;
    link->step = meeting->sample->step;
    link->up += up;
    link->down += !up;
}

static void find_links(struct graph *g, struct arena *arena)
{
    uint32_t messages = 0;
    for (uint32_t i = 0; i < g->ranks->meeting_count; i++)
        messages += g->ranks->meetings[i].sample->of.kind == COLLECTIVE_POINT_TO_POINT;
    g->at = arena_array(arena, messages, sizeof *g->at);
    for (uint32_t i = 0; i < g->ranks->meeting_count; i++)
        if (g->ranks->meetings[i].sample->of.kind == COLLECTIVE_POINT_TO_POINT && g->ranks->meetings[i].count == 2)
            add_message(g, &g->ranks->meetings[i]);
}

/* ---- the order ---- */

/* Passes on how many are before; false where nothing changed. */
static bool pass_on(const struct graph *g, uint32_t *before)
{
    bool changed = false;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct link *link = &g->at[i];
        const uint32_t from = link->up >= link->down ? link->low : link->high,
                       to = from == link->low ? link->high : link->low;
        if (before[to] < before[from] + 1) {
            before[to] = before[from] + 1;
            changed = true;
        }
    }
    return changed;
}

/*
 * What comes back to where it began is a pipeline whose ranks hold several stages each, if all send both ways: then ranks
 * are in their order. Else it is no pipeline.
 */
static uint32_t order_ranks(const struct graph *g, uint32_t *stage)
{
    const uint32_t ranks = g->ranks->count;
    uint32_t most = 0, rounds = 0;
    bool both = true;
    while (rounds <= ranks && pass_on(g, stage))
        rounds++;
    for (uint32_t i = 0; i < g->count; i++)
        both &= g->at[i].both;
    if (rounds > ranks && !both)
        return 0;
    for (uint32_t r = 0; r < ranks; r++) {
        stage[r] = rounds > ranks ? r : stage[r];
        most = stage[r] > most ? stage[r] : most;
    }
    return most + 1;
}

/* ---- how long they are ---- */

double ranks_own_ns(const struct rank_numbers *rank)
{
    return rank->steps ? (double)(rank->step_ns - rank->time_ns[TIME_COMMUNICATION]) / rank->steps : 0;
}

static double lower_median(const double *values, uint32_t count, struct arena *arena)
{
    struct keyed *order = arena_array(arena, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct keyed){(int64_t)values[i], i};
    sort_keyed(order, count);
    return count ? values[order[(count - 1) / 2].row] : 0;
}

static double length_of(const struct ranks *ranks, const uint32_t *stage, uint32_t s, struct arena *arena)
{
    double *own = arena_array(arena, ranks->count, sizeof *own);
    uint32_t count = 0;
    for (uint32_t r = 0; r < ranks->count; r++)
        if (stage[r] == s)
            own[count++] = ranks_own_ns(ranks->at[r]);
    return lower_median(own, count, arena);
}

static uint32_t latest_rank(const struct ranks *ranks, const uint32_t *stage, uint32_t s)
{
    uint32_t found = RANK_NONE_LATE;
    for (uint32_t r = 0; r < ranks->count; r++)
        if (stage[r] == s && (found == RANK_NONE_LATE || ranks_own_ns(ranks->at[r]) > ranks_own_ns(ranks->at[found])))
            found = r;
    return found;
}

static double step_of(const struct rank_numbers *rank)
{
    return rank->steps ? (double)rank->step_ns / rank->steps : 0;
}

/* The longest against the middle of the others. */
static void compare(const struct ranks *ranks, const uint32_t *stage, struct rank_stages *out, struct arena *arena)
{
    double *lengths = arena_array(arena, out->count, sizeof *lengths),
           *others = arena_array(arena, out->count, sizeof *others);
    double sum = 0, next = 0;
    uint32_t longest = 0, count = 0;
    for (uint32_t s = 0; s < out->count; s++) {
        lengths[s] = length_of(ranks, stage, s, arena);
        sum += lengths[s];
        longest = lengths[s] > lengths[longest] ? s : longest;
    }
    for (uint32_t s = 0; s < out->count; s++)
        if (s != longest) {
            others[count++] = lengths[s];
            next = lengths[s] > next ? lengths[s] : next;
        }
    const double middle = lower_median(others, count, arena);
    out->longest = longest;
    out->rank = latest_rank(ranks, stage, longest);
    out->mean_ns = sum / out->count;
    out->middle_ns = middle;
    out->longer_ns = lengths[longest] - middle;
    out->saving_ns = lengths[longest] - out->mean_ns;
    out->stands_out =
        out->longer_ns >= least_share * step_of(ranks->at[out->rank]) && out->longer_ns >= stand_out * (next - middle);
}

/* All ranks wait for the longest stage, in each step. */
static void account_for(struct ranks *ranks)
{
    const uint32_t r = ranks->stages.rank, steps = ranks->at[r]->steps;
    struct rank_account *account = &ranks->accounts[r];
    account->late_ns = account->saving_ns = (int64_t)(ranks->stages.longer_ns * steps);
    account->late_steps = account->compared = steps;
}

void ranks_find_stages(struct ranks *ranks, struct arena *arena)
{
    struct arena scratch = {0};
    struct graph g = {.ranks = ranks};
    uint32_t *stage = arena_array(arena, ranks->count, sizeof *stage);
    find_links(&g, &scratch);
    const uint32_t count = g.count ? order_ranks(&g, stage) : 0;
    if (count > 1) {
        ranks->stages = (struct rank_stages){.of_rank = stage, .count = count, .rank = RANK_NONE_LATE};
        compare(ranks, stage, &ranks->stages, &scratch);
        if (ranks->stages.stands_out)
            account_for(ranks);
    }
    map_free(&g.index);
    arena_free(&scratch);
}

str ranks_say_stage(const struct ranks *ranks, struct arena *arena)
{
    const struct rank_stages *stages = &ranks->stages;
    const str longer = duration_words(arena, stages->longer_ns), saving = duration_words(arena, stages->saving_ns);
    const str step = duration_words(arena, step_of(ranks->at[stages->rank]));
    return str_printf(
        arena,
        "Stage %u of the pipeline's %u (rank %lld) is longer than the middle of the others by %.*s of a step "
        "of %.*s; spread evenly over the stages, its work makes a step shorter by %.*s.",
        stages->longest + 1, stages->count, (long long)ranks->at[stages->rank]->rank, (int)longer.len, longer.at,
        (int)step.len, step.at, (int)saving.len, saving.at);
}
