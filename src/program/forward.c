/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"

#include <ctype.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"

static bool is_backward(const struct program_op *op)
{
    return op->phase == PHASE_BACKWARD;
}

void program_forward_by_sequence(struct program_op *ops, uint32_t count, const int64_t *sequences)
{
    struct map last = {0};
    for (uint32_t i = 0; i < count; i++)
        if (sequences[i] >= 0 && !is_backward(&ops[i]) && !ops[i].label)
            map_put(&last, sequences[i], i);
    for (uint32_t i = 0; i < count; i++)
        if (sequences[i] >= 0 && is_backward(&ops[i]) && ops[i].forward == OP_NONE)
            ops[i].forward = map_get(&last, sequences[i]); /* MAP_NONE is OP_NONE */
    map_free(&last);
}

/* ---- by name ---- */

/* "aten::_log_softmax", "LogSoftmaxBackward0" and the engine's call of it: all "logsoftmax". */
static void stem_of(str name, struct buf *stem)
{
    static const str engine = {"autograd::engine::evaluate_function: ", 37};
    buf_clear(stem);
    if (str_starts(name, engine))
        name = str_from(name, engine.len);
    for (size_t i = name.len; i-- > 1;)
        if (name.at[i] == ':' && name.at[i - 1] == ':') {
            name = str_from(name, i + 1);
            break;
        }
    while (name.len && isdigit((unsigned char)name.at[name.len - 1]))
        name.len--;
    if (str_ends(name, S("Backward")))
        name.len -= 8;
    for (size_t i = 0; i < name.len; i++)
        if (name.at[i] != '_')
            buf_char(stem, char_lower(name.at[i]));
}

/* A stack for each stem: the last operator of it, and before each the one below it. */
struct stacks {
    struct intern *stems;
    struct buf stem;
    uint32_t *top, *below; /* by stem; by operator */
};

static uint32_t stem_id(struct stacks *stacks, str name)
{
    stem_of(name, &stacks->stem);
    return intern_id(stacks->stems, buf_str(&stacks->stem));
}

static uint32_t pop(struct stacks *stacks, str name)
{
    const uint32_t stem = stem_id(stacks, name), top = stacks->top[stem];
    if (top != OP_NONE)
        stacks->top[stem] = stacks->below[top];
    return top;
}

/* The engine's call and the node inside it are of one name and share what they belong to. */
static bool repeats(const struct program_op *ops, uint32_t i)
{
    const uint32_t parent = ops[i].parent;
    return parent != OP_NONE && ops[parent].forward != OP_NONE && str_ends(ops[parent].name, ops[i].name);
}

static bool is_node(const struct program_op *op)
{
    return is_backward(op) && str_has(op->name, S("Backward"));
}

/* Flags the stems of the backward nodes: an operator of such a name made one. */
static bool *stems_of_nodes(struct stacks *stacks, const struct program_op *ops, uint32_t count, struct arena *scratch)
{
    bool *stems = arena_array(scratch, (size_t)count + 1, sizeof *stems);
    for (uint32_t i = 0; i < count; i++)
        if (is_node(&ops[i]))
            stems[stem_id(stacks, ops[i].name)] = true;
    return stems;
}

/* What an operator that made a node calls makes none: gradients are off in there. */
static void push_all(struct stacks *stacks, const struct program_op *ops, uint32_t count, struct arena *scratch)
{
    const bool *stems = stems_of_nodes(stacks, ops, count, scratch);
    bool *made = arena_array(scratch, count, sizeof *made); /* it or one around it */
    for (uint32_t i = 0; i < count; i++) {
        const bool inside = ops[i].parent != OP_NONE && made[ops[i].parent];
        made[i] = inside;
        if (is_backward(&ops[i]) || ops[i].label || inside)
            continue;
        const uint32_t stem = stem_id(stacks, ops[i].name);
        made[i] = stems[stem];
        stacks->below[i] = stacks->top[stem];
        stacks->top[stem] = i;
    }
}

void program_forward_by_name(struct program_op *ops, uint32_t count)
{
    struct arena scratch = {0};
    struct stacks stacks = {.stems = intern_new(),
                            .top = arena_array(&scratch, (size_t)count + 1, sizeof *stacks.top), /* and the empty one */
                            .below = arena_array(&scratch, count, sizeof *stacks.below)};
    memset(stacks.top, 0xFF, ((size_t)count + 1) * sizeof *stacks.top); /* OP_NONE */
    push_all(&stacks, ops, count, &scratch);
    for (uint32_t i = 0; i < count; i++)
        if (is_node(&ops[i]) && ops[i].forward == OP_NONE)
            ops[i].forward = repeats(ops, i) ? ops[ops[i].parent].forward : pop(&stacks, ops[i].name);
    buf_free(&stacks.stem);
    intern_free(stacks.stems);
    arena_free(&scratch);
}
