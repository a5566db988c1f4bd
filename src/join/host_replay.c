/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Savings of the host's own time beside a device that works. The time under the lines of a finding is told as without a
 * device (host_sight.h). What a step saves without it is told by a replay: in a step that the device fills that is nothing, in
 * one that waits for the host nearly all. Backward runs on threads of its own there, so its time is taken from these.
 */
#include "private.h"

#include "host_backward.h"
#include "host_estimate.h"

struct beside {
    struct join *join;
    struct host_clock clock;
    struct host_sight *sights;
    size_t *host_counts; /* by finding: rows of its sighting before the sights added theirs */
    bool *is_told;       /* by finding */
};

/* Rules whose cost is time of the host: tensors made of lists, samples made one by one, operators a row. Waits are told by moves. */
static bool is_host_time(enum spares spares)
{
    return spares == SPARES_HOST || spares == SPARES_BUILD || spares == SPARES_ROUNDS;
}

/* ---- what is taken ---- */

/* Of each stretch the first part; with the device work of the calls there, or without. */
static void take_part(struct relief *relief, uint32_t lane, const struct spans *time, double part, bool with_device)
{
    for (size_t i = 0; i < time->count; i++) {
        const int64_t start = time->at[i].start_ns;
        const int64_t end = start + (int64_t)((double)(time->at[i].end_ns - start) * part);
        if (with_device)
            relief_stretch(relief, lane, start, end);
        else
            relief_host(relief, lane, start, end);
    }
}

static void take_backward(const struct beside *beside, const struct spans *forward, double part)
{
    const struct trace *const trace = beside->join->evidence.trace;
    struct spans time = {0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        if (lane == beside->clock.lane)
            continue;
        spans_clear(&time);
        host_backward_on(trace, lane, forward, &time);
        take_part(beside->join->evidence.relief, lane, &time, part, true);
    }
    spans_free(&time);
}

/* Copies and waits that the trace shows of the finding, and its part of the host's time. */
static void take_finding(const struct beside *beside, uint32_t i, const struct host_model *model)
{
    struct sighting moves = beside->join->sightings[i];
    moves.host_count = 0;
    saving_take(&beside->join->evidence, &moves);
    const struct host_sight *const sight = &beside->sights[i];
    const double part = model->share / (sight->shared ? sight->shared : 1);
    if (part <= 0)
        return;
    take_part(beside->join->evidence.relief, beside->clock.lane, &sight->time, part, model->with_backward);
    if (model->with_backward)
        take_backward(beside, &sight->time, part);
}

/* ---- what is told ---- */

static const struct host_model *model_of(const struct beside *beside, uint32_t i)
{
    const struct match *const match = beside->join->lint->findings[i].match;
    if (!match || !beside->sights[i].calls || !is_host_time(beside->join->sightings[i].spares))
        return NULL;
    return host_model_of(beside->join->lint, match);
}

static str words_of(const struct beside *beside, uint32_t i, const struct host_model *model,
                    const struct host_estimate *estimate)
{
    struct arena *const arena = beside->join->arena;
    const str words = host_estimate_words(arena, &beside->sights[i], model, estimate);
    return str_printf(arena, "%s Replayed without it, with what its copies and waits cost.", words.at);
}

/* The doubt of what the host spares is that of what the step saves, in proportion. */
static void tell(struct beside *beside, uint32_t i, const struct host_model *model, struct joined *joined)
{
    struct join *const join = beside->join;
    struct lint_finding *const finding = &join->lint->findings[i];
    if (join->replays++ >= MOST_REPLAYS)
        return;
    take_finding(beside, i, model);
    const double saving = (double)saving_replay(&join->evidence);
    struct host_estimate estimate = host_estimate_of(&beside->clock, &beside->sights[i], model);
    if (saving <= (double)finding->saving_ns || estimate.saving_ns <= 0)
        return;
    beside->is_told[i] = true;
    const double grown = saving / estimate.saving_ns;
    estimate.low_ns *= grown;
    estimate.high_ns *= grown;
    estimate.saving_ns = saving;
    finding->saving_ns = (int64_t)saving;
    finding->estimate = (struct lint_estimate){true, saving, estimate.low_ns, estimate.high_ns,
                                               (double)relief_step_ns(join->evidence.relief)};
    finding->note = join_seen_note(join, i, words_of(beside, i, model, &estimate));
    if (finding->tier == TIER_STATIC) {
        finding->tier = TIER_FUNCTION;
        joined->in_function += join->tiers[i] == TIER_STATIC;
    }
    join_tell_events(join, &join->sightings[i], finding);
}

/* ---- all of them ---- */

static int64_t together(const struct beside *beside)
{
    const struct join *const join = beside->join;
    for (uint32_t i = 0; i < join->finding_count; i++) {
        struct sighting known = join->sightings[i];
        known.host_count = beside->host_counts[i];
        if (beside->is_told[i])
            take_finding(beside, i, model_of(beside, i));
        else if (known.spares != SPARES_UNKNOWN)
            saving_take(&join->evidence, &known);
    }
    return saving_replay(&join->evidence);
}

static struct beside open_beside(struct join *join)
{
    struct beside beside = {.join = join,
                            .clock = host_clock_beside(join),
                            .host_counts = arena_array(&join->scratch, join->finding_count, sizeof(size_t)),
                            .is_told = arena_array(&join->scratch, join->finding_count, sizeof(bool))};
    for (uint32_t i = 0; i < join->finding_count; i++)
        beside.host_counts[i] = join->sightings[i].host_count;
    beside.sights = host_sights(join);
    return beside;
}

static bool has_host_time(const struct join *join)
{
    for (uint32_t i = 0; i < join->finding_count; i++)
        if (join->lint->findings[i].match && is_host_time(join->sightings[i].spares))
            return true;
    return false;
}

void join_host_beside_device(struct join *join, struct joined *joined)
{
    bool any = false;
    if (!has_host_time(join))
        return;
    struct beside beside = open_beside(join);
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct host_model *const model = model_of(&beside, i);
        if (model)
            tell(&beside, i, model, joined);
        else
            host_tell_unknown(join, i, &beside.sights[i]);
        any |= beside.is_told[i];
    }
    const int64_t saving = any ? together(&beside) : 0;
    joined->saving_ns = saving > joined->saving_ns ? saving : joined->saving_ns;
    for (uint32_t i = 0; i < join->finding_count; i++)
        spans_free(&beside.sights[i].time);
}
