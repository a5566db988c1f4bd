/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include "base/mem.h"
#include "drain_walk.h"

enum {
    MOST_CALLERS = 4,
    MOST_CALLS = 3, /* from a function outward */
    LARGEST = 4000  /* nodes of a function that calls it */
};

static const struct limit far_wait = {
    "wait-before",
    "whether the host waits right before comes through more than 3 calls in one another, 4 callers of a function, or a "
    "function of more than 1,500 nodes (4,000: one that calls); it is not looked at further"};

struct drains {
    const struct check *check;
    const struct match *matches;
    struct map watched;         /* nodes of matches; to their row in `states` */
    struct map waits;           /* those that wait */
    struct map gone_through;    /* functions, by node */
    struct drain_state *states; /* of each match that is the first at its node */
    struct drain_memo memo;
    struct map at_head; /* twice a function, and one where rounds before count; to its row in `heads` */
    struct drain *heads;
    size_t head_count, head_room;
    bool around;            /* at the head of a loop the state is that behind its rounds */
    struct map behind_loop; /* loops, by file and node; to their row below */
    struct drain *rounds;
    size_t round_count, round_room;
};

/* A read, or a branch. What a library waits for on its own may be told where it is set up (drain_wait.c knows better). */
static bool waits(const struct match *match)
{
    const str id = str_of(match->rule->id);
    return ((str_starts(id, S("ST4")) && !str_eq(id, S("ST410"))) || str_eq(id, S("ST606"))) && !match->of_run &&
           !match->broken[LINK_DEVICE].why;
}

struct drains *drains_new(const struct check *check, const struct match *matches, uint32_t count)
{
    struct drains *drains = arena_array(check->arena, 1, sizeof *drains);
    *drains = (struct drains){.check = check, .matches = matches};
    drains->states = arena_array(check->arena, count, sizeof *drains->states);
    for (uint32_t i = 0; i < count; i++) {
        drains->states[i] = (struct drain_state){.kind = DRAIN_QUEUED};
        if (map_get(&drains->watched, matches[i].node) == MAP_NONE)
            map_put(&drains->watched, matches[i].node, i);
        if (waits(&matches[i]))
            map_put(&drains->waits, matches[i].node, i);
    }
    return drains;
}

void drains_free(struct drains *drains)
{
    map_free(&drains->watched);
    map_free(&drains->waits);
    map_free(&drains->gone_through);
    map_free(&drains->memo.of_function);
    map_free(&drains->at_head);
    mem_free(drains->memo.ends);
    mem_free(drains->heads);
    map_free(&drains->behind_loop);
    mem_free(drains->rounds);
}

static void tell_far(const struct project *project, const struct drain_state *state, struct site at)
{
    if (state->kind == DRAIN_QUEUED && state->far)
        project_limit(project, &far_wait, at);
}

/* ---- at the head of a function: what its calls find ---- */

static struct drain at_head_of(struct drains *drains, uint32_t function, int calls);

/* What a round of the loop leaves, gone through once. */
static struct drain left_by_round(struct drains *drains, struct site loop)
{
    const int64_t key = (int64_t)((uint64_t)loop.file << 32 | loop.node);
    const uint32_t known = map_get(&drains->behind_loop, key);
    if (known != MAP_NONE)
        return drains->rounds[known];
    drains->rounds = mem_grow(drains->rounds, &drains->round_room, drains->round_count + 1, sizeof *drains->rounds);
    map_put(&drains->behind_loop, key, (uint32_t)drains->round_count);
    return drains->rounds[drains->round_count++] = drain_behind_round(drains->check, loop);
}

static bool is_loop(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_FOR) || syntax_is(tree, node, SYN_WHILE);
}

/* `file`: of the function. */
static struct drain as_drain(struct drains *drains, const struct drain_state *state, uint32_t function, uint32_t file,
                             int calls)
{
    struct drain none = {.wait = site_none, .here = SYNTAX_NONE};
    const struct project *project = drains->check->project;
    if (state->kind != DRAIN_SINCE)
        return none;
    if (!site_is_none(state->wait))
        return (struct drain){.is = true, .wait = state->wait, .here = state->here};
    if (drains->around && state->little == 0 && is_loop(project_tree(project, file), state->head))
        return left_by_round(drains, (struct site){file, state->head});
    const bool of_function = function != SYNTAX_NONE && project_function(project, function)->node == state->head;
    return of_function && state->little == 0 ? at_head_of(drains, function, calls) : none;
}

static struct drain at_call(struct drains *drains, struct site call, int calls)
{
    const struct project *project = drains->check->project;
    const uint32_t caller = project_function_at(project, call);
    const struct function *about = project_function(project, caller);
    const struct syntax *tree = project_tree(project, call.file);
    struct drain_state state = {.kind = DRAIN_QUEUED};
    struct map watched = {0};
    if (tree->kind[about->node] != SYN_FUNCTION && tree->kind[about->node] != SYN_MODULE)
        return as_drain(drains, &state, caller, call.file, calls);
    if (tree->size[about->node] > LARGEST) {
        project_limit(project, &far_wait, call);
        return as_drain(drains, &state, caller, call.file, calls);
    }
    map_put(&watched, call.node, 0);
    struct drain_walk walk = {.check = {project, call.file, tree, drains->check->arena},
                              .memo = &drains->memo,
                              .watched = &watched,
                              .states = &state};
    drain_through(&walk, about->node, drain_since_head(about->node));
    map_free(&watched);
    tell_far(project, &state, call);
    struct drain drain = as_drain(drains, &state, caller, call.file, calls);
    drain.here = SYNTAX_NONE;
    return drain;
}

/* All its calls in a step come behind a wait; the first tells which. */
static struct drain find_at_head(struct drains *drains, uint32_t function, int calls)
{
    uint32_t count = 0;
    struct drain found = {.wait = site_none, .here = SYNTAX_NONE};
    const struct site *callers = name_callers(drains->check->project, function, &count);
    if (count && (calls == MOST_CALLS || count > MOST_CALLERS)) {
        const struct function *about = project_function(drains->check->project, function);
        project_limit(drains->check->project, &far_wait, (struct site){about->file, about->node});
        return found;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (context_of(drains->check->project, callers[i]).pace != PACE_STEP)
            continue;
        const struct drain drain = at_call(drains, callers[i], calls + 1);
        if (!drain.is)
            return drain;
        if (!found.is)
            found = drain;
    }
    return found;
}

static struct drain at_head_of(struct drains *drains, uint32_t function, int calls)
{
    const int64_t key = 2 * (int64_t)function + drains->around;
    const uint32_t known = map_get(&drains->at_head, key);
    if (known != MAP_NONE)
        return drains->heads[known]; /* of one that is asked for right now: nothing */
    drains->heads = mem_grow(drains->heads, &drains->head_room, drains->head_count + 1, sizeof *drains->heads);
    const size_t row = drains->head_count++;
    drains->heads[row] = (struct drain){.wait = site_none, .here = SYNTAX_NONE};
    map_put(&drains->at_head, key, (uint32_t)row);
    const struct drain found = find_at_head(drains, function, calls);
    drains->heads[row] = found;
    return found;
}

/* ---- at a match ---- */

static void go_through(struct drains *drains, uint32_t function_node)
{
    const struct check *check = drains->check;
    if (map_get(&drains->gone_through, function_node) != MAP_NONE)
        return;
    map_put(&drains->gone_through, function_node, 0);
    struct drain_walk walk = {.check = *check,
                              .memo = &drains->memo,
                              .watched = &drains->watched,
                              .states = drains->states,
                              .waits = &drains->waits};
    drain_through(&walk, function_node, drain_since_head(function_node));
}

/* Of `[f(x).item() for x in xs]` each round launches its own. */
static bool is_round_of_comprehension(const struct syntax *tree, uint32_t node, uint32_t wait)
{
    for (uint32_t at = node; at && !syntax_is_statement(tree->kind[at]); at = tree->parent[at])
        if ((tree->kind[at] == SYN_LIST_COMP || tree->kind[at] == SYN_SET_COMP || tree->kind[at] == SYN_DICT_COMP ||
             tree->kind[at] == SYN_GENERATOR) &&
            (wait == SYNTAX_NONE || !syntax_inside(tree, wait, at)))
            return true;
    return false;
}

/* The state when the match runs; NULL where its function is none that is gone through. */
static const struct drain_state *state_at(struct drains *drains, uint32_t i)
{
    const struct match *match = &drains->matches[i];
    const struct syntax *tree = drains->check->tree;
    const uint32_t node = match->function == SYNTAX_NONE ? 0 : match->function;
    if (!syntax_is(tree, node, SYN_FUNCTION) && !syntax_is(tree, node, SYN_MODULE))
        return NULL;
    go_through(drains, node);
    return &drains->states[map_get(&drains->watched, match->node)];
}

bool drain_nothing_since(struct drains *drains, uint32_t i)
{
    const struct drain_state *state = state_at(drains, i);
    return state && state->kind == DRAIN_SINCE && state->little == 0;
}

struct drain drain_before(struct drains *drains, uint32_t i)
{
    const struct check *check = drains->check;
    const struct match *match = &drains->matches[i];
    const struct drain_state *state = state_at(drains, i);
    struct drain drain = {.wait = site_none, .here = SYNTAX_NONE};
    if (!state)
        return drain;
    tell_far(check->project, state, check_site(check, match->node));
    if (!state->little || !is_round_of_comprehension(check->tree, match->node, state->here))
        drain = as_drain(drains, state, project_function_at(check->project, check_site(check, match->node)),
                         check->file, 0);
    drain.order = state->order;
    return drain;
}

struct drain drain_before_round(struct drains *drains, uint32_t i)
{
    drains->around = true;
    const struct drain drain = drain_before(drains, i);
    drains->around = false;
    return drain;
}

struct drain drain_behind_round(const struct check *check, struct site loop)
{
    const struct syntax *tree = project_tree(check->project, loop.file);
    struct drain_memo memo = {0};
    struct drain_walk walk = {.check = {check->project, loop.file, tree, check->arena}, .memo = &memo};
    const struct drain_state state = drain_round(&walk, loop.node, drain_since_head(loop.node));
    map_free(&memo.of_function);
    mem_free(memo.ends);
    tell_far(check->project, &state, loop);
    if (state.kind != DRAIN_SINCE || site_is_none(state.wait))
        return (struct drain){.wait = site_none, .here = SYNTAX_NONE};
    return (struct drain){.is = true, .wait = state.wait, .here = state.here};
}
