/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the trace shows and no finding explains: moves in functions of the linted
 * files where the source shows nothing, and in libraries. Told where it blocks
 * the host, or leaves the device idle, for one part in a hundred of a step.
 */
#include "private.h"

#include "base/mem.h"

enum { MOST_TOLD = 20, PARTS_OF_STEP = 100 };

/* The moves that are not explained, as a table of their own. */
static struct movement unexplained(const struct join *join, struct arena *arena)
{
    const struct movement *all = &join->evidence.movement;
    struct move *moves = arena_array(arena, all->count, sizeof *moves);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (!join->explained[i] && all->at[i].step != STEP_NONE)
            moves[count++] = all->at[i];
    return (struct movement){moves, count};
}

static bool matters(const struct join *join, const struct move_group *group)
{
    const int64_t worth = join->evidence.wall_ns / PARTS_OF_STEP;
    return group->blocked_ns > worth || group->bubble_ns > worth;
}

/* A profiler's own synchronisation at the end of a step is none of the program's. */
static bool of_profiler(const struct trace *trace, const struct move *move)
{
    for (uint32_t at = trace_frame(trace, move_row(move)); at != ROW_NONE; at = trace->parent[at])
        if (str_has(trace_name(trace, at), S("torch/profiler/")) ||
            str_has(trace_name(trace, at), S("torch/autograd/profiler")))
            return true;
    return false;
}

static str place_text(const struct move_group *group, struct arena *arena)
{
    const struct place *place = &group->place;
    if (place_known(place))
        return str_printf(arena, "`%.*s`", (int)place->function.name.len, place->function.name.at);
    if (group->annotation.len)
        return str_printf(arena, "`%.*s` (an annotation; no frames are recorded there)", (int)group->annotation.len,
                          group->annotation.at);
    return S("a place without frames");
}

static str call_text(const struct move_group *group, struct arena *arena)
{
    const struct place *place = &group->place;
    const str what = place->callee.name.len ? place->callee.name : place->op.len ? place->op : group->operators;
    return what.len ? str_printf(arena, "`%.*s`", (int)what.len, what.at) : S("a copy");
}

static const char *deed(unsigned shows)
{
    switch (shows) {
    case SHOWS_READ:
        return "reads back from the device";
    case SHOWS_UPLOAD:
        return "uploads to the device";
    case SHOWS_JOINING:
        return "copies all that was gathered before";
    default:
        return "waits for the device";
    }
}

static str message_of(const struct join *join, const struct movement *table, const struct move_group *group,
                      int64_t saving_ns)
{
    struct arena *arena = join->arena;
    const unsigned shows = move_shows(join->evidence.trace, &table->at[group->example]);
    const char *const backward = group->place.backward ? " (in its backward)" : "";
    return str_printf(arena, "%s in %s%s %s. %s", call_text(group, arena).at, place_text(group, arena).at, backward,
                      deed(shows), group_note(join, group, saving_ns).at);
}

static int64_t saving_of_group(struct join *join, const struct movement *table, const struct move_group *group)
{
    struct sighting sighting = {.spares = SPARES_ALL};
    struct evidence evidence = join->evidence;
    evidence.movement = *table;
    if (group->direction == COPY_H2D)
        sighting.spares = SPARES_WAIT;
    for (uint32_t i = 0; i < group->count; i++)
        sighting_add_move(&sighting, group->moves[i]);
    const int64_t saving = saving_of(&evidence, &sighting);
    sighting_free(&sighting);
    return saving;
}

static void set_events(const struct movement *table, const struct move_group *group, struct arena *arena,
                       struct lint_finding *finding)
{
    finding->event_count = group->count < MOST_EVENTS ? group->count : MOST_EVENTS;
    uint32_t *rows = arena_array(arena, finding->event_count, sizeof *rows);
    for (uint32_t i = 0; i < finding->event_count; i++)
        rows[i] = move_row(&table->at[group->moves[i]]);
    finding->events = rows;
}

static struct lint_finding finding_of(struct join *join, const struct movement *table, const struct move_group *group,
                                      const char *rule)
{
    const struct place *place = &group->place;
    const int64_t saving = saving_of_group(join, table, group);
    struct lint_finding finding = {
        .tier = TIER_TRACE,
        .host_blocked_ns = group->blocked_ns / join->evidence.steps,
        .saving_ns = saving,
        .note = S(""),
        .rule = str_of(rule),
        .file = str_copy(join->arena, place->function.file),
        .message = message_of(join, table, group, saving),
        .line = place->line > 0 ? place->line : place->function.line,
    };
    if (finding.line < 0)
        finding.line = 0;
    set_events(table, group, join->arena, &finding);
    return finding;
}

static void append(struct join *join, const struct lint_finding *found, uint32_t count)
{
    struct lint *lint = join->lint;
    struct lint_finding *all = arena_array(join->arena, (size_t)lint->finding_count + count, sizeof *all);
    if (lint->finding_count)
        memcpy(all, lint->findings, lint->finding_count * sizeof *all);
    memcpy(all + lint->finding_count, found, count * sizeof *all);
    lint->findings = all;
    lint->finding_count += count;
}

/* Another trace of the same run has told of it already. */
static bool is_told(const struct lint *lint, const struct lint_finding *finding)
{
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct lint_finding *other = &lint->findings[i];
        if (!other->match && str_eq(other->rule, finding->rule) && str_eq(other->file, finding->file) &&
            other->line == finding->line)
            return true;
    }
    return false;
}

uint32_t add_unexplained(struct join *join)
{
    struct arena scratch = {0};
    const struct trace *trace = join->evidence.trace;
    const struct movement table = unexplained(join, &scratch);
    struct stacks *stacks = stacks_new(trace, (struct place_filter){0}, &scratch);
    struct move_groups groups = groups_of(&table, stacks, trace, &scratch);
    find_patterns(&groups, &table, trace);
    struct lint_finding found[MOST_TOLD];
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        const struct move *example = &table.at[groups.at[g].example];
        const char *rule = rule_of_group(&groups.at[g], trace, example);
        if (!rule || !matters(join, &groups.at[g]) || of_profiler(trace, example))
            continue;
        const struct lint_finding finding = finding_of(join, &table, &groups.at[g], rule);
        if (is_told(join->lint, &finding))
            continue;
        if (count == MOST_TOLD) {
            join_warn(join, "more than 20 places that no finding of the source explains move data; the others are not "
                            "told");
            break;
        }
        found[count++] = finding;
    }
    append(join, found, count);
    arena_free(&scratch);
    return count;
}
