/* SPDX-License-Identifier: Apache-2.0 */
/* What a change spares, by rule; of a wait also what the host could launch meanwhile, which stands behind it. */
#include "chain.h"
#include "launch.h"

/* ---- what is launched behind a wait ---- */

enum { MOST_NODES = 2000, MOST_CALLS = 8 };

struct ahead {
    const struct chain *chain;
    uint32_t left;  /* nodes that may still be looked at */
    struct site at; /* where the walk stands */
    uint32_t from;  /* the function out of which the walk came there; SYNTAX_NONE */
    uint32_t found;
    bool far;       /* it would need more callers than are gone through */
    bool framework; /* it left the files linted: the framework that calls the function launches the rest of the step */
    bool setting;   /* the steps that train a network which a setting names go on with its loss */
};

/* What runs now and then, in an evaluation, where a flag asks for it, or on a mistake is no launch of each step. */
static bool runs_each_time(const struct check *check, uint32_t node)
{
    const struct context context = context_of(check->project, check_site(check, node));
    const bool other = context.pace == PACE_EVALUATION || context.pace == PACE_EPOCH || context.evaluation_only;
    return (context.gate == GATE_NONE || context.gate == GATE_RANK) && !context.on_error && !other;
}

static bool find(struct ahead *ahead, const struct check *check, uint32_t from, uint32_t to)
{
    for (uint32_t node = from; node < to && ahead->left; node++, ahead->left--) {
        const enum syntax_kind kind = check->tree->kind[node];
        if (kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS) {
            node = syntax_last(check->tree, node) - 1;
            continue;
        }
        if (launch_certain(check, node) && runs_each_time(check, node)) {
            ahead->found = node;
            return true;
        }
    }
    return !ahead->left;
}

/* True: found, or no more may be looked at. *left: `return` and the like end the block. */
static bool find_behind(struct ahead *ahead, const struct check *check, uint32_t statement, bool *left)
{
    for (uint32_t at = syntax_next(check->tree, statement); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        if (find(ahead, check, at, syntax_last(check->tree, at)))
            return true;
        *left |= syntax_is(check->tree, at, SYN_RETURN) || syntax_is(check->tree, at, SYN_RAISE);
    }
    return false;
}

/* The next round calls the function again out of which the walk came, and that launches what trains. */
static bool trains_again(const struct ahead *ahead)
{
    return ahead->from != SYNTAX_NONE &&
           summary_of(ahead->chain->check->project, ahead->from)->effects & (EFFECT_BACKWARD | EFFECT_STEP);
}

/*
 * Behind a node in its function, and in the next round of its loops; not in the other branch of an if.
 * What the node itself is made of is launched again by the next round.
 */
static bool find_in_function(struct ahead *ahead, const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    const uint32_t round_end = syntax_last(tree, node);
    bool left = syntax_is(tree, syntax_statement(tree, node), SYN_RETURN);
    for (uint32_t at = syntax_statement(tree, node); at && !left; at = tree->parent[at]) {
        const enum syntax_kind kind = tree->kind[at];
        if (kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS)
            break;
        if ((kind == SYN_FOR || kind == SYN_WHILE) && trains_again(ahead)) {
            ahead->found = node;
            return true;
        }
        if ((kind == SYN_FOR || kind == SYN_WHILE) && find(ahead, check, at, round_end))
            return true;
        if (syntax_is_statement(kind) && find_behind(ahead, check, at, &left))
            return true;
    }
    return false;
}

/* The call that trains with what the network at hand gives; what names it is sure. Else false. */
static bool go_to_training(struct ahead *ahead, uint32_t class_id)
{
    const struct project *project = ahead->chain->check->project;
    struct trained_step step = context_trained(project, context_class_unit(project, class_id));
    if (!step.sure && step.kind == TRAINED_BY_NAME)
        return false;
    while (step.kind == TRAINED_BY_NAME)
        step = context_trained(project, step.next);
    ahead->setting = step.kind != TRAINED_ITSELF;
    if (step.kind != TRAINED_ITSELF)
        return false;
    const struct check there = chain_check(ahead->chain, step.at.file);
    if (there.tree->kind[step.at.node] != SYN_CALL) {
        ahead->framework = true;
        return false;
    }
    ahead->at = step.at;
    ahead->found = step.at.node;
    return false;
}

/* The network is called in a step: from that call on; else behind what it gives comes what trains with that. */
static bool go_to_step(struct ahead *ahead)
{
    const struct project *project = ahead->chain->check->project;
    const uint32_t class_id = project_function(project, project_function_at(project, ahead->at))->class_id;
    const struct site run = class_id == SYNTAX_NONE ? site_none : context_network_runs(project, class_id);
    if (!site_is_none(run)) {
        ahead->at = run;
        return true;
    }
    return class_id != SYNTAX_NONE && go_to_training(ahead, class_id);
}

/* Whether the framework that calls the function at hand really does. */
static bool is_driven(const struct ahead *ahead)
{
    const struct project *project = ahead->chain->check->project;
    const uint32_t class_id = project_function(project, project_function_at(project, ahead->at))->class_id;
    struct site made;
    return class_id == SYNTAX_NONE || context_driven(project, class_id, &made) != DRIVEN_NOT;
}

/* The call of the function around, from which the walk goes on; false where a framework makes it, or nobody. */
static bool go_to_caller(struct ahead *ahead)
{
    const struct project *project = ahead->chain->check->project;
    const struct way_in way = context_way_in(project, ahead->at);
    uint32_t count = 0;
    switch (way.kind) {
    case WAY_CALL:
        ahead->at = way.at;
        return true;
    case WAY_TRAINS: {
        const uint32_t function = project_function_at(project, ahead->at);
        const struct site *callers = name_callers(project, function, &count);
        ahead->framework = context_steps_engine(project, function);
        if (count)
            ahead->at = callers[0];
        return count > 0;
    }
    case WAY_FORWARD:
        return go_to_step(ahead);
    case WAY_CONTRACT:
    case WAY_HANDLER:
        ahead->framework = is_driven(ahead);
        return false;
    default:
        return false;
    }
}

static struct ahead launched_behind(const struct chain *chain, uint32_t node)
{
    struct ahead ahead = {.chain = chain,
                          .left = MOST_NODES,
                          .at = check_site(chain->check, node),
                          .from = SYNTAX_NONE,
                          .found = SYNTAX_NONE};
    for (int calls = 0; calls < MOST_CALLS; calls++) {
        const struct check there = chain_check(chain, ahead.at.file);
        const uint32_t function = project_function_at(chain->check->project, ahead.at);
        if (find_in_function(&ahead, &there, ahead.at.node) || !go_to_caller(&ahead))
            return ahead;
        ahead.from = function;
    }
    ahead.far = true;
    return ahead;
}

static str with_launch(struct chain *chain, const char *spares, uint32_t node)
{
    const struct ahead ahead = launched_behind(chain, node);
    struct arena *arena = chain->check->arena;
    if (ahead.found != SYNTAX_NONE) {
        const struct site site = {ahead.at.file, ahead.found};
        const str text = chain_text(chain, site);
        chain_add(chain, site, S("launched only behind the wait"));
        return str_printf(arena, "%s: the host goes on to launch %.*s while the device computes", spares, (int)text.len,
                          text.at);
    }
    if (ahead.framework || ahead.setting)
        return str_printf(arena, "%s: %s goes on to launch the rest of the step", spares,
                          ahead.setting ? "the step that trains the network" : "the framework that calls its function");
    chain->open = !ahead.left ? "what the host launches after it is not seen in the 2,000 nodes behind it"
                  : ahead.far ? "what the host launches after it is not seen through the 8 functions around it"
                              : "what the host launches after it is not in the files linted";
    return str_of(spares);
}

/* ---- by rule ---- */

static const struct {
    const char *rules, *spares;
    bool waits; /* that there is something to launch meanwhile makes it worth it */
} rows[] = {
    {"ST101", "the kernels of all rounds but one, each launched by the host", false},
    {"ST102", "the kernels of all rows but one, and in backward a gradient a row", false},
    {"ST103", "the copy of what was gathered before, each round", false},
    {"ST104", "the launches of all samples of a batch but one", false},
    {"ST201", "the time in which the host goes through the list while the device waits", false},
    {"ST301", "the wait, and a copy each way", true},
    {"ST304", "the copies of all parameters, both ways", false},
    {"ST302 ST303", "the time in which the device waits for the host's work", false},
    {"ST404", "the wait, and the copy of the tensor", true},
    {"ST405", "the wait, for a value that nobody uses", true},
    {"ST406", "the wait for the size", true},
    {"ST408", "the wait, for a value that the host had", true},
    {"ST4", "the wait", true},
    {"ST501", "the same copy in all rounds but one, and the wait for each", false},
    {"ST502", "the waits of all copies but one", false},
    {"ST503", "the copy of the index, and the wait for it", true},
    {"ST601", "the copy, and the wait for it: the device can make the tensor itself", false},
    {"ST603", "the bytes that the device throws away right behind the copy", false},
    {"ST604", "the time in which the device waits for the training thread to load a batch", false},
    {"ST605", "the time of the copy, which can run beside the step before", false},
};

static bool is_in(const char *rules, str id)
{
    return str_is_among(rules, id) || (str_of(rules).len < id.len && str_starts(id, str_of(rules)));
}

static str gain_of_copy(struct chain *chain, const struct match *match)
{
    if (match->of_run)
        return S("the wait for each copy of its batches, once these say non_blocking=True too");
    return with_launch(chain, "the wait for the copy", match->node);
}

static str gain_of_sync(struct chain *chain, const struct match *match)
{
    if (match->of_run)
        return S("a wait for each operator");
    if (str_eq(match->builtin, S("empty_cache")))
        return S("the wait for all that the device was given, and memory that has to be asked for again");
    return with_launch(chain, "the wait for all that the device was given", match->node);
}

str chain_gain(struct chain *chain, const struct match *match)
{
    const str id = str_of(match->rule->id);
    if (str_eq(id, S("ST602")))
        return gain_of_copy(chain, match);
    if (str_eq(id, S("ST606")))
        return gain_of_sync(chain, match);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_in(rows[i].rules, id))
            return rows[i].waits && !match->of_run ? with_launch(chain, rows[i].spares, match->node)
                                                   : str_of(rows[i].spares);
    return S("time of the host");
}
