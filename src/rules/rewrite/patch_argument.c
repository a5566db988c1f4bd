/* SPDX-License-Identifier: Apache-2.0 */
/* One more argument of a call, laid out as the others are. */
#include "layout.h"
#include "patch.h"

/* The arguments of a call as they stand in the text. */
struct arguments {
    const struct syntax *tree;
    uint32_t count;
    uint32_t begin, end;            /* of the last one, with its parentheses */
    uint32_t first_begin;           /* of the first one */
    uint32_t close;                 /* the call's closing parenthesis */
    uint32_t behind;                /* `end`, or behind the comma that follows it */
    bool own_line, alone, last_row; /* the last one begins its line; no other stands on it; the call closes there too */
};

static uint32_t line_of(const struct syntax *tree, uint32_t at)
{
    return syntax_place(tree, at).line;
}

static bool begins_line(const struct syntax *tree, uint32_t at)
{
    const uint32_t from = tree->line_at[line_of(tree, at) - 1];
    return !str_trim((str){tree->text.at + from, at - from}).len;
}

static uint32_t behind_comma(const struct syntax *tree, uint32_t end, uint32_t close)
{
    uint32_t at = end;
    while (at < close && (tree->text.at[at] == ' ' || tree->text.at[at] == '\t'))
        at++;
    return at < close && tree->text.at[at] == ',' ? at + 1 : end;
}

static struct arguments arguments_of(const struct syntax *tree, uint32_t call, uint32_t list)
{
    struct arguments found = {.tree = tree, .close = tree->end[call] - 1};
    uint32_t before = 0, end;
    for (uint32_t at = syntax_first(tree, list); at != SYNTAX_NONE; at = syntax_next(tree, at), found.count++) {
        before = found.end;
        syntax_outer(tree, at, &found.begin, &end);
        found.first_begin = found.count ? found.first_begin : found.begin;
        found.end = end;
    }
    found.behind = behind_comma(tree, found.end, found.close);
    found.own_line = begins_line(tree, found.begin);
    found.alone = found.own_line && (found.count == 1 || line_of(tree, before) < line_of(tree, found.begin));
    found.last_row = line_of(tree, found.close) == line_of(tree, found.end);
    return found;
}

static str indent_at(const struct syntax *tree, uint32_t at)
{
    const uint32_t from = tree->line_at[line_of(tree, at) - 1];
    return (str){tree->text.at + from, at - from};
}

/* f(\n    a,  # why\n    b,\n): below the line of the last one, so that its comment stays with it. */
static void add_line(struct patch *patch, const struct arguments *arguments, str text)
{
    const str indent = indent_at(arguments->tree, arguments->begin);
    const bool comma = arguments->behind > arguments->end;
    if (!comma)
        patch_insert(patch, arguments->end, S(","));
    patch_lines(
        patch, arguments->tree->line_at[line_of(arguments->tree, arguments->end)],
        patch_printf(patch, "%.*s%.*s%s\n", (int)indent.len, indent.at, (int)text.len, text.at, comma ? "," : ""));
}

/* f(\n    a, b\n): the row has a line to itself. */
static bool fills_line(const struct arguments *arguments)
{
    const struct syntax *tree = arguments->tree;
    const str rest = str_trim(
        str_from(syntax_line(tree, line_of(tree, arguments->end)), syntax_place(tree, arguments->behind).column - 1));
    return begins_line(tree, arguments->first_begin) && !arguments->last_row && !rest.len &&
           line_of(tree, arguments->first_begin) == line_of(tree, arguments->end);
}

static bool is_too_wide(const struct arguments *arguments, str text)
{
    const uint32_t was = layout_line_width(arguments->tree, arguments->end);
    if (was + 2 + text.len <= LAYOUT_LEAST_WIDTH)
        return false;
    const uint32_t width = layout_width(arguments->tree);
    return was <= width && was + 2 + text.len > width;
}

/* The argument that begins the line of the last one; SYNTAX_NONE where something else does. */
static uint32_t begins_last_line(const struct syntax *tree, uint32_t list, const struct arguments *arguments)
{
    for (uint32_t at = syntax_first(tree, list); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        uint32_t begin, end;
        syntax_outer(tree, at, &begin, &end);
        if (line_of(tree, begin) == line_of(tree, arguments->end) && begins_line(tree, begin))
            return begin;
    }
    return SYNTAX_NONE;
}

/* f(a,\n  b, c): on a line of its own below the last, where that would become too wide. */
static void add_below(struct patch *patch, uint32_t begin, const struct arguments *arguments, str text)
{
    const str indent = indent_at(arguments->tree, begin);
    patch_insert(patch, arguments->end,
                 patch_printf(patch, ",\n%.*s%.*s", (int)indent.len, indent.at, (int)text.len, text.at));
}

static void add_row(struct patch *patch, const struct arguments *arguments, str text)
{
    const struct syntax *tree = arguments->tree;
    const str row = {tree->text.at + arguments->first_begin, arguments->end - arguments->first_begin};
    const str all = patch_printf(patch, "%.*s, %.*s", (int)row.len, row.at, (int)text.len, text.at);
    const str indent = indent_at(tree, arguments->first_begin);
    const str lines = layout_one_a_line(patch->check->arena, all, indent);
    const str body = {lines.at + indent.len, lines.len - indent.len - 1}; /* the first indent and the last end stand */
    patch_replace(patch, arguments->first_begin, arguments->behind, body);
}

static void add_behind(struct patch *patch, uint32_t call, const struct arguments *arguments, str text)
{
    patch_insert(patch, arguments->end, patch_printf(patch, ", %.*s", (int)text.len, text.at));
    patch_grown(patch, call);
}

void patch_argument(struct patch *patch, uint32_t call, str text)
{
    const struct syntax *tree = patch->check->tree;
    const uint32_t list = syntax_child(tree, call, 1);
    if (!syntax_is(tree, list, SYN_ARGUMENTS)) { /* f(x for x in y): the generator has no parentheses of its own */
        patch_refuse(patch);
        return;
    }
    const uint32_t last = syntax_last_child(tree, list);
    if (last == SYNTAX_NONE) {
        patch_insert(patch, tree->end[call] - 1, text);
        return;
    }
    const struct arguments arguments = arguments_of(tree, call, list);
    const bool comma = arguments.behind > arguments.end;
    if (tree->kind[last] == SYN_GENERATOR && arguments.end >= tree->end[call])
        patch_refuse(patch);
    else if (arguments.alone && !arguments.last_row && (comma || arguments.count > 1))
        add_line(patch, &arguments, text);
    else if (arguments.alone && arguments.last_row && arguments.count > 1)
        patch_insert(patch, arguments.end,
                     patch_printf(patch, ",\n%.*s%.*s", (int)indent_at(tree, arguments.begin).len,
                                  indent_at(tree, arguments.begin).at, (int)text.len, text.at));
    else if (fills_line(&arguments) && is_too_wide(&arguments, text))
        add_row(patch, &arguments, text);
    else if (begins_last_line(tree, list, &arguments) != SYNTAX_NONE && arguments.last_row && !comma &&
             is_too_wide(&arguments, text))
        add_below(patch, begins_last_line(tree, list, &arguments), &arguments, text);
    else
        add_behind(patch, call, &arguments, text);
}
