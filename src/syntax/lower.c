/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <string.h>

#include "base/mem.h"

static enum lower_step open_node(struct lower *lower, const struct concrete *node, enum syntax_kind kind)
{
    build_open(&lower->build, kind, node->begin, node->end);
    return LOWER_INTO;
}

static enum lower_step leaf(struct lower *lower, const struct concrete *node, enum syntax_kind kind)
{
    build_leaf(&lower->build, kind, node->begin, node->end);
    return LOWER_PAST;
}

/* The innermost open node is no good after all. */
static enum lower_step spoil(struct lower *lower)
{
    lower->spoilt = lower->build.open_count - 1;
    build_spoil(&lower->build, lower->spoilt);
    return LOWER_SPOILT;
}

static void set_kind(struct lower *lower, enum syntax_kind kind)
{
    lower->build.kind[build_top(&lower->build)->node] = (uint8_t)kind;
}

static void set_op(struct lower *lower, unsigned op)
{
    lower->build.op[build_top(&lower->build)->node] = (uint8_t)op;
}

/* Items from child `at` on will stand in a tuple without parentheses, where there are commas. */
static void expect_tuple(struct lower *lower, const struct concrete *node, uint32_t at)
{
    build_top(&lower->build)->tuple = node->tuple;
    build_top(&lower->build)->tuple_at = at;
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static void pass_colon(struct build *build)
{
    build_fill(build, ++build_top(build)->colons);
}

/* The first operator counts. */
static void take_operator(struct lower *lower, enum syntax_op op)
{
    if (lower->build.op[build_top(&lower->build)->node] == OP_NONE)
        set_op(lower, op);
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
    return build_top_kind(&lower->build) == SYN_FROM_IMPORT ? leaf(lower, node, SYN_NAME) : LOWER_PAST;
}

/* --- errors --------------------------------------------------------------------------------------------------------- */

/* Neighbouring errors become one. */
static enum lower_step error_leaf(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const uint32_t last = build_top(build)->last;
    if (last == SYNTAX_NONE || build->kind[last] != SYN_ERROR)
        return leaf(lower, node, SYN_ERROR);
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
        return spoil(lower);
    build_stray(&lower->build, node->begin);
    return LOWER_PAST;
}

static bool is_statement(enum lower_how how)
{
    return how == HOW_STATEMENT || how == HOW_STATEMENT_LEAF || how == HOW_EXPRESSION_STATEMENT;
}

/* --- statements ----------------------------------------------------------------------------------------------------- */

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
    open_node(lower, node, node->kind);
    if (node->tuple.end)
        expect_tuple(lower, node, node->kind == SYN_MATCH ? 0 : 1);
    return LOWER_INTO;
}

static enum lower_step leaf_kind(struct lower *lower, const struct concrete *node)
{
    return leaf(lower, node, node->kind);
}

static enum lower_step expression_statement(struct lower *lower, const struct concrete *node)
{
    open_node(lower, node, SYN_EXPR);
    expect_tuple(lower, node, 0);
    return LOWER_INTO;
}

/* The statement turns out to be an assignment; one inside another is one more target of it. */
static enum lower_step assignment(struct lower *lower, const struct concrete *node)
{
    const enum syntax_kind kind = build_top_kind(&lower->build);
    if (kind == SYN_EXPR && !build_top(&lower->build)->children)
        set_kind(lower, SYN_ASSIGN);
    else if (kind != SYN_ASSIGN)
        return spoil(lower);
    return LOWER_INTO;
}

static enum lower_step augmented(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_EXPR || build_top(&lower->build)->children)
        return spoil(lower);
    set_kind(lower, SYN_AUG_ASSIGN);
    return LOWER_INTO;
}

static enum lower_step type(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_ASSIGN)
        return LOWER_INTO;
    if (build_top(&lower->build)->children != 1)
        return spoil(lower);
    set_kind(lower, SYN_ANN_ASSIGN);
    return LOWER_INTO;
}

/* Of a function or class they are left out; of a generic type they are its index. */
static enum lower_step type_parameters(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) != SYN_SUBSCRIPT)
        return LOWER_PAST;
    expect_tuple(lower, node, 1);
    return LOWER_INTO;
}

static enum lower_step block(struct lower *lower, const struct concrete *node)
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
    return open_node(lower, node, SYN_BLOCK);
}

/* Stays open for the clauses behind it, until its `if` is left. */
static enum lower_step elif_clause(struct lower *lower, const struct concrete *node)
{
    lower->depth = SIZE_MAX;
    return open_node(lower, node, SYN_IF);
}

static enum lower_step else_clause(struct lower *lower, const struct concrete *node)
{
    return build_top_kind(&lower->build) == SYN_TRY ? open_node(lower, node, SYN_ELSE) : LOWER_INTO;
}

static enum lower_step finally_clause(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const uint32_t last = build_top(build)->last;
    if (build_top_kind(build) == SYN_TRY && (last == SYNTAX_NONE || build->kind[last] != SYN_ELSE))
        build_fill(build, build_top(build)->children + 1);
    return open_node(lower, node, SYN_FINALLY);
}

/* All patterns of a case are one opaque node. */
static enum lower_step case_pattern(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const struct build_open *top = build_top(build);
    if (build->kind[top->node] != SYN_CASE || !top->children)
        return leaf(lower, node, SYN_OTHER);
    build->end[top->last] = node->end;
    return LOWER_PAST;
}

static enum lower_step if_clause(struct lower *lower, const struct concrete *node)
{
    return build_top_kind(&lower->build) == SYN_CASE ? LOWER_INTO : open_node(lower, node, SYN_COMP_IF);
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

static bool in_name(unsigned char c)
{
    return c > ' ' && c != '.' && c != '\\' && c != '#';
}

/* The next name of a dotted one at or behind *at; blanks, line ends and comments may stand between. */
static struct span_of_text next_name(str text, uint32_t *at, uint32_t end)
{
    while (*at < end && !in_name((unsigned char)text.at[*at]))
        if (text.at[(*at)++] == '#')
            while (*at < end && text.at[*at] != '\n' && text.at[*at] != '\r')
                ++*at;
    const uint32_t begin = *at;
    while (*at < end && in_name((unsigned char)text.at[*at]))
        ++*at;
    return (struct span_of_text){begin, *at};
}

static void attributes(struct lower *lower, uint32_t begin, uint32_t end, uint32_t names)
{
    struct build *build = &lower->build;
    const size_t depth = build->open_count;
    for (uint32_t i = 1; i < names; i++)
        build_open(build, SYN_ATTRIBUTE, begin, end);
    for (uint32_t i = 0, at = begin; i < names; i++) {
        const struct span_of_text name = next_name(lower->text, &at, end);
        build_leaf(build, SYN_NAME, name.begin, name.end);
        if (!i)
            continue;
        build->end[build_top(build)->node] = name.end;
        build_close_to(build, build->open_count - 1);
    }
    build_close_to(build, depth);
}

/* a.b.c as SYN_ATTRIBUTE of (SYN_ATTRIBUTE of a and b) and c. */
static void dotted_name(struct lower *lower, const struct concrete *node)
{
    uint32_t names = 0;
    for (uint32_t at = node->begin; at < node->end;) {
        const struct span_of_text name = next_name(lower->text, &at, node->end);
        names += name.end > name.begin;
    }
    if (names)
        attributes(lower, node->begin, node->end, names);
    else
        leaf(lower, node, SYN_ERROR);
}

static enum lower_step dotted(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const enum syntax_kind kind = build_top_kind(build);
    const bool alias = kind == SYN_IMPORT || (kind == SYN_FROM_IMPORT && build_top(build)->children);
    const size_t depth = build->open_count;
    if (alias)
        open_node(lower, node, SYN_ALIAS);
    dotted_name(lower, node);
    build_close_to(build, depth);
    return LOWER_PAST;
}

static enum lower_step identifier(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    if (build_top_kind(build) != SYN_PARAMETERS)
        return leaf(lower, node, SYN_NAME);
    open_node(lower, node, SYN_PARAMETER);
    leaf(lower, node, SYN_NAME);
    build_close_to(build, build->open_count - 1);
    return LOWER_PAST;
}

/* --- parameters ----------------------------------------------------------------------------------------------------- */

static bool takes_operand_first(enum syntax_kind kind)
{
    return kind == SYN_CALL || kind == SYN_ATTRIBUTE || kind == SYN_SUBSCRIPT || kind == SYN_BINARY;
}

/* How many of the innermost open nodes have had no child but, each, the next one. */
static size_t heads(const struct lower *lower)
{
    const struct build *build = &lower->build;
    size_t count = 0;
    for (size_t depth = build->open_count; depth-- > 0; count++) {
        const struct build_open *open = &build->open[depth];
        if (!takes_operand_first(build->kind[open->node]) || open->children != (count ? 1 : 0))
            break;
    }
    return count;
}

static uint32_t behind_star(const struct lower *lower, const struct concrete *node)
{
    uint32_t at = node->begin + 1;
    while (at < node->end && strchr(" \t\f\r\n\\", lower->text.at[at]))
        at++;
    return at;
}

/* The grammar binds the star of *a.b() to the a; Python to all of it. */
static enum lower_step star_around(struct lower *lower, const struct concrete *node, size_t around)
{
    const size_t depth = lower->build.open_count - around;
    build_open_around(&lower->build, around, SYN_STARRED, behind_star(lower, node));
    for (size_t i = lower->level_count; i-- > 0 && lower->levels[i].depth > depth;)
        if (lower->levels[i].depth != SIZE_MAX)
            lower->levels[i].depth++;
    lower->depth = lower->build.open_count;
    return LOWER_INTO;
}

static enum lower_step starred(struct lower *lower, const struct concrete *node, unsigned stars)
{
    const enum syntax_kind kind = build_top_kind(&lower->build);
    const bool typed = kind == SYN_PARAMETER && !build_top(&lower->build)->children;
    const size_t around = stars == 1 ? heads(lower) : 0;
    if (around)
        return star_around(lower, node, around);
    if (kind == SYN_EXCEPT && !build_top(&lower->build)->children) /* except *A */
        return LOWER_INTO;
    if (kind != SYN_PARAMETERS && !typed)
        return open_node(lower, node, stars == 1 ? SYN_STARRED : SYN_DOUBLE_STARRED);
    if (!typed)
        open_node(lower, node, SYN_PARAMETER);
    set_op(lower, stars);
    return LOWER_INTO;
}

static enum lower_step splat(struct lower *lower, const struct concrete *node)
{
    return starred(lower, node, 1);
}

static enum lower_step double_splat(struct lower *lower, const struct concrete *node)
{
    return starred(lower, node, 2);
}

/* A bare * or / among parameters. */
static enum lower_step separator(struct lower *lower, const struct concrete *node)
{
    const uint32_t parameter = build_leaf(&lower->build, SYN_PARAMETER, node->begin, node->end);
    lower->build.op[parameter] = node->begin < lower->text.len && lower->text.at[node->begin] == '*';
    return LOWER_PAST;
}

static enum lower_step tuple_pattern(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) == SYN_PARAMETERS)
        open_node(lower, node, SYN_PARAMETER);
    return open_node(lower, node, SYN_TUPLE);
}

/* --- expressions ---------------------------------------------------------------------------------------------------- */

static enum lower_step expression_list(struct lower *lower, const struct concrete *node)
{
    const enum syntax_kind kind = build_top_kind(&lower->build);
    return kind == SYN_DELETE || kind == SYN_RAISE ? LOWER_INTO : open_node(lower, node, SYN_TUPLE);
}

/* `expression as target`. Parentheses around both are none of the expression. */
static enum lower_step as_pattern(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const enum syntax_kind kind = build_top_kind(build);
    if ((kind != SYN_WITH_ITEM && kind != SYN_EXCEPT) || build_top(build)->children)
        return leaf(lower, node, SYN_ERROR);
    while (build->parens_count && build->parens[build->parens_count - 1].node == build->count)
        build->parens_count--;
    return LOWER_INTO;
}

static enum lower_step parentheses(struct lower *lower, const struct concrete *node)
{
    build_parens(&lower->build, node->begin, node->end);
    return LOWER_INTO;
}

/* As the only argument its parentheses are those of the call. */
static enum lower_step generator(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) == SYN_CALL && build_top(&lower->build)->children == 1)
        open_node(lower, node, SYN_ARGUMENTS);
    return open_node(lower, node, SYN_GENERATOR);
}

static bool is_formatted(str text, uint32_t at)
{
    for (; at < text.len && text.at[at] != '"' && text.at[at] != '\''; at++)
        if ((text.at[at] | 32) == 'f')
            return true;
    return false;
}

/* Only a formatted string holds something. Of several in a row each is a part of the node that is open already. */
static enum lower_step string(struct lower *lower, const struct concrete *node)
{
    const bool formatted = is_formatted(lower->text, node->begin);
    if (build_top_kind(&lower->build) == SYN_STRING)
        return formatted ? LOWER_INTO : LOWER_PAST;
    return formatted ? open_node(lower, node, SYN_STRING) : leaf(lower, node, SYN_STRING);
}

static enum lower_step integer(struct lower *lower, const struct concrete *node)
{
    const char last = node->end > node->begin ? lower->text.at[node->end - 1] : '0';
    return leaf(lower, node, last == 'j' || last == 'J' ? SYN_FLOAT : SYN_INTEGER);
}

/* The `...` in the place of what was taken out: of a statement all of it, of a bracket what is in it. */
static enum lower_step stand_in(struct lower *lower, const struct taken_out *taken)
{
    struct build *build = &lower->build;
    build_leaf(build, taken->broken ? SYN_ERROR : SYN_OTHER, taken->begin, taken->end);
    const enum syntax_kind around = build_top_kind(build);
    if (around == SYN_EXPR && build->end[build_top(build)->node] < taken->end)
        build->end[build_top(build)->node] = taken->end;
    if (around == SYN_SET && taken->pairs)
        set_kind(lower, SYN_DICT);
    return LOWER_PAST;
}

static enum lower_step ellipsis(struct lower *lower, const struct concrete *node)
{
    while (lower->taken_out_count && lower->taken_out->begin < node->begin) {
        lower->taken_out++;
        lower->taken_out_count--;
    }
    if (lower->taken_out_count && lower->taken_out->begin == node->begin)
        return stand_in(lower, lower->taken_out);
    return leaf(lower, node, SYN_ELLIPSIS);
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
    [HOW_ELLIPSIS] = ellipsis,
    [HOW_STATEMENT] = open_kind,
    [HOW_STATEMENT_LEAF] = leaf_kind,
    [HOW_EXPRESSION_STATEMENT] = expression_statement,
    [HOW_ASSIGNMENT] = assignment,
    [HOW_AUGMENTED] = augmented,
    [HOW_TYPE] = type,
    [HOW_TYPE_PARAMETERS] = type_parameters,
    [HOW_BLOCK] = block,
    [HOW_ELIF] = elif_clause,
    [HOW_ELSE] = else_clause,
    [HOW_FINALLY] = finally_clause,
    [HOW_CASE_PATTERN] = case_pattern,
    [HOW_IF_CLAUSE] = if_clause,
    [HOW_DOTTED] = dotted,
    [HOW_IDENTIFIER] = identifier,
    [HOW_SPLAT] = splat,
    [HOW_DOUBLE_SPLAT] = double_splat,
    [HOW_SEPARATOR] = separator,
    [HOW_TUPLE_PATTERN] = tuple_pattern,
    [HOW_EXPRESSION_LIST] = expression_list,
    [HOW_AS_PATTERN] = as_pattern,
    [HOW_PARENTHESES] = parentheses,
    [HOW_GENERATOR] = generator,
    [HOW_STRING] = string,
    [HOW_INTEGER] = integer,
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
    return node->missing ? leaf(lower, node, SYN_ERROR) : handlers[node->how](lower, node);
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
