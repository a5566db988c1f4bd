/* SPDX-License-Identifier: Apache-2.0 */
#include "once.h"
#include "source/known/known_words.h"

/* Nodes: tests and values beyond are not compared with all that a block binds. */
enum { LARGEST_TEST = 200 };

static const struct limit large_test = {
    "once",
    "a test has more than 200 nodes, a function it stands for 20,000, or one returns early in more than 8 places; "
    "whether it lets something run once is not known"};

static bool is_too_large(const struct project *project, struct site test, uint32_t size, uint32_t most)
{
    if (size > most)
        project_limit(project, &large_test, test);
    return size > most;
}

static uint32_t without_index(const struct syntax *tree, uint32_t node)
{
    while (syntax_is(tree, node, SYN_SUBSCRIPT))
        node = syntax_first(tree, node);
    return node;
}

/* `global x` in the function of the name. */
static bool is_global(const struct syntax *tree, uint32_t name)
{
    const uint32_t function = syntax_function(tree, name);
    for (uint32_t n = function; function != NONE && n < syntax_last(tree, function); n++)
        if (tree->kind[n] == SYN_NAME && tree->kind[tree->parent[n]] == SYN_GLOBAL && syntax_same(tree, n, tree, name))
            return true;
    return false;
}

/* `kept = self.kept`, `kept = self.caches[0]`: another name for what outlives the call. */
static bool names_kept(const struct syntax *tree, const struct definition *definition)
{
    return definition->kind == DEFINED_ASSIGN && !definition->unpacked &&
           syntax_is(tree, without_index(tree, definition->value), SYN_ATTRIBUTE);
}

/* What outlives the call: an attribute, or a variable from outside of the function. `x` of `x[i].y[j]` too. */
static uint32_t kept_place(const struct project *project, uint32_t file, uint32_t node)
{
    const struct syntax *tree = project_tree(project, file);
    node = without_index(tree, node);
    if (syntax_is(tree, node, SYN_ATTRIBUTE))
        return node;
    if (!syntax_is(tree, node, SYN_NAME))
        return NONE;
    const struct definition *definition = flow_definition(project, (struct site){file, node});
    return (definition && (definition->kind == DEFINED_OUTSIDE || names_kept(tree, definition))) ||
                   is_global(tree, node)
               ? node
               : NONE;
}

static bool mentions(const struct project *project, uint32_t file, uint32_t within, uint32_t place)
{
    const struct syntax *tree = project_tree(project, file);
    if (is_too_large(project, (struct site){file, within}, tree->size[within], LARGEST_TEST))
        return false;
    for (uint32_t n = within, last = syntax_last(tree, within); n < last; n++)
        if (tree->kind[n] == tree->kind[place] && syntax_same(tree, n, tree, place))
            return true;
    return false;
}

/* hasattr(self, "x") asks for self.x. */
static bool asks_by_name(const struct syntax *tree, uint32_t test, uint32_t place)
{
    if (tree->kind[place] != SYN_ATTRIBUTE || tree->size[test] > LARGEST_TEST)
        return false;
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++) {
        const uint32_t name = syntax_calls(tree, n, S("hasattr")) ? syntax_argument(tree, n, 1, NULL) : NONE;
        const str text = syntax_is(tree, name, SYN_STRING) ? syntax_text(tree, name) : S("");
        if (text.len > 2 && str_eq((str){text.at + 1, text.len - 2}, syntax_tail(tree, place)))
            return true;
    }
    return false;
}

static bool is_flag_value(enum syntax_kind kind)
{
    return kind == SYN_TRUE || kind == SYN_FALSE || kind == SYN_NONE;
}

/* `x`, `x is not None`, `x == 3`: it may hold each time, whatever the body makes of x. */
static bool holds_again(const struct syntax *tree, uint32_t test)
{
    switch (tree->kind[test]) {
    case SYN_NAME:
    case SYN_ATTRIBUTE:
    case SYN_SUBSCRIPT:
    case SYN_CALL:
        return true;
    case SYN_COMPARE:
        return tree->op[test] == OP_IS_NOT || tree->op[test] == OP_EQUAL || tree->op[test] == OP_IN;
    case SYN_BOOL:
        return holds_again(tree, test + 1);
    default:
        return false;
    }
}

/* `if not tested: tested = ...` of a local name too, where a flag is set: it was bound before the loop. */
static bool sets_flag(const struct syntax *tree, uint32_t test, uint32_t target, enum syntax_kind value)
{
    if (tree->kind[test] == SYN_NOT)
        test++;
    return is_flag_value(value) && value != SYN_NONE && syntax_same(tree, test, tree, target);
}

/* Whether the assignment keeps what the test asks for. */
static bool keeps(const struct project *project, uint32_t file, uint32_t test, uint32_t assignment)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t target = assignment + 1;
    const enum syntax_kind value = tree->kind[syntax_last_child(tree, assignment)];
    if (sets_flag(tree, test, target, value))
        return true;
    if (tree->kind[target] == SYN_NAME || (holds_again(tree, test) && !is_flag_value(value)))
        return false;
    const uint32_t base = without_index(tree, target);
    return (mentions(project, file, test, base) || asks_by_name(tree, test, base)) &&
           kept_place(project, file, target) != NONE;
}

/* Whether the function binds a thing that outlives it and that the test of another function asks for. */
static bool binds(const struct project *project, uint32_t id, const struct syntax *there, uint32_t test)
{
    enum { LARGEST = 20000 };
    const struct function *function = project_function(project, id);
    const struct syntax *tree = project_tree(project, function->file);
    const struct site site = {function->file, function->node};
    if (is_too_large(project, site, tree->size[function->node], LARGEST) || there->size[test] > LARGEST_TEST)
        return false; /* of the test it is told where it is asked for what it mentions */
    for (uint32_t s = function->node, last = syntax_last(tree, function->node); s < last; s++)
        for (uint32_t n = test; tree->kind[s] == SYN_ASSIGN && n < syntax_last(there, test); n++)
            if ((there->kind[n] == SYN_ATTRIBUTE || there->kind[n] == SYN_NAME) && syntax_same(tree, s + 1, there, n) &&
                kept_place(project, function->file, s + 1) != NONE)
                return true;
    return false;
}

/* `if KERNEL is None: load()`, where load() binds KERNEL. */
static bool fills(const struct project *project, uint32_t file, uint32_t test, uint32_t statement)
{
    const struct syntax *tree = project_tree(project, file);
    if (tree->kind[statement] != SYN_EXPR || tree->kind[statement + 1] != SYN_CALL || holds_again(tree, test))
        return false;
    uint32_t count;
    const struct call *calls = name_calls(project, (struct site){file, statement + 1}, &count);
    for (uint32_t i = 0; i < count; i++) /* several: of classes that inherit */
        if (!binds(project, calls[i].target, tree, test))
            return false;
    return count > 0;
}

bool once_by_test(const struct project *project, struct site statement)
{
    const struct syntax *tree = project_tree(project, statement.file);
    const uint32_t test = statement.node + 1, block = syntax_child(tree, statement.node, 1);
    for (uint32_t s = syntax_first(tree, block); s != NONE; s = syntax_next(tree, s))
        if ((tree->kind[s] == SYN_ASSIGN && keeps(project, statement.file, test, s)) ||
            fills(project, statement.file, test, s))
            return true;
    return false;
}

/* ---- kept, and returned when it is asked for again ---- */

/* The value of `if ...: return value` without an else; NONE. */
static uint32_t returned_early(const struct syntax *tree, uint32_t statement)
{
    if (tree->kind[statement] != SYN_IF || !syntax_is(tree, syntax_child(tree, statement, 2), SYN_ABSENT))
        return NONE;
    const uint32_t last = syntax_last_child(tree, syntax_child(tree, statement, 1));
    return syntax_is(tree, last, SYN_RETURN) ? syntax_first(tree, last) : NONE;
}

/* The test of `if self.kept is not None: if self.kept.size(0) >= n: return`, of which what it keeps is asked; NONE. */
static uint32_t left_early(const struct syntax *tree, uint32_t statement)
{
    const uint32_t test = statement + 1;
    for (uint32_t s = statement; syntax_is(tree, s, SYN_IF); s = syntax_last_child(tree, syntax_child(tree, s, 1))) {
        if (!syntax_is(tree, syntax_child(tree, s, 2), SYN_ABSENT) || tree->kind[syntax_child(tree, s, 1)] != SYN_BLOCK)
            return NONE;
        const uint32_t last = syntax_last_child(tree, syntax_child(tree, s, 1));
        if (syntax_is(tree, last, SYN_RETURN))
            return test;
    }
    return NONE;
}

/* The expression behind a name that was bound once: `kept = self.kept.get(key)`. */
static uint32_t behind_name(const struct project *project, uint32_t file, uint32_t value)
{
    if (!syntax_is(project_tree(project, file), value, SYN_NAME))
        return value;
    const struct definition *definition = flow_definition(project, (struct site){file, value});
    return definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked ? definition->value : value;
}

/* Whether a statement behind it binds something that outlives the call and that the value is read from. */
static bool filled_behind(const struct project *project, uint32_t file, uint32_t value, uint32_t from, uint32_t last)
{
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t s = from; s < last; s++) {
        if (tree->kind[s] == SYN_ASSIGN && mentions(project, file, value, without_index(tree, s + 1)) &&
            kept_place(project, file, s + 1) != NONE)
            return true;
    }
    return false;
}

uint32_t once_behind_return(const struct project *project, uint32_t file, uint32_t function)
{
    enum { MOST_RETURNS = 8 };
    const struct syntax *tree = project_tree(project, file);
    if (!syntax_is(tree, function, SYN_FUNCTION))
        return NONE;
    uint32_t returns = 0;
    const uint32_t block = syntax_last_child(tree, function), last = syntax_last(tree, function);
    for (uint32_t s = syntax_first(tree, block); s != NONE; s = syntax_next(tree, s)) {
        uint32_t value = returned_early(tree, s);
        if ((value == NONE || tree->kind[value] == SYN_ABSENT) && tree->kind[s] == SYN_IF)
            value = left_early(tree, s);
        if (value == NONE)
            continue;
        if (is_too_large(project, (struct site){file, s}, ++returns, MOST_RETURNS))
            return NONE;
        value = behind_name(project, file, value);
        if (value != NONE && filled_behind(project, file, value, syntax_last(tree, s), last))
            return syntax_last(tree, s);
    }
    return NONE;
}

/* ---- what leaves ---- */

static bool ends_run(const struct project *project, struct site call)
{
    return known_word(WORDS_END_RUN, name_of(project, call));
}

enum leaving once_leaves(const struct project *project, struct site block)
{
    const struct syntax *tree = project_tree(project, block.file);
    if (tree->size[block.node] == 1 || tree->kind[block.node] == SYN_IF) /* an `elif` is not looked into */
        return LEAVES_NOT;
    uint32_t last = syntax_last(tree, block.node) - 1; /* from the end: a block may be long */
    while (tree->parent[last] != block.node)
        last = tree->parent[last];
    switch (tree->kind[last]) {
    case SYN_RAISE:
        return LEAVES_RUN;
    case SYN_BREAK:
    case SYN_RETURN:
        return LEAVES_LOOP;
    case SYN_CONTINUE:
        return LEAVES_ROUND;
    case SYN_EXPR:
        return tree->kind[last + 1] == SYN_CALL && ends_run(project, (struct site){block.file, last + 1}) ? LEAVES_RUN
                                                                                                          : LEAVES_NOT;
    default:
        return LEAVES_NOT;
    }
}
