/* SPDX-License-Identifier: Apache-2.0 */
/* Names, parameters and expressions. */
#include "lower_steps.h"

#include <string.h>

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
        lower_leaf(lower, node, SYN_ERROR);
}

enum lower_step lower_dotted(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const enum syntax_kind kind = build_top_kind(build);
    const bool alias = kind == SYN_IMPORT || (kind == SYN_FROM_IMPORT && build_top(build)->children);
    const size_t depth = build->open_count;
    if (alias)
        lower_open_node(lower, node, SYN_ALIAS);
    dotted_name(lower, node);
    build_close_to(build, depth);
    return LOWER_PAST;
}

enum lower_step lower_identifier(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    if (build_top_kind(build) != SYN_PARAMETERS)
        return lower_leaf(lower, node, SYN_NAME);
    lower_open_node(lower, node, SYN_PARAMETER);
    lower_leaf(lower, node, SYN_NAME);
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
        return lower_open_node(lower, node, stars == 1 ? SYN_STARRED : SYN_DOUBLE_STARRED);
    if (!typed)
        lower_open_node(lower, node, SYN_PARAMETER);
    lower_set_op(lower, stars);
    return LOWER_INTO;
}

enum lower_step lower_splat(struct lower *lower, const struct concrete *node)
{
    return starred(lower, node, 1);
}

enum lower_step lower_double_splat(struct lower *lower, const struct concrete *node)
{
    return starred(lower, node, 2);
}

/* A bare * or / among parameters. */
enum lower_step lower_separator(struct lower *lower, const struct concrete *node)
{
    const uint32_t parameter = build_leaf(&lower->build, SYN_PARAMETER, node->begin, node->end);
    lower->build.op[parameter] = node->begin < lower->text.len && lower->text.at[node->begin] == '*';
    return LOWER_PAST;
}

enum lower_step lower_tuple_pattern(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) == SYN_PARAMETERS)
        lower_open_node(lower, node, SYN_PARAMETER);
    return lower_open_node(lower, node, SYN_TUPLE);
}

/* --- expressions ---------------------------------------------------------------------------------------------------- */

enum lower_step lower_expression_list(struct lower *lower, const struct concrete *node)
{
    const enum syntax_kind kind = build_top_kind(&lower->build);
    return kind == SYN_DELETE || kind == SYN_RAISE ? LOWER_INTO : lower_open_node(lower, node, SYN_TUPLE);
}

/* `expression as target`. Parentheses around both are none of the expression. */
enum lower_step lower_as_pattern(struct lower *lower, const struct concrete *node)
{
    struct build *build = &lower->build;
    const enum syntax_kind kind = build_top_kind(build);
    if ((kind != SYN_WITH_ITEM && kind != SYN_EXCEPT) || build_top(build)->children)
        return lower_leaf(lower, node, SYN_ERROR);
    while (build->parens_count && build->parens[build->parens_count - 1].node == build->count)
        build->parens_count--;
    return LOWER_INTO;
}

enum lower_step lower_parentheses(struct lower *lower, const struct concrete *node)
{
    build_parens(&lower->build, node->begin, node->end);
    return LOWER_INTO;
}

/* As the only argument its parentheses are those of the call. */
enum lower_step lower_generator(struct lower *lower, const struct concrete *node)
{
    if (build_top_kind(&lower->build) == SYN_CALL && build_top(&lower->build)->children == 1)
        lower_open_node(lower, node, SYN_ARGUMENTS);
    return lower_open_node(lower, node, SYN_GENERATOR);
}

static bool is_formatted(str text, uint32_t at)
{
    for (; at < text.len && text.at[at] != '"' && text.at[at] != '\''; at++)
        if ((text.at[at] | 32) == 'f')
            return true;
    return false;
}

/* Only a formatted string holds something. Of several in a row each is a part of the node that is open already. */
enum lower_step lower_string(struct lower *lower, const struct concrete *node)
{
    const bool formatted = is_formatted(lower->text, node->begin);
    if (build_top_kind(&lower->build) == SYN_STRING)
        return formatted ? LOWER_INTO : LOWER_PAST;
    return formatted ? lower_open_node(lower, node, SYN_STRING) : lower_leaf(lower, node, SYN_STRING);
}

enum lower_step lower_integer(struct lower *lower, const struct concrete *node)
{
    const char last = node->end > node->begin ? lower->text.at[node->end - 1] : '0';
    return lower_leaf(lower, node, last == 'j' || last == 'J' ? SYN_FLOAT : SYN_INTEGER);
}

/*
 * The `...` in the place of what was taken out: of a statement all of it, of a bracket what is in it. What is open around
 * it reaches as far as it does: the parser saw three bytes, and where the text is broken it may have put them anywhere.
 */
static enum lower_step stand_in(struct lower *lower, const struct taken_out *taken)
{
    struct build *build = &lower->build;
    build_leaf(build, taken->broken ? SYN_ERROR : SYN_OTHER, taken->begin, taken->end);
    for (size_t i = 0; i < build->open_count; i++)
        if (build->end[build->open[i].node] < taken->end)
            build->end[build->open[i].node] = taken->end;
    if (build_top_kind(build) == SYN_SET && taken->pairs)
        lower_set_kind(lower, SYN_DICT);
    return LOWER_PAST;
}

enum lower_step lower_ellipsis(struct lower *lower, const struct concrete *node)
{
    while (lower->taken_out_count && lower->taken_out->begin < node->begin) {
        lower->taken_out++;
        lower->taken_out_count--;
    }
    if (lower->taken_out_count && lower->taken_out->begin == node->begin)
        return stand_in(lower, lower->taken_out);
    return lower_leaf(lower, node, SYN_ELLIPSIS);
}
