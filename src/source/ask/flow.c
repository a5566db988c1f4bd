/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about definitions and uses, answered from what flow_build.c has laid down. */
#include "flow.h"

#include "base/mem.h"
#include "rounds.h"

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

static const struct limit many_definitions = {
    "definitions",
    "a name may be bound in more than 64 places, or by more than 4,096 ways; the others are not looked at"};
static const struct limit many_uses = {"uses", "a name is read in more than 64 places; the others are not looked at"};

struct reach {
    const struct flow *flow;
    uint32_t *list; /* definitions met, each once */
    size_t count, room;
    uint32_t shown, enough; /* definitions in it that are shown: more than enough need not be met */
};

static bool met(const struct reach *reach, uint32_t def)
{
    for (size_t i = reach->count; i--;)
        if (reach->list[i] == def)
            return true;
    return false;
}

/* A variable that nobody has bound has no definition to show; nor has a place where ways meet. */
static bool is_shown(const struct flow *flow, const struct def *def)
{
    const struct slot *slot = &flow->slots[def->slot];
    const bool unbound = def->shown.kind == DEFINED_OUTSIDE && !slot->outside && slot->outer == NONE;
    return def->shown.kind != DEFINED_MEETING && !unbound;
}

static void meet(struct reach *reach, uint32_t def)
{
    if (def == NONE || met(reach, def))
        return;
    reach->list = mem_grow(reach->list, &reach->room, reach->count + 1, sizeof *reach->list);
    reach->list[reach->count++] = def;
    reach->shown += is_shown(reach->flow, &reach->flow->defs[def]);
}

/* *cut: there are more ways than are gone, so that others may bind it too. */
static uint32_t find_definitions(const struct project *project, struct site use, const struct definition **found,
                                 uint32_t room, bool *cut)
{
    const struct file *file = &project->files.at[use.file];
    if (file->shown.tree->kind[use.node] != SYN_NAME)
        return 0;
    const struct flow *flow = &file->flow;
    struct reach reach = {.flow = flow, .enough = room};
    uint32_t count = 0;
    meet(&reach, object_def(flow, flow_read_def(flow, use.node)));
    size_t i = 0;
    for (; i < reach.count && i < MOST_WAYS && count <= room; i++) {
        const struct def *def = &flow->defs[reach.list[i]];
        const uint32_t operands = def->shown.kind == DEFINED_MEETING ? def->operands : 0;
        for (uint32_t k = 0; k < operands && reach.shown <= reach.enough; k++)
            meet(&reach, object_def(flow, flow->operands[def->first_operand + k]));
        if (is_shown(flow, def) && count++ < room)
            found[count - 1] = &def->shown;
    }
    *cut = i == MOST_WAYS && i < reach.count && count <= room;
    if (*cut || (room == FLOW_MOST_DEFINITIONS && count > room))
        project_limit(project, &many_definitions, use);
    mem_free(reach.list);
    return count;
}

uint32_t flow_definitions(const struct project *project, struct site use, const struct definition **found,
                          uint32_t room)
{
    bool cut;
    return find_definitions(project, use, found, room, &cut);
}

const struct definition *flow_definition(const struct project *project, struct site use)
{
    const struct definition *found[2];
    bool cut;
    return find_definitions(project, use, found, 2, &cut) == 1 && !cut ? found[0] : NULL;
}

const struct definition *flow_bound(const struct project *project, struct site name)
{
    const struct flow *flow = &project->files.at[name.file].flow;
    return is_binding(flow, name.node) ? &flow->defs[flow->def_of[name.node]].shown : NULL;
}

bool flow_trains(const struct project *project, struct site use)
{
    const struct flow *flow = &project->files.at[use.file].flow;
    const uint32_t d = flow_resolve(flow, flow_read_def(flow, use.node));
    return d != NONE && flow->defs[d].proof & (PROOF_LOSS | PROOF_WITH_LOSS);
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
    if (room == FLOW_MOST_USES && reached.count > room && definition->name != NONE)
        project_limit(project, &many_uses, (struct site){id, definition->name});
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
    if (room == FLOW_MOST_USES && count > room && definition->name != NONE)
        project_limit(project, &many_uses, (struct site){file, definition->name});
    return count;
}

bool flow_escapes(const struct project *project, uint32_t file, const struct definition *definition)
{
    const struct flow *flow = &project->files.at[file].flow;
    const struct slot *slot = &flow->slots[flow->defs[number_of(flow, definition)].slot];
    return slot->shared || slot->outer != NONE || definition->function == 0;
}

/* ---- changes ---- */

bool flow_changes(const struct project *project, struct site expression, uint32_t within)
{
    const struct file *file = &project->files.at[expression.file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t base = changes_base(tree, expression.node);
    if (base == NONE)
        return true;
    return changes_below(&file->changes, tree, expression.node, within) ||
           (base != expression.node && changes_below(&file->changes, tree, base, within));
}

bool flow_use_changes(const struct project *project, struct site use)
{
    return changes_by_use(project_tree(project, use.file), use.node);
}
