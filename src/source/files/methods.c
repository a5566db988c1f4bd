/* SPDX-License-Identifier: Apache-2.0 */
/* Methods by their class and by their name, and those that run their module as forward() does. */
#include "files.h"

/* self(...) or self.forward(...): it runs the module, so it is given what forward is given. */
static bool calls_forward(const struct syntax *tree, uint32_t node)
{
    if (tree->kind[node] != SYN_CALL)
        return false;
    const uint32_t callee = node + 1;
    const bool forward = tree->kind[callee] == SYN_ATTRIBUTE && str_eq(syntax_tail(tree, callee), S("forward"));
    const uint32_t object = forward ? callee + 1 : callee;
    return tree->kind[object] == SYN_NAME && str_eq(syntax_text(tree, object), S("self"));
}

static void find_who_calls_forward(struct files *files)
{
    files->calls_forward = arena_array(&files->arena, files->function_count, sizeof(bool));
    for (uint32_t f = 0; f < files->function_count; f++) {
        const struct function *function = &files->functions[f];
        const struct syntax *tree = files->at[function->file].shown.tree;
        if (function->class_id == NONE || tree->kind[function->node] != SYN_FUNCTION)
            continue;
        bool found = str_eq(function->name, S("forward"));
        for (uint32_t n = function->node, last = syntax_last(tree, n); n < last && !found; n++)
            found = calls_forward(tree, n);
        files->calls_forward[f] = found;
    }
}

/* `x[:n]`, `range(n)`: what bounds it is a whole number. */
static bool bounds(const struct syntax *tree, uint32_t name)
{
    const uint32_t up = tree->parent[name], call = tree->parent[up];
    return tree->kind[up] == SYN_SLICE ||
           (tree->kind[call] == SYN_CALL && up == syntax_child(tree, call, 1) && syntax_calls(tree, call, S("range")));
}

static uint64_t counts_of(const struct syntax *tree, uint32_t function)
{
    uint64_t counts = 0;
    for (uint32_t n = function, last = syntax_last(tree, n); n < last; n++) {
        if (tree->kind[n] != SYN_NAME || !bounds(tree, n))
            continue;
        uint32_t k = 0;
        const uint32_t list = scope_parameters(tree, function);
        for (uint32_t p = syntax_first(tree, list); p != NONE && k < SUMMARY_PARAMETERS; p = syntax_next(tree, p)) {
            if (tree->kind[p] != SYN_PARAMETER || syntax_is(tree, p + 1, SYN_ABSENT))
                continue;
            if (syntax_same(tree, p + 1, tree, n))
                counts |= UINT64_C(1) << k;
            k++;
        }
    }
    return counts;
}

static void find_counts(struct files *files)
{
    files->counts = arena_array(&files->arena, files->function_count, sizeof *files->counts);
    for (uint32_t f = 0; f < files->function_count; f++)
        if (files->calls_forward[f])
            files->counts[f] = counts_of(files->at[files->functions[f].file].shown.tree, files->functions[f].node);
}

void method_list(struct files *files)
{
    find_who_calls_forward(files);
    find_counts(files);
    files->next_of_name = arena_array(&files->arena, files->function_count + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < files->function_count; f++) {
        const struct function *function = &files->functions[f];
        const struct syntax *tree = files->at[function->file].shown.tree;
        if (function->class_id == NONE || tree->kind[function->node] != SYN_FUNCTION)
            continue;
        const int64_t key = (int64_t)function->class_id << 32 | names_get(files->names, function->name)->id;
        const uint32_t before = map_get(&files->method, key);
        const int64_t name = key & UINT32_MAX;
        if (before == MAP_NONE) {
            const uint32_t count = map_get(&files->method_count, name);
            map_put(&files->method_count, name, count == MAP_NONE ? 1 : count + 1);
            files->next_of_name[f] = map_get(&files->methods_by_name, name);
            map_put(&files->methods_by_name, name, f);
        }
        if (before == MAP_NONE || !files->functions[before].is_property) /* a setter comes behind its property */
            map_put(&files->method, key, f);
    }
}
