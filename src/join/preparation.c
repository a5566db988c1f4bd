/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about time of the host. A call of the source is found again as a
 * frame of that name right below its function; a loop as the runs of its
 * function, where that gives the device no kernels (else its time is not the
 * loop's alone); a loader as the iterator that runs on the training thread. Loops
 * over the elements of tensors are told by their operators.
 */
#include "private.h"

#include "base/hash.h"
#include "syntax/syntax.h"

/* ---- calls ---- */

static int64_t call_key(struct located in, str name)
{
    return (int64_t)hash_mix(hash_bytes(name.at, name.len) ^ ((uint64_t)in.file << 32 | in.node));
}

static bool shows(const struct lint_finding *finding, unsigned what)
{
    return finding->match && (showing_of(finding->match->rule).shows & what);
}

/* Of the findings that show preparation, those at calls: (function, name called) to the finding. */
static struct map calls_looked_for(const struct join *join)
{
    struct map calls = {0};
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct match *match = join->lint->findings[i].match;
        if (!shows(&join->lint->findings[i], SHOWS_PREPARATION) || !match->builtin.len)
            continue;
        const struct located in = {match->file, locate_node(join->lint->files[match->file].tree, match->node)};
        map_put(&calls, call_key(in, match->builtin), i);
    }
    return calls;
}

static void add_host(struct join *join, uint32_t finding, uint32_t row, enum tier tier)
{
    sighting_add_host(&join->sightings[finding], row);
    if (tier > join->tiers[finding])
        join->tiers[finding] = tier;
}

static void join_call(struct join *join, const struct map *calls, uint32_t row)
{
    const struct trace *trace = join->evidence.trace;
    const uint32_t parent = trace->parent[row];
    if (parent == ROW_NONE || trace_step(trace, row) == STEP_NONE)
        return;
    const uint32_t caller = trace->name[parent];
    if (!stacks_wants(join->evidence.stacks, caller))
        return;
    const struct located in = locate(join->locator, stacks_frame(join->evidence.stacks, caller));
    const str name = stacks_frame(join->evidence.stacks, trace->name[row])->name;
    const uint32_t finding = map_get(calls, call_key(in, name));
    if (finding != MAP_NONE && str_eq(join->lint->findings[finding].match->builtin, name))
        add_host(join, finding, row, TIER_CONFIRMED);
}

static void join_calls(struct join *join)
{
    const struct trace *trace = join->evidence.trace;
    const uint32_t lane = trace_main_lane(trace);
    struct map calls = calls_looked_for(join);
    const struct rows rows = lane == LANE_NONE ? (struct rows){NULL, 0} : trace_rows(trace, lane, NEST_PYTHON);
    for (uint32_t i = 0; calls.count && i < rows.count; i++)
        join_call(join, &calls, rows.at[i]);
    map_free(&calls);
}

/* ---- loops ---- */

static bool gives_kernels(const struct trace *trace, uint32_t frame)
{
    const struct rows rows = trace_rows(trace, trace->lane[frame], NEST_CALLS);
    uint32_t low = 0, high = rows.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->start_ns[rows.at[middle]] < trace->start_ns[frame])
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < rows.count && trace->start_ns[rows.at[low]] < trace_end_ns(trace, frame); low++) {
        const uint32_t row = rows.at[low], work = trace->cause[row];
        if (trace->kind[row] == EVENT_RUNTIME && work != ROW_NONE && trace->kind[work] == EVENT_KERNEL)
            return true;
    }
    return false;
}

static void join_runs(struct join *join, const struct preparation *preparation)
{
    const struct trace *trace = join->evidence.trace;
    const struct located at = locate(join->locator, &preparation->function);
    if (at.file == LOCATED_NONE || !at.node || gives_kernels(trace, preparation->rows[0]))
        return;
    for (uint32_t i = join_first(join, at); i != FINDING_NONE; i = join->next[i]) {
        if (!shows(&join->lint->findings[i], SHOWS_PREPARATION) || join->lint->findings[i].match->builtin.len)
            continue;
        for (uint32_t r = 0; r < preparation->count; r++)
            if (trace_step(trace, preparation->rows[r]) != STEP_NONE)
                add_host(join, i, preparation->rows[r], TIER_FUNCTION);
    }
}

/* ---- loaders ---- */

/* With workers the training thread only takes a batch that is there: the iterator is another. */
static bool loads_itself(const struct trace *trace, uint32_t row)
{
    return str_has(trace_name(trace, row), S("SingleProcess"));
}

static void join_loader(struct join *join, uint32_t finding)
{
    const struct preparations *preparations = &join->evidence.preparations;
    for (uint32_t i = 0; i < preparations->loader_count; i++)
        if (loads_itself(join->evidence.trace, preparations->loader_rows[i]))
            add_host(join, finding, preparations->loader_rows[i], TIER_FUNCTION);
}

static bool is_pageable_loader(const struct lint_finding *finding)
{
    return shows(finding, SHOWS_UPLOAD) && str_ends(finding->match->builtin, S("DataLoader"));
}

/* Pinned memory is one half of the fix, the copy of the batch the other: what the trace shows there counts for both. */
static void join_pageable_loader(struct join *join, uint32_t finding)
{
    const struct rule *rule = join->lint->findings[finding].match->rule;
    for (uint32_t i = 0; i < join->finding_count; i++) {
        const struct lint_finding *copy = &join->lint->findings[i];
        if (!copy->match || copy->match->rule != rule || is_pageable_loader(copy))
            continue;
        for (size_t k = 0; k < join->sightings[i].move_count; k++)
            sighting_add_move(&join->sightings[finding], join->sightings[i].moves[k]);
        if (join->sightings[i].move_count)
            join->tiers[finding] = TIER_FUNCTION;
    }
}

/* ---- loops over elements ---- */

static void join_element_loop(struct join *join, const struct element_loop *loop)
{
    const struct trace *trace = join->evidence.trace;
    const struct located at = locate(join->locator, stacks_frame(join->evidence.stacks, trace->name[loop->frame]));
    if (at.file == LOCATED_NONE)
        return;
    for (uint32_t i = join_first(join, at); i != FINDING_NONE; i = join->next[i])
        for (uint32_t r = 1; r < loop->count && shows(&join->lint->findings[i], SHOWS_LOOP); r++)
            add_host(join, i, loop->rows[r], TIER_FUNCTION);
}

void join_preparation(struct join *join)
{
    const struct preparations *preparations = &join->evidence.preparations;
    join_calls(join);
    for (uint32_t i = 0; i < join->evidence.loops.count; i++)
        join_element_loop(join, &join->evidence.loops.at[i]);
    for (uint32_t i = 0; i < preparations->count; i++)
        if (preparations->at[i].kind == PREPARER_FUNCTION && preparations->at[i].count)
            join_runs(join, &preparations->at[i]);
    for (uint32_t i = 0; i < join->finding_count; i++) {
        if (shows(&join->lint->findings[i], SHOWS_LOADER))
            join_loader(join, i);
        else if (is_pageable_loader(&join->lint->findings[i]))
            join_pageable_loader(join, i);
    }
}
