/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and their clauses. */
#include "lower_steps.h"

enum lower_step lower_expression_statement(struct lower *lower, const struct concrete *node)
{
    lower_open_node(lower, node, SYN_EXPR);
    lower_expect_tuple(lower, node, 0);
    return LOWER_INTO;
}

/* The statement turns out to be an assignment; one inside another is one more target of it. */
enum lower_step lower_assignment(struct lower *lower, const struct concrete *node)
{
    const enum syntax_kind kind = build_top_kind(&lower->build);
    if (kind == SYN_EXPR && !build_top(&lower->build)->children)
        lower_set_kind(lower, SYN_ASSIGN);
    else if (kind != SYN_ASSIGN)
        return lower_spoil(lower);
    return LOWER_INTO;
}

enum lower_step lower_augmented(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_EXPR || build_top(&lower->build)->children)
        return lower_spoil(lower);
    lower_set_kind(lower, SYN_AUG_ASSIGN);
    return LOWER_INTO;
}

enum lower_step lower_type(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_ASSIGN)
        return LOWER_INTO;
    if (build_top(&lower->build)->children != 1)
        return lower_spoil(lower);
    lower_set_kind(lower, SYN_ANN_ASSIGN);
    return LOWER_INTO;
}

/* Of a function or class they are left out; of a generic type they are its index. */
enum lower_step lower_type_parameters(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_SUBSCRIPT)
        return LOWER_PAST;
    lower_expect_tuple(lower, node, 1);
    return LOWER_INTO;
}

enum lower_step lower_block(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    if (build_top_kind(build) == SYN_TUPLE) /* the subject of a match */
        build_close_to(build, build->open_count - 1);
    switch (build_top_kind(build)) {
    case SYN_MATCH:
        return LOWER_INTO;
    case SYN_FUNCTION:
        build_fill(build, 3);
        break;
    case SYN_CLASS:
    case SYN_EXCEPT:
    case SYN_CASE:
        build_fill(build, 2);
        break;
    default:
        break;
    }
    return lower_open_node(lower, node, SYN_BLOCK);
}

/* Stays open for the clauses behind it, until its `if` is left. */
enum lower_step lower_elif_clause(struct lower *lower, const struct concrete *node)
{
    lower->depth = SIZE_MAX;
    return lower_open_node(lower, node, SYN_IF);
}

enum lower_step lower_else_clause(struct lower *lower, const struct concrete *node)
{
    return build_top_kind(&lower->build) == SYN_TRY ? lower_open_node(lower, node, SYN_ELSE) : LOWER_INTO;
}

enum lower_step lower_finally_clause(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const uint32_t last = build_top(build)->last;
    if (build_top_kind(build) == SYN_TRY && (last == SYNTAX_NONE || build->kind[last] != SYN_ELSE))
        build_fill(build, build_top(build)->children + 1);
    return lower_open_node(lower, node, SYN_FINALLY);
}

/* All patterns of a case are one opaque node. */
enum lower_step lower_case_pattern(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const struct build_open *top = build_top(build);
    if (build->kind[top->node] != SYN_CASE || !top->children)
        return lower_leaf(lower, node, SYN_OTHER);
    build->end[top->last] = node->end;
    return LOWER_PAST;
}

enum lower_step lower_if_clause(struct lower *lower, const struct concrete *node)
{
    return build_top_kind(&lower->build) == SYN_CASE ? LOWER_INTO : lower_open_node(lower, node, SYN_COMP_IF);
}
