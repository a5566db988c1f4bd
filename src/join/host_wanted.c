/* SPDX-License-Identifier: Apache-2.0 */
#include "host_wanted.h"

#include "fit.h"
#include "function.h"
#include "syntax/syntax.h"

static bool is_constructor(str name)
{
    static const char *const names[] = {"Tensor",    "FloatTensor", "DoubleTensor", "HalfTensor", "LongTensor",
                                        "IntTensor", "ShortTensor", "ByteTensor",   "BoolTensor", "CharTensor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static str name_called(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_CALL ? syntax_tail(tree, syntax_first(tree, node)) : S("");
}

static bool is_alike(const struct host_wanted *wanted, str name)
{
    return wanted->is_constructor ? is_constructor(name) : str_eq(name, wanted->name);
}

static bool is_comprehension(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_LIST_COMP || tree->kind[node] == SYN_SET_COMP || tree->kind[node] == SYN_DICT_COMP ||
           tree->kind[node] == SYN_GENERATOR;
}

/* Whether the node lies in what the first `for` of a loop in brackets goes over. */
static bool is_outer_iterable(const struct syntax *tree, uint32_t comprehension, uint32_t part, uint32_t node)
{
    const uint32_t first_for = syntax_last(tree, syntax_first(tree, comprehension));
    return part == first_for && node >= syntax_last(tree, syntax_first(tree, first_for));
}

/* What a call is made from, with a frame of its own or without; the first iterable of a loop in brackets is made outside of it. */
static uint32_t scope_of(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node, below = node;
    for (; at && at != SYNTAX_NONE && tree->kind[at] != SYN_FUNCTION; below = at, at = tree->parent[at]) {
        if (tree->kind[at] == SYN_LAMBDA)
            return at;
        if (is_comprehension(tree, at) && below != at && !is_outer_iterable(tree, at, below, node))
            return at;
    }
    return at == SYNTAX_NONE ? 0 : at;
}

/* Those before the call count for its order. */
static void number_call(const struct syntax *tree, uint32_t call, struct host_wanted *wanted)
{
    const uint32_t function = locate_node(tree, call), scope = scope_of(tree, call);
    for (uint32_t node = function, last = syntax_last(tree, function); node < last; node++) {
        if (tree->kind[node] != SYN_CALL || !is_alike(wanted, name_called(tree, node)) || scope_of(tree, node) != scope)
            continue;
        wanted->order += node < call;
        wanted->calls++;
    }
    if (scope && tree->kind[scope] != SYN_FUNCTION) {
        wanted->scope_line = syntax_place(tree, tree->begin[scope]).line;
        wanted->scope = scope;
    }
}

static bool holds_comprehension(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node, last = syntax_last(tree, node); at < last; at++)
        if (is_comprehension(tree, at))
            return true;
    return false;
}

/* The copy to the device, the built-in, or the call that the finding underlines. */
static uint32_t call_of(const struct syntax *tree, const struct match *match)
{
    if (!match->builtin.len)
        return match->upload ? match->upload : match->node;
    for (uint32_t node = match->node, last = syntax_last(tree, node); node < last; node++)
        if (str_eq(name_called(tree, node), match->builtin))
            return node;
    return match->node;
}

struct host_wanted host_wanted_of(const struct lint *lint, const struct match *match)
{
    const struct syntax *const tree = lint->files[match->file].tree;
    const uint32_t call = call_of(tree, match);
    struct host_wanted wanted = {.name = name_called(tree, call)};
    wanted.is_constructor = is_constructor(wanted.name);
    wanted.first_line = syntax_place(tree, match->begin).line;
    wanted.last_line = syntax_place(tree, match->end).line;
    wanted.is_search = tree->kind[match->node] == SYN_SUBSCRIPT && str_eq(match->builtin, S("where"));
    const bool gathers = is_comprehension(tree, match->node) || showing_of(match->rule).shows & SHOWS_LOOP;
    wanted.is_loop = gathers && holds_comprehension(tree, match->node);
    if (wanted.name.len)
        number_call(tree, call, &wanted);
    return wanted;
}
