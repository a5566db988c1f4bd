/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of lower.h share: the steps that a concrete node can ask for. */
#ifndef SYNTAX_LOWER_STEPS_H
#define SYNTAX_LOWER_STEPS_H

#include "lower.h"

static inline enum lower_step lower_open_node(struct lower *lower, const struct concrete *node, enum syntax_kind kind)
{
    build_open(&lower->build, kind, node->begin, node->end);
    return LOWER_INTO;
}

static inline enum lower_step lower_leaf(struct lower *lower, const struct concrete *node, enum syntax_kind kind)
{
    build_leaf(&lower->build, kind, node->begin, node->end);
    return LOWER_PAST;
}

/* The innermost open node is no good after all. */
static inline enum lower_step lower_spoil(struct lower *lower)
{
    lower->spoilt = lower->build.open_count - 1;
    build_spoil(&lower->build, lower->spoilt);
    return LOWER_SPOILT;
}

static inline void lower_set_kind(struct lower *lower, enum syntax_kind kind)
{
    lower->build.kind[build_top(&lower->build)->node] = (uint8_t)kind;
}

static inline void lower_set_op(struct lower *lower, unsigned op)
{
    lower->build.op[build_top(&lower->build)->node] = (uint8_t)op;
}

/* Items from child `at` on will stand in a tuple without parentheses, where there are commas. */
static inline void lower_expect_tuple(struct lower *lower, const struct concrete *node, uint32_t at)
{
    build_top(&lower->build)->tuple = node->tuple;
    build_top(&lower->build)->tuple_at = at;
}

/* lower_statement.c */
enum lower_step lower_expression_statement(struct lower *lower, const struct concrete *node);
enum lower_step lower_assignment(struct lower *lower, const struct concrete *node);
enum lower_step lower_augmented(struct lower *lower, const struct concrete *node);
enum lower_step lower_type(struct lower *lower, const struct concrete *node);
enum lower_step lower_type_parameters(struct lower *lower, const struct concrete *node);
enum lower_step lower_block(struct lower *lower, const struct concrete *node);
enum lower_step lower_elif_clause(struct lower *lower, const struct concrete *node);
enum lower_step lower_else_clause(struct lower *lower, const struct concrete *node);
enum lower_step lower_finally_clause(struct lower *lower, const struct concrete *node);
enum lower_step lower_case_pattern(struct lower *lower, const struct concrete *node);
enum lower_step lower_if_clause(struct lower *lower, const struct concrete *node);

/* lower_expression.c */
enum lower_step lower_dotted(struct lower *lower, const struct concrete *node);
enum lower_step lower_identifier(struct lower *lower, const struct concrete *node);
enum lower_step lower_splat(struct lower *lower, const struct concrete *node);
enum lower_step lower_double_splat(struct lower *lower, const struct concrete *node);
enum lower_step lower_separator(struct lower *lower, const struct concrete *node);
enum lower_step lower_tuple_pattern(struct lower *lower, const struct concrete *node);
enum lower_step lower_expression_list(struct lower *lower, const struct concrete *node);
enum lower_step lower_as_pattern(struct lower *lower, const struct concrete *node);
enum lower_step lower_parentheses(struct lower *lower, const struct concrete *node);
enum lower_step lower_generator(struct lower *lower, const struct concrete *node);
enum lower_step lower_string(struct lower *lower, const struct concrete *node);
enum lower_step lower_integer(struct lower *lower, const struct concrete *node);
enum lower_step lower_ellipsis(struct lower *lower, const struct concrete *node);

#endif
