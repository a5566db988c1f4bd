/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about definitions and uses, answered from what flow_build.c has laid down. */
#include "contexts.h"

#include "base/mem.h"
#include "known_words.h"

/* The definition of the object: changes of its content are looked through. */
static uint32_t object_def(const struct flow *flow, uint32_t def)
{
    def = flow_resolve(flow, def);
    while (def != NONE && flow->defs[def].shown.kind == DEFINED_CHANGE)
        def = flow_resolve(flow, flow->defs[def].previous);
    return def;
}

static bool is_binding(const struct flow *flow, uint32_t node)
{
    return flow->def_of[node] != NONE && flow->defs[flow->def_of[node]].shown.name == node &&
           flow->defs[flow->def_of[node]].shown.kind != DEFINED_OUTSIDE;
}

enum { MOST_WAYS = 4096 };

struct reach {
    const struct flow *flow;
    uint32_t *list; /* definitions met, each once */
    size_t count, room;
};

static bool met(const struct reach *reach, uint32_t def)
{
    for (size_t i = reach->count; i--;)
        if (reach->list[i] == def)
            return true;
    return false;
}

static void meet(struct reach *reach, uint32_t def)
{
    if (def == NONE || met(reach, def))
        return;
    reach->list = mem_grow(reach->list, &reach->room, reach->count + 1, sizeof *reach->list);
    reach->list[reach->count++] = def;
}

/* A variable that nobody has bound has no definition to show; nor has a place where ways meet. */
static bool is_shown(const struct flow *flow, const struct def *def)
{
    const struct slot *slot = &flow->slots[def->slot];
    const bool unbound = def->shown.kind == DEFINED_OUTSIDE && !slot->outside && slot->outer == NONE;
    return def->shown.kind != DEFINED_MEETING && !unbound;
}

uint32_t flow_definitions(const struct project *project, struct site use, const struct definition **found,
                          uint32_t room)
{
    const struct file *file = &project->files.at[use.file];
    if (file->shown.tree->kind[use.node] != SYN_NAME)
        return 0;
    const struct flow *flow = &file->flow;
    struct reach reach = {.flow = flow};
    uint32_t count = 0;
    meet(&reach, object_def(flow, flow_read_def(flow, use.node)));
    for (size_t i = 0; i < reach.count && i < MOST_WAYS && count <= room; i++) {
        const struct def *def = &flow->defs[reach.list[i]];
        for (uint32_t k = 0; def->shown.kind == DEFINED_MEETING && k < def->operands; k++)
            meet(&reach, object_def(flow, flow->operands[def->first_operand + k]));
        if (is_shown(flow, def) && count++ < room)
            found[count - 1] = &def->shown;
    }
    mem_free(reach.list);
    return count;
}

const struct definition *flow_definition(const struct project *project, struct site use)
{
    const struct definition *found[2];
    return flow_definitions(project, use, found, 2) == 1 ? found[0] : NULL;
}

const struct definition *flow_bound(const struct project *project, struct site name)
{
    const struct flow *flow = &project->files.at[name.file].flow;
    return is_binding(flow, name.node) ? &flow->defs[flow->def_of[name.node]].shown : NULL;
}

/* ---- from a definition to its uses ---- */

static uint32_t number_of(const struct flow *flow, const struct definition *definition)
{
    return (uint32_t)((const struct def *)definition - flow->defs);
}

uint32_t flow_uses(const struct project *project, uint32_t id, const struct definition *definition, uint32_t *uses,
                   uint32_t room)
{
    const struct flow *flow = &project->files.at[id].flow;
    const struct reached reached = flow->groups[flow->group[number_of(flow, definition)]];
    for (uint32_t i = 0; i < reached.count && i < room; i++)
        uses[i] = flow->reached[reached.first + i];
    return reached.count;
}

uint32_t flow_inner_uses(const struct project *project, uint32_t file, const struct definition *definition,
                         uint32_t *uses, uint32_t room)
{
    const struct flow *flow = &project->files.at[file].flow;
    const uint32_t variable = flow->defs[number_of(flow, definition)].slot;
    uint32_t count = 0;
    for (uint32_t d = 0; flow->slots[variable].shared && d < flow->def_count; d++)
        if (flow->defs[d].shown.kind == DEFINED_OUTSIDE && flow->slots[flow->defs[d].slot].outer == variable) {
            const uint32_t left = count < room ? room - count : 0;
            count += flow_uses(project, file, &flow->defs[d].shown, left ? uses + count : NULL, left);
        }
    return count;
}

bool flow_escapes(const struct project *project, uint32_t file, const struct definition *definition)
{
    const struct flow *flow = &project->files.at[file].flow;
    const struct slot *slot = &flow->slots[flow->defs[number_of(flow, definition)].slot];
    return slot->shared || slot->outer != NONE || definition->function == 0;
}

/* ---- changes ---- */

/* The name at the bottom of `a.b[c].d`; NONE. */
static uint32_t base_name(const struct syntax *tree, uint32_t node)
{
    while (tree->kind[node] == SYN_ATTRIBUTE || tree->kind[node] == SYN_SUBSCRIPT)
        node++;
    return tree->kind[node] == SYN_NAME ? node : NONE;
}

static bool is_target(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node, parent = tree->parent[at];
    while (tree->kind[parent] == SYN_TUPLE || tree->kind[parent] == SYN_LIST || tree->kind[parent] == SYN_STARRED) {
        at = parent;
        parent = tree->parent[at];
    }
    switch (tree->kind[parent]) {
    case SYN_ASSIGN:
        return at != syntax_last_child(tree, parent);
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

/* Whether the node, an occurrence of what is asked about, binds or changes it. */
static bool occurrence_changes(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node;
    if (is_target(tree, at))
        return true;
    while (true) {
        const uint32_t parent = tree->parent[at];
        const bool object = at == parent + 1;
        if (!object || (tree->kind[parent] != SYN_SUBSCRIPT && tree->kind[parent] != SYN_ATTRIBUTE))
            return false;
        if (is_target(tree, parent))
            return true;
        const uint32_t call = tree->parent[parent];
        if (tree->kind[parent] == SYN_ATTRIBUTE && tree->kind[call] == SYN_CALL && call + 1 == parent)
            return method_changes(syntax_tail(tree, parent), tree->kind[tree->parent[call]] == SYN_EXPR);
        at = parent;
    }
}

bool flow_use_changes(const struct project *project, struct site use)
{
    return occurrence_changes(project_tree(project, use.file), use.node);
}

bool flow_changes(const struct project *project, struct site expression, uint32_t within)
{
    const struct syntax *tree = project_tree(project, expression.file);
    const uint32_t base = base_name(tree, expression.node);
    if (base == NONE)
        return true;
    const enum syntax_kind kind = tree->kind[expression.node];
    for (uint32_t node = within, last = syntax_last(tree, within); node < last; node++) {
        if (tree->kind[node] != kind || !syntax_same(tree, node, tree, expression.node))
            continue;
        if (kind == SYN_NAME && tree->kind[tree->parent[node]] == SYN_ATTRIBUTE && node != tree->parent[node] + 1)
            continue;
        if (kind == SYN_NAME && tree->kind[tree->parent[node]] == SYN_KEYWORD && node == tree->parent[node] + 1)
            continue;
        if (occurrence_changes(tree, node))
            return true;
    }
    return kind != SYN_NAME && flow_changes(project, (struct site){expression.file, base}, within) &&
           !syntax_is(tree, expression.node, SYN_NAME);
}

/* ---- attributes ---- */

static bool descends(const struct project *project, uint32_t class_id, uint32_t from, int depth)
{
    if (class_id == from)
        return true;
    const struct class_data *data = &project->cells.classes[class_id];
    for (uint32_t b = 0; depth < 16 && b < data->base_count; b++)
        if (descends(project, data->bases[b], from, depth + 1))
            return true;
    return false;
}

uint32_t attribute_bindings(const struct project *project, uint32_t class_id, str name, struct site *found,
                            uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < project->files.class_count; c++) {
        if (!descends(project, c, class_id, 0) && !descends(project, class_id, c, 0))
            continue;
        const uint32_t file = project->files.classes[c].file;
        const struct syntax *tree = project_tree(project, file);
        const uint32_t at = project->files.classes[c].node;
        for (uint32_t node = at, last = syntax_last(tree, at); node < last; node++) {
            if (tree->kind[node] != SYN_ATTRIBUTE || !syntax_is(tree, node + 1, SYN_NAME) ||
                !str_eq(syntax_text(tree, node + 1), S("self")) || !str_eq(syntax_tail(tree, node), name) ||
                !is_target(tree, node))
                continue;
            if (count < room)
                found[count] = (struct site){file, node};
            count++;
        }
    }
    return count;
}
