/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

#include "base/hash.h"
#include "base/search.h"

/* An `elif`, and the `if` that its chain begins with. */
struct elif {
    uint32_t node, head;
};

struct syntax_index {
    uint32_t *names;  /* SYN_NAME nodes by bucket of their text, in order within one */
    uint32_t *bucket; /* bucket b is names[bucket[b + 1]] to names[bucket[b + 2]] */
    uint32_t mask;
    uint32_t *statements; /* in order; see syntax_statement */
    uint32_t statement_count;
    uint32_t *functions; /* functions and lambdas, in order */
    uint32_t *outer;     /* per function: place of the one around it; SYNTAX_NONE */
    uint32_t function_count;
    struct elif *elifs; /* in order */
    uint32_t elif_count;
};

static bool is_elif(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_IF && tree->kind[tree->parent[node]] == SYN_IF && node;
}

static bool is_function(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_FUNCTION || tree->kind[node] == SYN_LAMBDA;
}

/* An opaque pattern or module name is no statement, nor is an `elif`, for nothing can be put before it. */
static bool stands_as_statement(const struct syntax *tree, uint32_t node)
{
    if (!syntax_is_statement(tree->kind[node]))
        return false;
    const enum syntax_kind around = tree->kind[tree->parent[node]];
    return around == SYN_MODULE || around == SYN_BLOCK || around == SYN_DECORATED;
}

static uint32_t bucket_of(const struct syntax_index *index, str text)
{
    return (uint32_t)hash_bytes(text.at, text.len) & index->mask;
}

static uint32_t head_of(const struct syntax_index *index, const struct syntax *tree, uint32_t node)
{
    if (!is_elif(tree, node))
        return node;
    return index->elifs[search_from(index->elifs, index->elif_count, sizeof *index->elifs, 0, node)].head;
}

/* ---- building ---- */

struct counts {
    uint32_t names, statements, functions, elifs;
};

static struct counts count_all(const struct syntax *tree)
{
    struct counts counts = {0};
    for (uint32_t node = 0; node < tree->count; node++) {
        counts.names += tree->kind[node] == SYN_NAME;
        counts.statements += stands_as_statement(tree, node);
        counts.functions += is_function(tree, node);
        counts.elifs += is_elif(tree, node);
    }
    return counts;
}

static void add_function(struct syntax_index *index, const struct syntax *tree, uint32_t node, uint32_t *around)
{
    while (*around != SYNTAX_NONE && node >= syntax_last(tree, index->functions[*around]))
        *around = index->outer[*around];
    index->functions[index->function_count] = node;
    index->outer[index->function_count] = *around;
    *around = index->function_count++;
}

/* The one before it in its chain is listed, unless that is the `if` of the chain. */
static void add_elif(struct syntax_index *index, const struct syntax *tree, uint32_t node)
{
    const uint32_t head = head_of(index, tree, tree->parent[node]);
    index->elifs[index->elif_count++] = (struct elif){node, head};
}

static void list_names(struct syntax_index *index, const struct syntax *tree, uint32_t count)
{
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_NAME)
            index->bucket[bucket_of(index, syntax_text(tree, node)) + 1]++;
    for (uint32_t i = 0; i <= index->mask; i++)
        index->bucket[i + 1] += index->bucket[i];
    index->bucket[index->mask + 2] = count;
    for (uint32_t node = tree->count;
         node--;) /* from the back: a bucket is filled from its end, which becomes its begin */
        if (tree->kind[node] == SYN_NAME)
            index->names[--index->bucket[bucket_of(index, syntax_text(tree, node)) + 1]] = node;
}

void index_build(struct arena *arena, struct syntax *tree)
{
    const struct counts counts = count_all(tree);
    struct syntax_index *index = arena_alloc(arena, sizeof *index);
    *index = (struct syntax_index){0};
    while (index->mask < counts.names / 4)
        index->mask = index->mask * 2 + 1;
    index->bucket = arena_array(arena, index->mask + 3, sizeof *index->bucket);
    index->names = arena_array(arena, counts.names, sizeof *index->names);
    index->statements = arena_array(arena, counts.statements, sizeof *index->statements);
    index->functions = arena_array(arena, counts.functions, sizeof *index->functions);
    index->outer = arena_array(arena, counts.functions, sizeof *index->outer);
    index->elifs = arena_array(arena, counts.elifs, sizeof *index->elifs);
    uint32_t around = SYNTAX_NONE;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (stands_as_statement(tree, node))
            index->statements[index->statement_count++] = node;
        if (is_function(tree, node))
            add_function(index, tree, node, &around);
        if (is_elif(tree, node))
            add_elif(index, tree, node);
    }
    list_names(index, tree, counts.names);
    tree->index = index;
}

/* ---- asking ---- */

/* The last of a list that is not behind the node; SYNTAX_NONE. */
static uint32_t last_before(const uint32_t *list, uint32_t count, uint32_t node)
{
    const size_t behind = search_from(list, count, sizeof *list, 0, node + 1);
    return behind ? (uint32_t)behind - 1 : SYNTAX_NONE;
}

/* Mostly the last statement that begins before the node; an expression behind blocks of its statement climbs. */
uint32_t syntax_statement(const struct syntax *tree, uint32_t node)
{
    const struct syntax_index *index = tree->index;
    const uint32_t at = last_before(index->statements, index->statement_count, node);
    if (at != SYNTAX_NONE && syntax_inside(tree, node, index->statements[at]))
        return index->statements[at];
    while (node && !stands_as_statement(tree, node))
        node = is_elif(tree, node) ? head_of(index, tree, node) : tree->parent[node];
    return node;
}

uint32_t syntax_if_head(const struct syntax *tree, uint32_t node)
{
    return head_of(tree->index, tree, node);
}

uint32_t syntax_elif_from(const struct syntax *tree, uint32_t from)
{
    const struct syntax_index *index = tree->index;
    const size_t at = search_from(index->elifs, index->elif_count, sizeof *index->elifs, 0, from);
    return at < index->elif_count ? index->elifs[at].node : SYNTAX_NONE;
}

uint32_t syntax_function(const struct syntax *tree, uint32_t node)
{
    const struct syntax_index *index = tree->index;
    uint32_t at = node ? last_before(index->functions, index->function_count, node - 1) : SYNTAX_NONE;
    while (at != SYNTAX_NONE && node >= syntax_last(tree, index->functions[at]))
        at = index->outer[at];
    return at == SYNTAX_NONE ? SYNTAX_NONE : index->functions[at];
}

uint32_t syntax_name_from(const struct syntax *tree, str text, uint32_t from, uint32_t to)
{
    const struct syntax_index *index = tree->index;
    const uint32_t bucket = bucket_of(index, text);
    const uint32_t first = index->bucket[bucket + 1], last = index->bucket[bucket + 2];
    size_t i = first + search_from(index->names + first, last - first, sizeof *index->names, 0, from);
    for (; i < last && index->names[i] < to; i++)
        if (str_eq(syntax_text(tree, index->names[i]), text))
            return index->names[i];
    return SYNTAX_NONE;
}

/* The call whose callee ends with the name; SYNTAX_NONE. */
static uint32_t call_by(const struct syntax *tree, uint32_t name)
{
    const uint32_t parent = tree->parent[name];
    const bool part = tree->kind[parent] == SYN_ATTRIBUTE && name != parent + 1;
    const uint32_t callee = part ? parent : name, call = tree->parent[callee];
    return tree->kind[call] == SYN_CALL && callee == call + 1 ? call : SYNTAX_NONE;
}

uint32_t syntax_call_from(const struct syntax *tree, str method, uint32_t *from, uint32_t to)
{
    for (;;) {
        const uint32_t name = syntax_name_from(tree, method, *from, to);
        if (name == SYNTAX_NONE)
            return SYNTAX_NONE;
        *from = name + 1;
        const uint32_t call = call_by(tree, name);
        if (call != SYNTAX_NONE)
            return call;
    }
}
