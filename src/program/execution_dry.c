/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of a dry run: what is left of its operators when those are taken away that its mode needed to find shapes. An operator
 * is the node around the mode's; what lies below that is the mode's own. An annotation is an operator for the mode as well,
 * which begins inside: so a mode outside of any operator is a door, and the annotation behind it stays.
 */
#include "execution.h"

#include "ops/operators/operators.h"

bool execution_is_mode(const struct execution_node *node)
{
    return str_eq(node->name, S("PythonDispatchMode"));
}

const bool *making_find_modes(struct making *m)
{
    bool *over = arena_array(&m->scratch, m->from->count, sizeof *over), any = false;
    for (uint32_t i = 0; i < m->from->count; i++) {
        const struct execution_node *node = &m->from->nodes[i];
        if (!execution_is_mode(node))
            continue;
        any = true;
        if (node->parent != EXECUTION_NONE)
            over[node->parent] = true;
    }
    return any ? over : NULL;
}

/* To copy a tensor without data its mode makes one without memory, by no operator of the script. */
static bool makes_copy(const struct making *m, uint32_t node)
{
    const str name = m->from->nodes[node].name;
    return !m->over_mode[node] && (str_eq(name, S("aten::empty_strided")) || str_eq(name, S("aten::set_")));
}

bool making_is_of_mode(const struct making *m, uint32_t at, bool inside)
{
    const struct execution_node *node = &m->from->nodes[at];
    if (!m->over_mode)
        return false;
    if (str_starts(node->name, S("steptime::"))) /* a mark */
        return true;
    const bool below = node->parent != EXECUTION_NONE && execution_is_mode(&m->from->nodes[node->parent]);
    if (execution_is_mode(node) || below)
        return inside || !(execution_is_mode(node) || execution_is_label(node));
    return makes_copy(m, at);
}

/*
 * Calls inside an operator were the mode's, if there were any. Of one that makes a tensor out of none, or whose calls alone
 * say how large they are, the size is that of the output.
 */
bool making_reads_output(const struct making *m, const struct execution_node *node)
{
    return m->over_mode && m->over_mode[node - m->from->nodes] && node->outputs.tensors &&
           (!node->inputs.tensors || operator_fills(node->name));
}
