/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a backward pass starts from is computed on the device that holds what is trained, and so is what it is computed
 * from: operands, what its methods are called on, what a loss function compares. Back from each backward() of a file.
 */
#include "files.h"
#include "base/mem.h"
#include "source/flow/asks.h"
#include "source/known/known_words.h"

/* An expression behind a loss; sure: it is a tensor, whatever else is said of it. */
struct behind {
    uint32_t node;
    bool sure;
};

struct losses {
    const struct syntax *tree;
    struct flow *flow;
    struct behind *open;
    size_t count, room;
    uint8_t *passed; /* per definition: the bits that it was passed with */
    bool *torch;     /* per slot: an import of torch binds it */
};

static void follow(struct losses *l, uint32_t node, bool sure)
{
    if (node == NONE)
        return;
    l->open = mem_grow(l->open, &l->room, l->count + 1, sizeof *l->open);
    l->open[l->count++] = (struct behind){node, sure};
}

/* ---- names ---- */

static void follow_definition(struct losses *l, uint32_t d, bool sure)
{
    d = flow_resolve(l->flow, d);
    const uint8_t proof = sure ? PROOF_WITH_LOSS | PROOF_TENSOR : PROOF_WITH_LOSS;
    if (d == NONE || (l->passed[d] & proof) == proof)
        return;
    struct def *def = &l->flow->defs[d];
    if (def->shown.kind == DEFINED_IMPORT || def->shown.kind == DEFINED_FUNCTION)
        return;
    l->passed[d] |= proof;
    def->proof |= proof;
    const bool computed = def->shown.kind == DEFINED_ASSIGN || def->shown.kind == DEFINED_AUGMENT;
    if (computed && !def->shown.unpacked)
        follow(l, def->shown.value, sure && def->shown.kind == DEFINED_ASSIGN);
    if (def->shown.kind == DEFINED_AUGMENT)
        follow_definition(l, def->previous, false);
}

static void follow_name(struct losses *l, uint32_t name, bool sure)
{
    const uint32_t d = flow_resolve(l->flow, flow_read_def(l->flow, name));
    if (d == NONE)
        return;
    follow_definition(l, d, sure);
    const struct def *def = &l->flow->defs[d];
    for (uint32_t i = 0; def->shown.kind == DEFINED_MEETING && i < def->operands; i++)
        follow_definition(l, l->flow->operands[def->first_operand + i], false); /* on one way it may be a number */
}

/* ---- calls ---- */

/* import torch.nn.functional as F, from torch import nn */
static bool imports_torch(const struct syntax *tree, const struct def *def)
{
    const uint32_t alias = def->shown.value, statement = tree->parent[alias];
    const str module = syntax_text(tree, tree->kind[statement] == SYN_IMPORT ? alias : syntax_first(tree, statement));
    return str_starts(module, S("torch")) && (module.len == 5 || module.at[5] == '.' || module.at[5] == ' ');
}

static bool *find_torch(const struct syntax *tree, const struct flow *flow)
{
    bool *torch = mem_zeroed(flow->slot_count + (size_t)1);
    for (uint32_t d = 0; d < flow->def_count; d++)
        if (flow->defs[d].shown.kind == DEFINED_IMPORT)
            torch[flow->defs[d].slot] |= imports_torch(tree, &flow->defs[d]);
    return torch;
}

/* torch.f, F.f */
static bool is_of_torch(const struct losses *l, uint32_t node)
{
    while (l->tree->kind[node] == SYN_ATTRIBUTE)
        node = node + 1;
    const uint32_t d = l->tree->kind[node] == SYN_NAME ? flow_resolve(l->flow, flow_read_def(l->flow, node)) : NONE;
    if (d == NONE)
        return false;
    const uint32_t slot = l->flow->defs[d].slot, outer = l->flow->slots[slot].outer;
    return l->torch[outer == NONE ? slot : outer];
}

static void follow_call(struct losses *l, uint32_t call, bool sure)
{
    const struct syntax *tree = l->tree;
    const uint32_t callee = call + 1, argument = syntax_argument(tree, call, 0, NULL);
    if (tree->kind[callee] != SYN_ATTRIBUTE)
        return;
    const str tail = syntax_tail(tree, callee);
    if (is_of_torch(l, callee)) {
        const bool compares = known_word(WORDS_LOSS_FUNCTION, tail);
        follow(l, argument, true);
        follow(l, compares ? syntax_argument(tree, call, 1, "target") : NONE, true);
    } else if (str_eq(tail, S("scale"))) { /* scaler.scale(loss) */
        follow(l, argument, sure);
    } else if (known_word(WORDS_KEEPS_PLACE, tail)) {
        follow(l, callee + 1, sure);
    }
}

/* ---- expressions ---- */

static void follow_expression(struct losses *l, struct behind at)
{
    const struct syntax *tree = l->tree;
    switch (tree->kind[at.node]) {
    case SYN_NAME:
        follow_name(l, at.node, at.sure);
        break;
    case SYN_UNARY:
        follow(l, syntax_first(tree, at.node), at.sure);
        break;
    case SYN_BINARY: /* one of them may be a number */
        follow(l, syntax_child(tree, at.node, 0), false);
        follow(l, syntax_child(tree, at.node, 1), false);
        break;
    case SYN_CALL:
        follow_call(l, at.node, at.sure);
        break;
    default:
        break;
    }
}

static void follow_all(struct losses *l)
{
    while (l->count) {
        const struct behind at = l->open[--l->count];
        follow_expression(l, at);
    }
}

/* `norm = clip_grad_norm_(model.parameters(), 1.0)`: computed from the gradients, where these lie. */
static void prove_norms(const struct losses *l)
{
    for (uint32_t d = 0; d < l->flow->def_count; d++) {
        struct def *def = &l->flow->defs[d];
        if (def->shown.kind == DEFINED_ASSIGN && !def->shown.unpacked && def->shown.value != NONE &&
            calls_one_of(l->tree, def->shown.value, WORDS_NORM_OF_GRADIENTS))
            def->proof |= PROOF_WITH_LOSS;
    }
}

void flow_prove_losses(struct files *files, uint32_t id)
{
    struct file *file = &files->at[id];
    const struct syntax *tree = file->shown.tree;
    struct losses l = {.tree = tree,
                       .flow = &file->flow,
                       .passed = mem_zeroed(file->flow.def_count + (size_t)1),
                       .torch = find_torch(tree, &file->flow)};
    for (uint32_t call = 0; call < tree->count; call++) {
        if (tree->kind[call] != SYN_CALL || tree->kind[call + 1] != SYN_ATTRIBUTE ||
            !known_word(WORDS_BACKWARD, syntax_tail(tree, call + 1)))
            continue;
        if (tree->kind[call + 2] != SYN_NAME) /* of a name it may be accelerator.backward(loss) */
            follow(&l, call + 2, true);
        else
            follow_name(&l, call + 2, false);
        follow(&l, syntax_argument(tree, call, 0, NULL), false);
        follow_all(&l);
    }
    prove_norms(&l);
    mem_free(l.open);
    mem_free(l.passed);
    mem_free(l.torch);
}
