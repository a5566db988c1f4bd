/* SPDX-License-Identifier: Apache-2.0 */
#include "around.h"

#include "branch.h"
#include "source/gates/gate.h"
#include "loops.h"
#include "source/gates/once.h"
#include "source/flow/asks.h"
#include "source/known/known_words.h"

static bool is_block_of(const struct syntax *tree, uint32_t node, uint32_t statement, uint32_t child)
{
    const uint32_t block = syntax_child(tree, statement, child);
    return block != NONE && syntax_inside(tree, node, block);
}

static void gate_by(struct context *c, enum gate gate, struct site at)
{
    if (gate_stronger(gate, c->gate) == c->gate)
        return;
    c->gate = gate;
    c->gate_at = at;
}

static void evaluates_by(struct context *c, bool evaluates, struct site at)
{
    if (evaluates && !c->evaluation_only)
        c->untrained_at = at;
    c->evaluation_only |= evaluates;
}

/* "train" of `phase == "train"`; "" of another test. */
static str phase_asked_for(const struct syntax *tree, uint32_t test)
{
    const uint32_t phase =
        tree->kind[test] == SYN_COMPARE && tree->op[test] == OP_EQUAL ? syntax_child(tree, test, 1) : NONE;
    if (!syntax_is(tree, phase, SYN_STRING))
        return S("");
    const str text = syntax_text(tree, phase);
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* `not self.training and self.flag`: where it holds nothing is trained. */
static bool tests_also_not_training(const struct syntax *tree, uint32_t test)
{
    if (tree->kind[test] != SYN_BOOL || tree->op[test] != OP_AND)
        return false;
    const uint32_t parts[] = {test + 1, syntax_child(tree, test, 1)};
    for (size_t i = 0; i < 2; i++)
        if (tree->kind[parts[i]] == SYN_NOT && tree->kind[parts[i] + 1] == SYN_ATTRIBUTE &&
            str_eq(syntax_tail(tree, parts[i] + 1), S("training")))
            return true;
    return false;
}

/* `self.training`, `is_train`, `phase == "train"`; *negated: it holds where nothing is trained. */
static bool tests_training(const struct syntax *tree, uint32_t test, bool *negated)
{
    *negated = tree->kind[test] == SYN_NOT;
    const uint32_t asked = *negated ? test + 1 : test;
    if (tree->kind[asked] == SYN_ATTRIBUTE || tree->kind[asked] == SYN_NAME)
        return known_word(WORDS_TRAINING, syntax_tail(tree, asked));
    const str phase = phase_asked_for(tree, asked);
    const bool other = known_word(WORDS_PHASE_OTHER, phase);
    *negated ^= other;
    return other || known_word(WORDS_PHASE_TRAINING, phase);
}

/* A branch that ends the run is a message on its way out; one that leaves a loop (*leaves) runs once a loop. */
static void around_branch(const struct project *project, struct site branch, struct context *c, bool *leaves)
{
    const enum leaving leaving = once_leaves(project, branch);
    const uint32_t statement = project_tree(project, branch.file)->parent[branch.node];
    evaluates_by(c, branch_trains_not(project, branch.file, statement, branch.node),
                 (struct site){branch.file, statement});
    c->on_error |= leaving == LEAVES_RUN;
    *leaves |= leaving == LEAVES_LOOP && c->loop == NONE;
}

/* Whether the else trains as well: then the run has a step where the option is off. */
static bool otherwise_trains(const struct project *project, struct site test, uint32_t branch)
{
    const uint32_t otherwise = syntax_next(project_tree(project, test.file), branch);
    return otherwise != NONE && context_trains_in(project, (struct site){test.file, otherwise}) != NONE;
}

/*
 * `if (i + 1) % accumulate == 0: optimizer.step(); here`: what trains in the branch makes each run of it a step. Not so
 * the first step (`if step == 0`), which is one of many. An option that is off by default is given where nothing else trains.
 */
static enum gate gate_of_branch(const struct project *project, struct site test, uint32_t branch)
{
    const enum gate gate = gate_of_test(project, test).then;
    const bool trains = (gate == GATE_INTERVAL || gate == GATE_OFF) &&
                        context_trains_in(project, (struct site){test.file, branch}) != NONE;
    if (trains && gate == GATE_OFF && otherwise_trains(project, test, branch))
        return gate;
    return trains ? GATE_NONE : gate;
}

static void around_if(const struct project *project, struct site site, uint32_t at, struct context *c, bool *leaves)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t node = site.node;
    const bool then = is_block_of(tree, node, at, 1), otherwise = is_block_of(tree, node, at, 2);
    bool negated;
    const struct site test = {site.file, at + 1};
    evaluates_by(c, tests_training(tree, at + 1, &negated) && (negated ? then : otherwise), test);
    evaluates_by(c, then && tests_also_not_training(tree, at + 1), test);
    if (asks_for_cuda(tree, at + 1, &negated) && (negated ? then : otherwise))
        c->cpu_only = true;
    if (then && once_by_test(project, (struct site){site.file, at})) {
        c->gate = GATE_INTERVAL;
        c->gate_at = test;
    }
    if (then || otherwise)
        around_branch(project, (struct site){site.file, syntax_child(tree, at, then ? 1 : 2)}, c, leaves);
    if (then)
        gate_by(c, gate_of_branch(project, test, syntax_child(tree, at, 1)), test);
    const enum gate other = otherwise ? gate_of_test(project, test).otherwise : GATE_NONE;
    const uint32_t alone = other == GATE_OFF ? syntax_child(tree, at, 2) : NONE;
    if (alone == NONE || context_trains_in(project, (struct site){site.file, alone}) == NONE ||
        context_trains_in(project, (struct site){site.file, syntax_child(tree, at, 1)}) != NONE)
        gate_by(c, other, test);
}

/* What the tests of a chain say of an `elif` of it, and of all behind that. */
enum otherwise {
    OTHERWISE_EVALUATES = 1,
    OTHERWISE_CPU = 2,
    OTHERWISE_UNTAKEN = 4,
    OTHERWISE_EMPTY = 8,
    OTHERWISE_OFF = 16
};

static uint32_t otherwise_at(const struct project *project, uint32_t file, uint32_t elif)
{
    const uint32_t said = map_get(&project->contexts->of_file[file].elifs, elif);
    return said == NONE ? 0 : said;
}

/* The if, and where it is an `elif` all of its chain, which may be long. Returns where the chain begins. */
static uint32_t around_chain(const struct project *project, struct site site, uint32_t at, struct context *c,
                             bool *leaves)
{
    if (c->pace == PACE_UNKNOWN) {
        around_if(project, site, at, c, leaves);
        const uint32_t said = otherwise_at(project, site.file, at);
        evaluates_by(c, said & OTHERWISE_EVALUATES, (struct site){site.file, at});
        c->cpu_only |= (said & OTHERWISE_CPU) != 0;
        gate_by(c,
                said & OTHERWISE_UNTAKEN ? GATE_UNTAKEN
                : said & OTHERWISE_OFF   ? GATE_OFF
                : said & OTHERWISE_EMPTY ? GATE_EMPTY
                                         : GATE_NONE,
                (struct site){site.file, at + 1});
    }
    return syntax_if_head(project_tree(project, site.file), at);
}

/* An `elif` stands in the else of the one before it, of which all is said by now. */
static void build_elif(struct project *project, struct site elif)
{
    const uint32_t before = project_tree(project, elif.file)->parent[elif.node];
    struct context c = {.loop = NONE, .step_loop = NONE, .gate_at = site_none, .untrained_at = site_none};
    bool leaves = false;
    around_if(project, elif, before, &c, &leaves);
    const uint32_t said = otherwise_at(project, elif.file, before) | (c.evaluation_only ? OTHERWISE_EVALUATES : 0) |
                          (c.cpu_only ? OTHERWISE_CPU : 0) | (c.gate == GATE_UNTAKEN ? OTHERWISE_UNTAKEN : 0) |
                          (c.gate == GATE_EMPTY ? OTHERWISE_EMPTY : 0) | (c.gate == GATE_OFF ? OTHERWISE_OFF : 0);
    if (said)
        map_put(&project->contexts->of_file[elif.file].elifs, elif.node, said);
}

void around_build(struct project *project)
{
    for (uint32_t file = 0; file < project->files.count; file++) {
        const struct syntax *tree = project_tree(project, file);
        for (uint32_t elif = tree ? syntax_elif_from(tree, 0) : NONE; elif != NONE;
             elif = syntax_elif_from(tree, elif + 1))
            build_elif(project, (struct site){file, elif});
    }
}

/* `a if test else b`, `test and b`, `test or b`: the test stands to the left, and lets the node be asked for or not. */
static void around_expression(const struct project *project, struct site site, uint32_t at, struct context *c)
{
    const struct syntax *tree = project_tree(project, site.file);
    const bool conditional = tree->kind[at] == SYN_CONDITIONAL;
    const struct site test = {site.file, conditional ? syntax_child(tree, at, 1) : at + 1};
    const bool then = conditional ? is_block_of(tree, site.node, at, 0)
                                  : tree->op[at] == OP_AND && is_block_of(tree, site.node, at, 1);
    const bool otherwise = conditional ? is_block_of(tree, site.node, at, 2)
                                       : tree->op[at] == OP_OR && is_block_of(tree, site.node, at, 1);
    const struct gates gates = gate_of_test(project, test);
    const enum gate gate = then ? gates.then : otherwise ? gates.otherwise : GATE_NONE;
    if (gate == GATE_UNTAKEN || gate == GATE_OFF || gate == GATE_EMPTY)
        gate_by(c, gate, test);
}

/* `assert not self.training` at the head of the block. */
static bool asserts_evaluation(const struct syntax *tree, uint32_t block)
{
    enum { HEAD = 4 };
    uint32_t statement = syntax_first(tree, block);
    for (int i = 0; i < HEAD && statement != NONE; i++, statement = syntax_next(tree, statement)) {
        bool negated;
        if (tree->kind[statement] == SYN_ASSERT && tests_training(tree, statement + 1, &negated) && negated)
            return true;
    }
    return false;
}

/* What a block does before the node: it asserts that it evaluates, or has left. */
static void around_block(const struct project *project, struct site site, uint32_t at, struct context *c)
{
    const struct site block = {site.file, at};
    evaluates_by(c, asserts_evaluation(project_tree(project, site.file), at), block);
    const uint32_t behind = gate_behind(project, block);
    if (behind != NONE && site.node >= behind)
        gate_by(c, GATE_UNTAKEN, (struct site){site.file, behind});
}

static void around_with(const struct project *project, uint32_t file, uint32_t at, struct context *c)
{
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t item = syntax_first(tree, at); item != NONE; item = syntax_next(tree, item)) {
        if (tree->kind[item] != SYN_WITH_ITEM)
            continue;
        const str name = name_of(project, (struct site){file, item + 1});
        c->no_grad |= known_word(WORDS_WITHOUT_GRADIENTS, name);
    }
}

static bool decorated_no_grad(const struct project *project, uint32_t file, uint32_t function)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t around = tree->parent[function];
    if (!syntax_is(tree, around, SYN_DECORATED))
        return false;
    for (uint32_t d = syntax_first(tree, around); d != function && d != NONE; d = syntax_next(tree, d)) {
        const str name = name_of(project, (struct site){file, d});
        if (known_word(WORDS_WITHOUT_GRADIENTS, name))
            return true;
    }
    return false;
}

/* `@functools.lru_cache(None)`: what it gives is kept, and its text runs once for what it is asked. */
static bool keeps_results(const struct project *project, uint32_t file, uint32_t function)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t around = tree->parent[function];
    if (!syntax_is(tree, around, SYN_DECORATED))
        return false;
    for (uint32_t d = syntax_first(tree, around); d != function && d != NONE; d = syntax_next(tree, d))
        if (str_is_among("functools.lru_cache functools.cache", name_of(project, (struct site){file, d})))
            return true;
    return false;
}

static bool is_loop(enum syntax_kind kind)
{
    return kind == SYN_FOR || kind == SYN_WHILE || kind == SYN_LIST_COMP || kind == SYN_SET_COMP ||
           kind == SYN_DICT_COMP || kind == SYN_GENERATOR;
}

/* Whether the node runs once a round: not what a `for` goes over, nor its else. */
static bool runs_in_loop(const struct syntax *tree, uint32_t node, uint32_t loop)
{
    switch (tree->kind[loop]) {
    case SYN_FOR:
        return is_block_of(tree, node, loop, 2) || syntax_inside(tree, node, loop + 1);
    case SYN_WHILE:
        return is_block_of(tree, node, loop, 1) || syntax_inside(tree, node, loop + 1);
    default: {
        const uint32_t element = syntax_first(tree, loop);
        const uint32_t first_for = element == NONE ? NONE : syntax_next(tree, element);
        const uint32_t iterable = syntax_is(tree, first_for, SYN_COMP_FOR) ? syntax_child(tree, first_for, 1) : NONE;
        return node != loop && !(iterable != NONE && syntax_inside(tree, node, iterable));
    }
    }
}

static void enter_loop(const struct project *project, uint32_t file, uint32_t loop, bool leaves, struct context *c)
{
    c->loop = c->loop == NONE ? loop : c->loop;
    c->depth++;
    if (c->pace != PACE_UNKNOWN)
        return;
    const enum loop_kind kind = loops_kind(project, (struct site){file, loop});
    if (kind == LOOP_STEP || kind == LOOP_EVALUATION || kind == LOOP_EPOCH) {
        c->pace = kind == LOOP_STEP ? PACE_STEP : kind == LOOP_EPOCH ? PACE_EPOCH : PACE_EVALUATION;
        c->step_loop = loop;
        if (leaves) {
            c->gate = GATE_INTERVAL;
            c->gate_at = (struct site){file, loop};
        }
    } else {
        c->inner++;
    }
}

/* From the node up to its function. Gates beyond the loop of the pace do not count. */
struct context around_node(const struct project *project, struct site site, uint32_t f)
{
    const struct syntax *tree = project_tree(project, site.file);
    const uint32_t function = project->files.functions[f].node;
    struct context c = {.loop = NONE, .step_loop = NONE, .gate_at = site_none, .untrained_at = site_none};
    bool leaves = false;
    for (uint32_t at = site.node; at && at != function; at = tree->parent[at]) {
        const enum syntax_kind kind = tree->kind[at];
        if (kind == SYN_RAISE || kind == SYN_EXCEPT)
            c.on_error = true;
        else if (kind == SYN_ASSERT)
            c.on_error |= is_block_of(tree, site.node, at, 1);
        else if (kind == SYN_IF)
            at = around_chain(project, site, at, &c, &leaves);
        else if (kind == SYN_BLOCK)
            around_block(project, site, at, &c);
        else if ((kind == SYN_CONDITIONAL || kind == SYN_BOOL) && c.pace == PACE_UNKNOWN)
            around_expression(project, site, at, &c);
        else if (kind == SYN_WITH)
            around_with(project, site.file, at, &c);
        else if (is_loop(kind) && runs_in_loop(tree, site.node, at))
            enter_loop(project, site.file, at, leaves && c.loop == NONE, &c);
    }
    if (function && function != NONE) {
        c.no_grad |= decorated_no_grad(project, site.file, function);
        if (c.pace == PACE_UNKNOWN && keeps_results(project, site.file, function))
            gate_by(&c, GATE_FIRST, (struct site){site.file, function});
    }
    if ((c.pace == PACE_UNKNOWN && site.node >= project->contexts->kept_from[f]) ||
        branch_is_behind_guard(project, site)) {
        c.gate = GATE_INTERVAL;
        c.gate_at = (struct site){site.file, syntax_statement(tree, site.node)};
    }
    return c;
}
