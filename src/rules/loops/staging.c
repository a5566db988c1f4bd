/* SPDX-License-Identifier: Apache-2.0 */
#include "staging.h"

#include "staging_sample.h"

static const struct limit large_loop = {
    "samples-loop",
    "the body of a loop over samples has more than 48 statements, 16 expressions, 24 names or, in an inner "
    "loop, 6 names that could be kept for each sample; it is not taken apart"};

static bool stop(const struct check *check, const struct staging *staging)
{
    check_limit(check, &large_loop, staging->loop);
    return false;
}

/* ---- statements ---- */

static bool leaves_loop(const struct syntax *tree, uint32_t node, uint32_t loop)
{
    if (tree->kind[node] == SYN_RETURN || tree->kind[node] == SYN_YIELD)
        return true;
    if (tree->kind[node] != SYN_BREAK && tree->kind[node] != SYN_CONTINUE)
        return false;
    for (uint32_t at = tree->parent[node]; at != loop; at = tree->parent[at])
        if (tree->kind[at] == SYN_FOR || tree->kind[at] == SYN_WHILE)
            return false;
    return true;
}

static bool any_leaves(const struct syntax *tree, uint32_t node, uint32_t loop)
{
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (leaves_loop(tree, at, loop))
            return true;
    return false;
}

/* The first statement of the batch in an inner loop whose head and first statements are of the sample; SYNTAX_NONE. */
static uint32_t split_of(const struct check *check, const struct staging *staging, uint32_t loop)
{
    const struct syntax *tree = check->tree;
    if (tree->kind[loop] != SYN_FOR || !syntax_is(tree, syntax_child(tree, loop, 3), SYN_ABSENT))
        return SYNTAX_NONE;
    struct staging_scope scope = {check, staging, loop, syntax_child(tree, loop, 2)};
    if (!staging_target(&scope, syntax_first(tree, loop)) || !staging_expression(&scope, syntax_child(tree, loop, 1)))
        return SYNTAX_NONE;
    uint32_t at = syntax_first(tree, syntax_child(tree, loop, 2));
    for (; at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        scope.to = syntax_last(tree, at);
        if (!staging_statement(&scope, at))
            break;
    }
    for (uint32_t rest = at; rest != SYNTAX_NONE; rest = syntax_next(tree, rest))
        if (any_leaves(tree, rest, loop))
            return SYNTAX_NONE;
    return at;
}

static void judge(const struct check *check, struct staging *staging, uint32_t i)
{
    const uint32_t statement = staging->statements[i];
    const struct staging_scope scope = {check, staging, statement, syntax_last(check->tree, statement)};
    if (staging_statement(&scope, statement)) {
        staging->stages[i] = STAGE_SAMPLE;
        return;
    }
    const uint32_t split = split_of(check, staging, statement);
    str names[STAGING_REPLAYED];
    staging->split_at[i] = split;
    if (split == SYNTAX_NONE)
        return;
    const uint32_t count = staging_replayed(check, staging, i, names);
    if (count > STAGING_REPLAYED)
        stop(check, staging);
    else if (count)
        staging->stages[i] = STAGE_SPLIT;
}

/* ---- pieces ---- */

/* A comprehension, or a function of NumPy: what takes longer than looking it up. */
static bool is_hard(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
    case SYN_FOR:
        return true;
    case SYN_CALL:
        return name_under(check->project, check_site(check, node), "numpy.") &&
               !name_under(check->project, check_site(check, node), "numpy.ndarray.");
    default:
        return false;
    }
}

static bool is_value(enum syntax_kind kind)
{
    return kind == SYN_CALL || kind == SYN_LIST_COMP || kind == SYN_BINARY || kind == SYN_SUBSCRIPT;
}

static void find_pieces(const struct check *check, struct staging *staging, uint32_t statement)
{
    const struct syntax *tree = check->tree;
    if (tree->kind[statement] != SYN_ASSIGN && tree->kind[statement] != SYN_EXPR)
        return;
    const struct staging_scope scope = {check, staging, 0, 0};
    for (uint32_t at = syntax_first(tree, statement); at < syntax_last(tree, statement);) {
        const enum syntax_kind kind = tree->kind[at];
        if (is_value(kind) && ask_any(check, at, is_hard) && staging_expression(&scope, at)) {
            if (staging->piece_count < STAGING_PIECES)
                staging->pieces[staging->piece_count++] = at;
            else
                stop(check, staging);
            at = syntax_last(tree, at);
        } else if (kind == SYN_LAMBDA || kind == SYN_BOOL || kind == SYN_CONDITIONAL || kind == SYN_LIST_COMP ||
                   kind == SYN_GENERATOR || kind == SYN_DICT_COMP || kind == SYN_SET_COMP)
            at = syntax_last(tree, at); /* not evaluated just once */
        else
            at++;
    }
}

/* ---- what is kept ---- */

static bool in_first_stage(const struct check *check, const struct staging *staging, uint32_t node)
{
    for (uint32_t i = 0; i < staging->count; i++) {
        if (!syntax_inside(check->tree, node, staging->statements[i]))
            continue;
        return staging->stages[i] == STAGE_SAMPLE || (staging->stages[i] == STAGE_SPLIT && node < staging->split_at[i]);
    }
    return false;
}

static bool in_piece(const struct check *check, const struct staging *staging, uint32_t node)
{
    for (uint32_t i = 0; i < staging->piece_count; i++)
        if (syntax_inside(check->tree, node, staging->pieces[i]))
            return true;
    return false;
}

static bool in_split(const struct check *check, const struct staging *staging, uint32_t node, uint32_t *i)
{
    for (*i = 0; *i < staging->count; ++*i)
        if (staging->stages[*i] == STAGE_SPLIT && syntax_inside(check->tree, node, staging->statements[*i]))
            return true;
    return false;
}

static bool keep(const struct check *check, struct staging *staging, str name)
{
    for (uint32_t i = 0; i < staging->kept_count; i++)
        if (str_eq(staging->kept[i], name))
            return true;
    if (staging->kept_count == STAGING_NAMES)
        return stop(check, staging);
    staging->kept[staging->kept_count++] = name;
    return true;
}

/* Every use of a name that the first stage binds lies in the loop, and where the second stage has it, it can be kept. */
static bool keep_definition(const struct check *check, struct staging *staging, const struct definition *definition)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES);
    if (count > FLOW_MOST_USES || flow_escapes(check->project, check->file, definition))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        if (!syntax_inside(check->tree, uses[k], staging->loop))
            return false;
        if (in_first_stage(check, staging, uses[k]) || in_piece(check, staging, uses[k]))
            continue;
        uint32_t i;
        const bool replayed = in_split(check, staging, uses[k], &i) &&
                              syntax_inside(check->tree, definition->name, staging->statements[i]);
        const struct definition *change = flow_bound(check->project, check_site(check, uses[k]));
        if (change || kept_use(check, uses[k]) == KEPT_REFUSE)
            return false;
        if (!replayed && !keep(check, staging, syntax_text(check->tree, definition->name)))
            return false;
    }
    return true;
}

/* No use in the loop may see both a value of the first stage and one from elsewhere, a round before for instance. */
static bool sees_first_stage_alone(const struct check *check, const struct staging *staging, uint32_t use)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(check->project, check_site(check, use), found, FLOW_MOST_DEFINITIONS);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && i < FLOW_MOST_DEFINITIONS; i++)
        first += found[i]->statement != staging->loop && in_first_stage(check, staging, found[i]->name);
    return first == 0 || first == count;
}

static bool find_kept(const struct check *check, struct staging *staging)
{
    const struct syntax *tree = check->tree;
    for (uint32_t node = staging->loop; node < syntax_last(tree, staging->loop); node++) {
        if (!staging_is_variable(tree, node))
            continue;
        const struct definition *definition = flow_bound(check->project, check_site(check, node));
        if (definition && in_first_stage(check, staging, node) && !keep_definition(check, staging, definition))
            return false;
        if (!definition && !in_first_stage(check, staging, node) && !sees_first_stage_alone(check, staging, node))
            return false;
    }
    for (uint32_t i = 0; i < staging->piece_count; i++)
        if (kept_use(check, staging->pieces[i]) == KEPT_REFUSE)
            return false;
    return true;
}

uint32_t staging_replayed(const struct check *check, const struct staging *staging, uint32_t i,
                          str names[STAGING_REPLAYED])
{
    const struct syntax *tree = check->tree;
    const uint32_t loop = staging->statements[i], split = staging->split_at[i];
    uint32_t count = 0;
    for (uint32_t node = split; node < syntax_last(tree, loop); node++) {
        if (!staging_is_variable(tree, node) || flow_bound(check->project, check_site(check, node)))
            continue;
        const struct definition *found[1];
        const uint32_t ways = flow_definitions(check->project, check_site(check, node), found, 1);
        if (ways != 1 || found[0]->name < loop || found[0]->name >= split)
            continue;
        bool known = false;
        for (uint32_t k = 0; k < count && k < STAGING_REPLAYED; k++)
            known |= str_eq(names[k], syntax_text(tree, node));
        if (!known && count < STAGING_REPLAYED)
            names[count] = syntax_text(tree, node);
        count += !known;
    }
    return count;
}

/* ---- all together ---- */

/* `if key not in kept:` is what the rewrite leaves: it is not taken apart again. */
static bool is_staged_already(const struct syntax *tree, uint32_t statement)
{
    const uint32_t test = syntax_first(tree, statement);
    return tree->kind[statement] == SYN_IF && tree->kind[test] == SYN_COMPARE && tree->op[test] == OP_NOT_IN;
}

/* How much work a look-up saves, in calls of NumPy; one in a loop or comprehension stands for several. */
static uint32_t work_in(const struct check *check, uint32_t begin, uint32_t end)
{
    enum { ROUNDS = 4 };
    const struct syntax *tree = check->tree;
    uint32_t work = 0, repeated_until = 0;
    for (uint32_t node = begin; node < end; node++) {
        if (!is_hard(check, node))
            continue;
        if (tree->kind[node] == SYN_CALL)
            work += node < repeated_until ? ROUNDS : 1;
        else {
            work += 1;
            repeated_until = syntax_last(tree, node) > repeated_until ? syntax_last(tree, node) : repeated_until;
        }
    }
    return work;
}

static bool is_worth_it(const struct check *check, const struct staging *staging)
{
    enum { ENOUGH = 3 }; /* making the key costs about as much as one call */
    uint32_t work = 0;
    for (uint32_t i = 0; i < staging->count; i++) {
        const uint32_t statement = staging->statements[i];
        if (staging->stages[i] == STAGE_SAMPLE)
            work += work_in(check, statement, syntax_last(check->tree, statement));
        else if (staging->stages[i] == STAGE_SPLIT)
            work += work_in(check, statement, staging->split_at[i]);
    }
    for (uint32_t i = 0; i < staging->piece_count; i++)
        work += work_in(check, staging->pieces[i], syntax_last(check->tree, staging->pieces[i]));
    return work >= ENOUGH;
}

/* NumPy takes it as it is: then it is data, whatever else is known of it. */
static bool goes_to_numpy(const struct check *check, const struct staging *staging)
{
    const struct syntax *tree = check->tree;
    for (uint32_t node = staging->loop; node < syntax_last(tree, staging->loop); node++)
        if (tree->kind[node] == SYN_CALL && name_under(check->project, check_site(check, node), "numpy.") &&
            syntax_is(tree, syntax_argument(tree, node, 0, NULL), SYN_NAME) &&
            syntax_same(tree, syntax_argument(tree, node, 0, NULL), tree, staging->sample))
            return true;
    return false;
}

/* Rows of arrays, and flat lists of numbers or texts: what they hold says all there is to know of them. */
static bool has_content(const struct check *check, const struct staging *staging)
{
    const struct value *sample = ask_value(check, staging->sample);
    if (sample->kind == VALUE_ARRAY)
        return !value_has(sample, VALUE_SCALAR_NUMPY);
    if (sample->kind == VALUE_UNKNOWN)
        return goes_to_numpy(check, staging);
    return (sample->kind == VALUE_LIST || sample->kind == VALUE_TUPLE) && kept_is_number(value_item(sample));
}

bool staging_find(const struct check *check, uint32_t loop, struct staging *staging)
{
    const struct syntax *tree = check->tree;
    *staging = (struct staging){.loop = loop, .sample = syntax_first(tree, loop)};
    if (tree->kind[loop] != SYN_FOR || tree->kind[staging->sample] != SYN_NAME ||
        !syntax_is(tree, syntax_child(tree, loop, 3), SYN_ABSENT) || !has_content(check, staging))
        return false;
    const uint32_t block = syntax_child(tree, loop, 2);
    for (uint32_t at = syntax_first(tree, block); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (is_staged_already(tree, at) || any_leaves(tree, at, loop))
            return false;
        if (staging->count == STAGING_STATEMENTS)
            return stop(check, staging);
        staging->statements[staging->count++] = at;
        judge(check, staging, staging->count - 1);
        if (staging->stages[staging->count - 1] == STAGE_BATCH)
            find_pieces(check, staging, at);
    }
    return is_worth_it(check, staging) && find_kept(check, staging) && (staging->kept_count || staging->piece_count);
}
