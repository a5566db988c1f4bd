/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "source/known/known_words.h"

uint32_t changes_base(const struct syntax *tree, uint32_t node)
{
    while (tree->kind[node] == SYN_ATTRIBUTE || tree->kind[node] == SYN_SUBSCRIPT)
        node++;
    return tree->kind[node] == SYN_NAME ? node : NONE;
}

bool changes_is_target(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node, parent = tree->parent[at];
    while (tree->kind[parent] == SYN_TUPLE || tree->kind[parent] == SYN_LIST || tree->kind[parent] == SYN_STARRED) {
        at = parent;
        parent = tree->parent[at];
    }
    switch (tree->kind[parent]) {
    case SYN_ASSIGN:
        return syntax_last(tree, at) != syntax_last(tree, parent); /* but the value, which stands last */
    case SYN_AUG_ASSIGN:
    case SYN_ANN_ASSIGN:
    case SYN_FOR:
    case SYN_COMP_FOR:
        return at == parent + 1;
    case SYN_DELETE:
        return true;
    default:
        return false;
    }
}

/* A move as a statement of its own is that of a module; any other gives another tensor. */
static bool method_changes(str method, bool alone)
{
    if (known_word(WORDS_MOVE_TO_DEVICE, method))
        return alone;
    if (known_word(WORDS_CHANGE, method))
        return true;
    return method.len > 1 && method.at[method.len - 1] == '_' && !str_ends(method, S("__"));
}

/* The attribute or item of the node that is asked for where it stands; NONE. */
static uint32_t part_asked_for(const struct syntax *tree, uint32_t node)
{
    const uint32_t parent = tree->parent[node];
    const bool object = node == parent + 1;
    return object && (tree->kind[parent] == SYN_SUBSCRIPT || tree->kind[parent] == SYN_ATTRIBUTE) ? parent : NONE;
}

static bool is_called(const struct syntax *tree, uint32_t part)
{
    const uint32_t call = tree->parent[part];
    return tree->kind[part] == SYN_ATTRIBUTE && tree->kind[call] == SYN_CALL && call + 1 == part;
}

static bool call_changes(const struct syntax *tree, uint32_t part)
{
    const bool alone = tree->kind[tree->parent[tree->parent[part]]] == SYN_EXPR;
    return method_changes(syntax_tail(tree, part), alone);
}

bool changes_by_use(const struct syntax *tree, uint32_t use)
{
    for (uint32_t at = use; at != NONE; at = part_asked_for(tree, at)) {
        if (changes_is_target(tree, at))
            return true;
        const uint32_t part = part_asked_for(tree, at);
        if (part != NONE && is_called(tree, part))
            return changes_is_target(tree, part) || call_changes(tree, part);
    }
    return false;
}

/* ---- the index ---- */

/* Names of attributes and of keywords are none. */
static bool is_read_by_name(const struct syntax *tree, uint32_t node)
{
    const uint32_t parent = tree->parent[node];
    switch (tree->kind[node]) {
    case SYN_NAME:
        return !(tree->kind[parent] == SYN_ATTRIBUTE && node != parent + 1) &&
               !(tree->kind[parent] == SYN_KEYWORD && node == parent + 1);
    case SYN_ATTRIBUTE:
    case SYN_SUBSCRIPT:
        return true;
    default:
        return false;
    }
}

/* Of an item the last name of what it is taken from. */
static uint32_t key_of(const struct syntax *tree, uint32_t node)
{
    const enum syntax_kind kind = tree->kind[node];
    while (tree->kind[node] == SYN_SUBSCRIPT)
        node++;
    const str tail = syntax_tail(tree, node);
    return (uint32_t)hash_bytes(tail.at, tail.len) ^ (uint32_t)kind;
}

static int by_key(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->node < y->node ? -1 : x->node > y->node;
}

/* Parts come before what they are parts of, so what changes a part is known when its object is met. */
void changes_build(struct changes *changes, const struct syntax *tree)
{
    bool *changed = mem_zeroed(tree->count);
    for (uint32_t node = 0; node < tree->count; node++) {
        if (!is_read_by_name(tree, node))
            continue;
        const uint32_t part = part_asked_for(tree, node);
        changed[node] = changes_is_target(tree, node) ||
                        (part != NONE && (changed[part] || (is_called(tree, part) && call_changes(tree, part))));
        if (!changed[node])
            continue;
        changes->at = mem_grow(changes->at, &changes->room, changes->count + 1, sizeof *changes->at);
        changes->at[changes->count++] = (struct change){key_of(tree, node), node};
    }
    mem_free(changed);
    if (changes->count)
        qsort(changes->at, changes->count, sizeof *changes->at, by_key);
}

/* The first that is not before the node. */
static size_t find(const struct changes *changes, uint32_t key, uint32_t node)
{
    size_t from = 0, to = changes->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (by_key(&changes->at[middle], &(struct change){key, node}) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool changes_below(const struct changes *changes, const struct syntax *tree, uint32_t expression, uint32_t within)
{
    const uint32_t key = key_of(tree, expression), last = syntax_last(tree, within);
    for (size_t i = find(changes, key, within);
         i < changes->count && changes->at[i].key == key && changes->at[i].node < last; i++)
        if (syntax_same(tree, changes->at[i].node, tree, expression))
            return true;
    return false;
}
