/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"

#include "base/map.h"
#include "base/hash.h"
#include "base/mem.h"
#include "function.h"
#include "private.h"
#include "syntax/syntax.h"

/* ---- findings by function ---- */

static int64_t function_key(uint32_t file, uint32_t node)
{
    return (int64_t)((uint64_t)file << 32 | node);
}

static void index_findings(struct join *join)
{
    const struct lint *lint = join->lint;
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct match *match = lint->findings[i].match;
        join->next[i] = FINDING_NONE;
        if (!match)
            continue;
        join->sightings[i].spares = showing_of(match->rule).spares;
        const int64_t key = function_key(match->file, locate_node(lint->files[match->file].tree, match->node));
        const uint32_t other = map_get(&join->by_function, key);
        join->next[i] = other == MAP_NONE ? (uint32_t)FINDING_NONE : other;
        map_put(&join->by_function, key, i);
    }
}

uint32_t join_first(const struct join *join, struct located at)
{
    const uint32_t first = map_get(&join->by_function, function_key(at.file, at.node));
    return first == MAP_NONE ? (uint32_t)FINDING_NONE : first;
}

/* How many calls of the match's built-in its function has; each (function, name) is counted once. */
static uint32_t calls_of(struct join *join, const struct match *match)
{
    const struct syntax *tree = join->lint->files[match->file].tree;
    const uint32_t function = locate_node(tree, match->node);
    const uint64_t name = hash_bytes(match->builtin.at, match->builtin.len);
    const int64_t key = (int64_t)hash_mix(name ^ (uint64_t)function_key(match->file, function));
    const uint32_t known = map_get(&join->calls, key);
    if (known != MAP_NONE)
        return known;
    uint32_t count = 0;
    for (uint32_t node = function; node < syntax_last(tree, function); node++)
        count += tree->kind[node] == SYN_CALL && locate_node(tree, node) == function &&
                 str_eq(syntax_tail(tree, syntax_first(tree, node)), match->builtin);
    map_put(&join->calls, key, count);
    return count;
}

/* ---- a move finds its findings ---- */

/* A move as findings are asked of it. */
struct sought {
    unsigned shows;
    bool waits;
    const struct place *place;
};

/* Of a finding with several places that of the one that fits best. */
static enum fit fit_at(struct join *join, uint32_t finding, const struct sought *sought)
{
    enum fit best = FIT_NONE;
    for (const struct match *match = join->lint->findings[finding].match; match; match = match->also) {
        if (!(showing_of(match->rule).shows & sought->shows))
            continue;
        const struct syntax *const tree = join->lint->files[match->file].tree;
        const enum fit fit = fit_of(match, tree, calls_of(join, match), sought->place);
        best = fit > best ? fit : best;
    }
    return best == FIT_FUNCTION && sought->waits && join->seen[finding].count ? FIT_SEEN : best;
}

static void prove(struct join *join, uint32_t finding, enum fit fit)
{
    const enum tier tier = fit >= FIT_SEEN ? TIER_CONFIRMED : TIER_FUNCTION;
    if (tier > join->tiers[finding])
        join->tiers[finding] = tier;
}

/* The best fit among the findings of a function, and how many have it. */
static enum fit best_fit(struct join *join, struct located at, const struct sought *sought, uint32_t *count)
{
    enum fit best = FIT_NONE;
    *count = 0;
    for (uint32_t i = join_first(join, at); i != FINDING_NONE; i = join->next[i]) {
        const enum fit fit = fit_at(join, i, sought);
        *count = fit > best ? 1 : *count + (fit == best);
        best = fit > best ? fit : best;
    }
    return best;
}

/* False: none of the function's findings fits. */
static bool prove_at(struct join *join, struct located at, uint32_t index, const struct place *place)
{
    const struct move *const move = &join->evidence.movement.at[index];
    const struct sought sought = {move_shows(join->evidence.trace, move), move->blocking, place};
    uint32_t count;
    const enum fit best = best_fit(join, at, &sought, &count);
    for (uint32_t i = join_first(join, at); best != FIT_NONE && i != FINDING_NONE; i = join->next[i]) {
        if (fit_at(join, i, &sought) != best)
            continue;
        sighting_add_move(&join->sightings[i], index);
        if (best <= FIT_SEEN && count > 1)
            join->sightings[i].shared = count;
        prove(join, i, best);
    }
    return best != FIT_NONE;
}

static bool join_move(struct join *join, uint32_t index)
{
    const struct move *move = &join->evidence.movement.at[index];
    struct place place = place_of(join->evidence.stacks, move_row(move));
    if (!place_known(&place))
        return false;
    do {
        const struct located at = locate(join->locator, &place.function);
        if (at.file != LOCATED_NONE && prove_at(join, at, index, &place))
            return true;
    } while (place_outward(join->evidence.stacks, &place));
    return false;
}

static void join_moves(struct join *join)
{
    for (uint32_t i = 0; i < join->evidence.movement.count; i++)
        if (join->evidence.movement.at[i].step != STEP_NONE)
            join->explained[i] = join_move(join, i);
}

/* ---- numbers ---- */

void join_tell_events(struct join *join, const struct sighting *sighting, struct lint_finding *finding)
{
    const size_t all = sighting->move_count + sighting->host_count;
    const uint32_t count = all < MOST_EVENTS ? (uint32_t)all : MOST_EVENTS;
    uint32_t *rows = arena_array(join->arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i < sighting->move_count ? move_row(&join->evidence.movement.at[sighting->moves[i]])
                                           : sighting->host[i - sighting->move_count];
    finding->events = rows;
    finding->event_count = count;
}

/* Of several traces the one with the larger saving, then the longer wait, speaks. */
void join_warn(struct join *join, const char *message)
{
    struct lint *lint = join->lint;
    struct lint_remark *all = arena_array(join->arena, lint->remark_count + (size_t)1, sizeof *all);
    if (lint->remark_count)
        memcpy(all, lint->remarks, lint->remark_count * sizeof *all);
    all[lint->remark_count++] =
        (struct lint_remark){str_copy(join->arena, join->evidence.trace->info.path), 0, str_of(message), 0};
    lint->remarks = all;
}

static bool says_more(const struct lint_finding *finding, int64_t saving_ns, int64_t blocked_ns)
{
    return finding->tier == TIER_STATIC || saving_ns > finding->saving_ns ||
           (saving_ns == finding->saving_ns && blocked_ns > finding->host_blocked_ns);
}

static void number_finding(struct join *join, uint32_t i)
{
    struct lint_finding *finding = &join->lint->findings[i];
    const struct sighting *sighting = &join->sightings[i];
    if (join->tiers[i] == TIER_STATIC)
        return;
    const bool measured = !sighting_is_empty(sighting); /* else its line is all that is known */
    const bool affordable = measured && join->replays++ < MOST_REPLAYS;
    const int64_t saving = affordable ? join_saving_of(join, sighting) : -1;
    const int64_t blocked = measured ? join_blocked_of(join, sighting) : -1;
    if (says_more(finding, saving, blocked)) {
        finding->saving_ns = saving;
        finding->host_blocked_ns = blocked;
        finding->note = join_seen_note(join, i, measured ? sighting_note(join, sighting, saving) : S(""));
        join_tell_events(join, sighting, finding);
    }
    if (finding->tier == TIER_STATIC || join->tiers[i] == TIER_CONFIRMED)
        finding->tier = join->tiers[i];
}

static void number_findings(struct join *join, struct joined *joined)
{
    join_count_claims(join);
    for (uint32_t i = 0; i < join->finding_count; i++) {
        number_finding(join, i);
        joined->confirmed += join->tiers[i] == TIER_CONFIRMED;
        joined->in_function += join->tiers[i] == TIER_FUNCTION;
    }
    joined->saving_ns = saving_together(&join->evidence, join->sightings, join->finding_count);
    joined->bare_step_ns = relief_step_ns(join->evidence.relief);
    const double share = relief_bare_share(join->evidence.relief);
    if (share < 1)
        join_warn(join, str_printf(join->arena,
                                   "savings leave the recorder out: without it %.0f %% of the host's recorded time is "
                                   "left",
                                   100 * share)
                            .at);
}

/* ---- the trace as a whole ---- */

static bool has_call_stacks(const struct trace *trace)
{
    return trace->kinds[EVENT_PYTHON] || trace_attr_count(trace, ATTR_CALL_STACK);
}

static void describe(const struct join *join, const struct trace *trace, struct joined *joined)
{
    const struct evidence *evidence = &join->evidence;
    const struct located_sum functions = locator_sum(join->locator);
    const int64_t steps = evidence->steps;
    *joined = (struct joined){
        .path = str_copy(join->arena, trace->info.path),
        .step_source = trace->step_source,
        .steps = evidence->steps,
        .has_device = evidence->times.count > 0,
        .has_frames = has_call_stacks(trace),
        .belongs = functions.found > 0,
        .moved = functions.moved > 0,
        .device_bound = evidence_device_bound(evidence),
        .functions = functions.functions,
        .functions_found = functions.found,
        .step_ns = evidence->wall_ns / steps,
        .busy_ns = evidence->busy_ns / steps,
        .idle_ns = evidence->preparations.idle_ns / steps,
        .preparing_ns = evidence->preparations.working_ns / steps,
        .blocked_ns = evidence->blocked_ns / steps,
        .loading_ns = evidence->preparations.loader_ns / steps,
        .blocking_moves = (double)evidence->blocking / (double)steps,
    };
}

static bool wanted(const void *context, const struct frame *function)
{
    return locate(context, function).file != LOCATED_NONE;
}

static struct join join_open(struct lint *lint, const struct trace *trace, struct arena *arena)
{
    struct join join = {.lint = lint, .arena = arena, .finding_count = lint->finding_count};
    join.locator = locator_new(lint, trace);
    evidence_open(&join.evidence, trace, (struct place_filter){join.locator, wanted});
    join.next = arena_array(&join.scratch, join.finding_count, sizeof *join.next);
    join.tiers = arena_array(&join.scratch, join.finding_count, sizeof *join.tiers);
    join.sightings = arena_array(&join.scratch, join.finding_count, sizeof *join.sightings);
    join.claims = arena_array(&join.scratch, join.evidence.movement.count, sizeof *join.claims);
    join.explained = arena_array(&join.scratch, join.evidence.movement.count, sizeof *join.explained);
    join.seen = arena_array(&join.scratch, join.finding_count, sizeof *join.seen);
    join.lines = sync_lines_beside(trace->info.path, arena);
    index_findings(&join);
    return join;
}

static void join_close(struct join *join)
{
    for (uint32_t i = 0; i < join->finding_count; i++)
        sighting_free(&join->sightings[i]);
    map_free(&join->by_function);
    map_free(&join->calls);
    map_free(&join->moving);
    map_free(&join->host_claims);
    evidence_close(&join->evidence);
    locator_free(join->locator);
    arena_free(&join->scratch);
}

void join_trace(struct lint *lint, const struct trace *trace, struct arena *arena, struct joined *joined)
{
    struct join join = join_open(lint, trace, arena);
    describe(&join, trace, joined);
    joined->lines_seen = join_seen(&join);
    joined->lines = join.lines;
    if (joined->has_device && (joined->belongs || joined->lines_seen)) {
        join_moves(&join);
        join_preparation(&join);
        number_findings(&join, joined);
        if (joined->has_frames && joined->belongs && !joined->device_bound)
            join_host_beside_device(&join, joined);
        if (join.replays > MOST_REPLAYS)
            join_warn(&join,
                      "more than 300 findings are shown by the trace; what a step would save without those beyond "
                      "is not worked out");
        join_judge(&join);
        joined->from_trace = add_unexplained(&join);
    } else if (!joined->has_device && joined->has_frames && joined->belongs) {
        join_host(&join, joined);
    }
    join_close(&join);
}
