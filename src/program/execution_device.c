/* SPDX-License-Identifier: Apache-2.0 */
/* What the places of tensors tell: which operators work on the host, and what is copied between it and a device. */
#include "build.h"
#include "execution.h"

/* ---- places ---- */

static void count_places(const struct making *m, const struct execution_arguments *arguments, uint32_t *host,
                         uint32_t *elsewhere)
{
    for (uint32_t i = 0; i < arguments->tensors; i++)
        if (m->from->tensors[arguments->first_tensor + i].place == PLACE_HOST)
            ++*host;
        else
            ++*elsewhere;
}

/*
 * Operators whose tensors, and those of all calls inside, lie on the host. Where no device was used at all, what would
 * be put on one is not known.
 */
void making_host_work(struct making *m, const struct program_tree *tree)
{
    uint32_t *elsewhere = arena_array(&m->scratch, tree->count, sizeof *elsewhere);
    uint32_t all = 0;
    for (uint32_t i = tree->count; i-- > 0;) {
        const struct execution_node *node = &m->from->nodes[m->kept[tree->entry_of[i]]];
        struct program_op *op = &m->ops[i];
        uint32_t host = 0;
        count_places(m, &node->inputs, &host, &elsewhere[i]);
        count_places(m, &node->outputs, &host, &elsewhere[i]);
        op->on_host = !op->label && host && !elsewhere[i];
        all += elsewhere[i];
        if (op->parent != OP_NONE && elsewhere[i])
            elsewhere[op->parent]++;
    }
    for (uint32_t i = 0; i < tree->count && !all; i++)
        m->ops[i].on_host = false;
}

/* ---- copies ---- */

static enum copy_direction direction_of(enum tensor_place from, enum tensor_place to)
{
    if (from == PLACE_HOST && to == PLACE_DEVICE)
        return COPY_H2D;
    return from == PLACE_DEVICE && to == PLACE_HOST ? COPY_D2H : COPY_UNKNOWN;
}

/* Of a dry run: x.to(device), without the copy_ inside. */
static bool is_whole_copy(const struct making *m, const struct execution_node *node)
{
    return m->over_mode && m->over_mode[node - m->from->nodes] && str_eq(node->name, S("aten::_to_copy")) &&
           node->inputs.tensors && node->outputs.tensors;
}

/* copy_(to, from, non_blocking), or the read of one number. */
static bool copy_of_node(const struct making *m, const struct execution_node *node, struct program_launch *copy)
{
    const struct execution_tensor *at = &m->from->tensors[node->inputs.first_tensor];
    *copy = program_unrecorded_copy();
    if (str_eq(node->name, S("aten::copy_")) && node->inputs.tensors >= 2) {
        copy->direction = (uint8_t)direction_of(at[1].place, at[0].place);
        copy->bytes = at[1].bytes;
        copy->blocking = !str_has(node->inputs.values, S("\"True\""));
    } else if (is_whole_copy(m, node)) {
        const struct execution_tensor *const to = &m->from->tensors[node->outputs.first_tensor];
        copy->direction = (uint8_t)direction_of(at[0].place, to->place);
        copy->bytes = at[0].bytes;
        copy->blocking = !str_has(node->inputs.values, S("\"True\""));
    } else if (str_eq(node->name, S("aten::_local_scalar_dense")) && node->inputs.tensors == 1) {
        copy->direction = at[0].place == PLACE_DEVICE ? COPY_D2H : COPY_UNKNOWN;
        copy->bytes = at[0].bytes;
    }
    return copy->direction != COPY_UNKNOWN;
}

/* Calls inside come behind the one around it, so going backwards each has all of its own when it is added to it. */
static void count_copies(struct program_op *ops, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (ops[i].parent != OP_NONE)
            ops[ops[i].parent].launches += ops[i].launches;
}

void making_copies(struct making *m, const struct program_tree *tree, struct program *out)
{
    struct program_launch *launches = arena_array(m->arena, tree->count, sizeof *launches);
    for (uint32_t i = 0; i < tree->count; i++) {
        m->ops[i].first_launch = out->launch_count;
        if (m->ops[i].label ||
            !copy_of_node(m, &m->from->nodes[m->kept[tree->entry_of[i]]], &launches[out->launch_count]))
            continue;
        launches[out->launch_count].op = i;
        launches[out->launch_count++].thread = m->ops[i].thread;
        m->ops[i].launches = 1;
    }
    count_copies(m->ops, tree->count);
    out->launches = launches;
    out->streams = out->launch_count > 0;
}
