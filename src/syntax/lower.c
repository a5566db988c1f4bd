/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <string.h>

#include "base/mem.h"
#include "lower_steps.h"

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static void pass_colon(struct build *build)
{
    build_fill(build, ++build_top(build)->colons);
}

/* The first operator counts. */
static void take_operator(struct lower *lower, enum syntax_op op)
{
    if (lower->build.op[build_top(&lower->build)->node] == OP_NONE)
        lower_set_op(lower, op);
}

static enum lower_step token(struct lower *lower, const struct concrete *node)
{
    const bool marks = node->op == OP_ASYNC || node->op == OP_FROM;
    switch (build_top_kind(&lower->build)) {
    case SYN_BINARY:
    case SYN_UNARY:
    case SYN_BOOL:
    case SYN_COMPARE:
    case SYN_AUG_ASSIGN:
        take_operator(lower, node->op);
        break;
    case SYN_YIELD:
    case SYN_FUNCTION:
    case SYN_FOR:
    case SYN_WITH:
    case SYN_COMP_FOR:
        if (marks)
            take_operator(lower, node->op);
        break;
    case SYN_SLICE:
    case SYN_PARAMETER:
        if (node->colon)
            pass_colon(&lower->build);
        break;
    default:
        break;
    }
    return LOWER_PAST;
}

static enum lower_step future(struct lower *lower, const struct concrete *node)
{
    return build_top_kind(&lower->build) == SYN_FROM_IMPORT ? lower_leaf(lower, node, SYN_NAME) : LOWER_PAST;
}

/* --- errors --------------------------------------------------------------------------------------------------------- */

/* Neighbouring errors become one. */
static enum lower_step error_leaf(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const uint32_t last = build_top(build)->last;
    if (last == SYNTAX_NONE || build->kind[last] != SYN_ERROR)
        return lower_leaf(lower, node, SYN_ERROR);
    build->end[last] = node->end;
    return LOWER_PAST;
}

static bool rescuing(const struct lower *lower)
{
    return lower->level_count && lower->levels[lower->level_count - 1].rescue;
}

/* A tuple without parentheses ends with its items, which the grammar has no node for. */
static void leave_tuple(struct build *build, uint32_t at)
{
    if (build_top_kind(build) == SYN_TUPLE && at >= build->end[build_top(build)->node])
        build_close_to(build, build->open_count - 1);
}

static enum lower_step error(struct lower *lower, const struct concrete *node)
{
    leave_tuple(&lower->build, node->begin);
    const enum syntax_kind kind = build_top_kind(&lower->build);
    const bool among_statements = kind == SYN_MODULE || kind == SYN_BLOCK;
    if (among_statements && !node->childless && !rescuing(lower))
        return LOWER_INTO;
    if (build_is_list(kind))
        return error_leaf(lower, node);
    if (!build_is_compound(kind))
        return lower_spoil(lower);
    build_stray(&lower->build, node->begin);
    return LOWER_PAST;
}

static bool is_statement(enum lower_how how)
{
    return how == HOW_STATEMENT || how == HOW_STATEMENT_LEAF || how == HOW_EXPRESSION_STATEMENT;
}

/* --- nodes as the table has them --------------------------------------------------------------------------------------- */

static enum lower_step through(struct lower *lower, const struct concrete *node)
{
    return LOWER_INTO;
}

static enum lower_step skip(struct lower *lower, const struct concrete *node)
{
    return LOWER_PAST;
}

static enum lower_step open_kind(struct lower *lower, const struct concrete *node)
{
    lower_open_node(lower, node, node->kind);
    if (node->tuple.end)
        lower_expect_tuple(lower, node, node->kind == SYN_MATCH ? 0 : 1);
    return LOWER_INTO;
}

static enum lower_step leaf_kind(struct lower *lower, const struct concrete *node)
{
    return lower_leaf(lower, node, node->kind);
}

/* --- the way down and up --------------------------------------------------------------------------------------------- */

static enum lower_step (*const handlers[LOWER_HOWS])(struct lower *, const struct concrete *) = {
    [HOW_SKIP] = skip,
    [HOW_TOKEN] = token,
    [HOW_FUTURE] = future,
    [HOW_ERROR] = error,
    [HOW_THROUGH] = through,
    [HOW_OPEN] = open_kind,
    [HOW_LEAF] = leaf_kind,
    [HOW_ELLIPSIS] = lower_ellipsis,
    [HOW_STATEMENT] = open_kind,
    [HOW_STATEMENT_LEAF] = leaf_kind,
    [HOW_EXPRESSION_STATEMENT] = lower_expression_statement,
    [HOW_ASSIGNMENT] = lower_assignment,
    [HOW_AUGMENTED] = lower_augmented,
    [HOW_TYPE] = lower_type,
    [HOW_TYPE_PARAMETERS] = lower_type_parameters,
    [HOW_BLOCK] = lower_block,
    [HOW_ELIF] = lower_elif_clause,
    [HOW_ELSE] = lower_else_clause,
    [HOW_FINALLY] = lower_finally_clause,
    [HOW_CASE_PATTERN] = lower_case_pattern,
    [HOW_IF_CLAUSE] = lower_if_clause,
    [HOW_DOTTED] = lower_dotted,
    [HOW_IDENTIFIER] = lower_identifier,
    [HOW_SPLAT] = lower_splat,
    [HOW_DOUBLE_SPLAT] = lower_double_splat,
    [HOW_SEPARATOR] = lower_separator,
    [HOW_TUPLE_PATTERN] = lower_tuple_pattern,
    [HOW_EXPRESSION_LIST] = lower_expression_list,
    [HOW_AS_PATTERN] = lower_as_pattern,
    [HOW_PARENTHESES] = lower_parentheses,
    [HOW_GENERATOR] = lower_generator,
    [HOW_STRING] = lower_string,
    [HOW_INTEGER] = lower_integer,
};

/* What the innermost open node wants before this child of it. */
static void arrive(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    struct build_open *top = build_top(build);
    const enum syntax_kind kind = build->kind[top->node];
    if (kind == SYN_PARAMETER && top->children && !top->colons)
        build_fill(build, 2);
    if (kind == SYN_LAMBDA && !top->children && node->kind != SYN_PARAMETERS) {
        const uint32_t behind = build->begin[top->node] + (uint32_t)strlen("lambda");
        build_leaf(build, SYN_PARAMETERS, behind, behind);
    }
    if (top->tuple.end && top->tuple_at == top->children) {
        const struct span_of_text span = top->tuple;
        top->tuple = (struct span_of_text){0};
        build_open(build, SYN_TUPLE, span.begin, span.end);
    }
}

static void push(struct lower *lower, struct lower_level level)
{
    lower->levels = mem_grow(lower->levels, &lower->level_room, lower->level_count + 1, sizeof *lower->levels);
    lower->levels[lower->level_count++] = level;
}

static enum lower_step take(struct lower *lower, const struct concrete *node)
{
    if (rescuing(lower) && !is_statement(node->how))
        return error_leaf(lower, node);
    if (node->how == HOW_TOKEN || node->how == HOW_ERROR)
        return handlers[node->how](lower, node);
    return node->missing ? lower_leaf(lower, node, SYN_ERROR) : handlers[node->how](lower, node);
}

/* The depth to return to counts the tuple that may begin here. */
enum lower_step lower_enter(struct lower *lower, const struct concrete *node)
{
    if (node->how == HOW_SKIP)
        return LOWER_PAST;
    if (node->missing && node->how == HOW_TOKEN)
        build_stray(&lower->build, node->begin);
    if (node->how != HOW_TOKEN && node->how != HOW_ERROR && !rescuing(lower))
        arrive(lower, node);
    lower->depth = lower->build.open_count;
    const enum lower_step step = take(lower, node);
    if (step == LOWER_INTO)
        push(lower, (struct lower_level){lower->depth, node->how == HOW_ERROR});
    return step;
}

bool lower_leave(struct lower *lower)
{
    const struct lower_level level = lower->levels[--lower->level_count];
    build_close_to(&lower->build, level.depth);
    if (lower->spoilt != SIZE_MAX && level.depth <= lower->spoilt)
        lower->spoilt = SIZE_MAX;
    return lower->spoilt != SIZE_MAX;
}

void lower_start(struct lower *lower, str text, const struct prepared *prepared)
{
    *lower = (struct lower){.text = text, .spoilt = SIZE_MAX};
    lower->taken_out = prepared->taken_out;
    lower->taken_out_count = prepared->taken_out_count;
    build_start(&lower->build, (uint32_t)text.len);
}

void lower_lost(struct lower *lower, uint32_t begin, uint32_t end)
{
    build_leaf(&lower->build, SYN_ERROR, begin, end);
}

void lower_finish(struct lower *lower, struct arena *arena, struct syntax *tree)
{
    build_finish(&lower->build, arena, tree);
    mem_free(lower->levels);
    *lower = (struct lower){0};
}
