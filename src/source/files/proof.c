/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What uses of a name prove about what it holds: that .unsqueeze() is called on it
 * makes it a tensor. A method that a class of the run has too proves nothing.
 */
#include "files.h"
#include "source/known/known_words.h"

struct proving {
    const struct files *files;
    const struct syntax *tree;
};

static bool is_taken(const struct proving *p, str method)
{
    return map_get(&p->files->method_count, names_get(p->files->names, method)->id) != MAP_NONE;
}

/* scaler.scale(loss).backward() */
static bool is_scaled_loss(const struct syntax *tree, uint32_t name)
{
    const uint32_t list = tree->parent[name], call = tree->parent[list], attribute = tree->parent[call];
    return tree->kind[list] == SYN_ARGUMENTS && syntax_calls(tree, call, S("scale")) &&
           syntax_is(tree, attribute, SYN_ATTRIBUTE) && known_word(WORDS_BACKWARD, syntax_tail(tree, attribute));
}

/* x.numpy() raises where x lies on the device; x.numpy(force=True) copies. */
static uint8_t proof_of_array(const struct syntax *tree, uint32_t call)
{
    const bool copies = syntax_is(tree, syntax_argument(tree, call, 0, "force"), SYN_TRUE);
    return copies ? PROOF_TENSOR : PROOF_TENSOR | PROOF_CPU;
}

static uint8_t proof_of(const struct proving *p, uint32_t name)
{
    const struct syntax *tree = p->tree;
    if (is_scaled_loss(tree, name))
        return PROOF_TENSOR | PROOF_LOSS;
    uint32_t object = name;
    for (int links = 0; links < 4; links++) {
        const uint32_t attribute = tree->parent[object];
        if (!syntax_is(tree, attribute, SYN_ATTRIBUTE) || object != attribute + 1)
            return 0;
        const str tail = syntax_text(tree, syntax_child(tree, attribute, 1));
        const uint32_t call = tree->parent[attribute];
        const bool called = syntax_is(tree, call, SYN_CALL) && attribute == call + 1;
        if (str_eq(tail, S("numpy")) && called)
            return proof_of_array(tree, call);
        if (str_eq(tail, S("cpu")) && called)
            return PROOF_FETCHED;
        if (links == 0 && called && known_word(WORDS_BACKWARD, tail))
            return PROOF_TENSOR | PROOF_LOSS;
        if (links == 0 && known_word(WORDS_ONLY_TENSORS_HAVE, tail) && !is_taken(p, tail))
            return PROOF_TENSOR;
        if (links == 0 && called && known_word(WORDS_READ_ITEMS, tail))
            return PROOF_ITEM;
        if (links == 0 && called && str_eq(tail, S("size")) && !is_taken(p, tail))
            return PROOF_TENSOR;
        if (links == 0 && called && known_word(WORDS_ONLY_MODULES_HAVE, tail) && !is_taken(p, tail))
            return PROOF_MODULE;
        if (str_eq(tail, S("data")))
            object = attribute;
        else
            return 0;
    }
    return 0;
}

/* x[::10].numpy(), x[:, 0].numpy(); of x[0] it may be a list. */
static uint8_t proof_behind_slice(const struct proving *p, uint32_t name)
{
    const struct syntax *tree = p->tree;
    const uint32_t part = tree->parent[name], attribute = tree->parent[part], call = tree->parent[attribute];
    if (tree->kind[part] != SYN_SUBSCRIPT || name != part + 1 || !syntax_is(tree, attribute, SYN_ATTRIBUTE) ||
        !syntax_is(tree, call, SYN_CALL) || attribute != call + 1 || !str_eq(syntax_tail(tree, attribute), S("numpy")))
        return 0;
    const uint32_t index = syntax_child(tree, part, 1);
    const bool sliced = syntax_is(tree, index, SYN_SLICE) || syntax_is(tree, index, SYN_TUPLE);
    return sliced ? proof_of_array(tree, call) & PROOF_CPU : 0;
}

/* x.detach().numpy() says of x what x.numpy() says. */
static uint8_t proof_behind_detach(const struct proving *p, uint32_t name)
{
    const struct syntax *tree = p->tree;
    const uint32_t attribute = tree->parent[name], call = tree->parent[attribute], next = tree->parent[call];
    if (name != attribute + 1 || tree->kind[attribute] != SYN_ATTRIBUTE || !syntax_is(tree, call, SYN_CALL) ||
        attribute != call + 1 || !syntax_is(tree, next, SYN_ATTRIBUTE) || call != next + 1)
        return 0;
    const bool detach = str_eq(syntax_tail(tree, attribute), S("detach"));
    return detach && syntax_calls(tree, tree->parent[next], S("numpy"))
               ? proof_of_array(tree, tree->parent[next]) & PROOF_CPU
               : 0;
}

/* `x["key"]`, `"key" in x` */
static uint8_t proof_of_keys(const struct proving *p, uint32_t name)
{
    const struct syntax *tree = p->tree;
    const uint32_t parent = tree->parent[name];
    if (tree->kind[parent] == SYN_SUBSCRIPT && name == parent + 1)
        return syntax_is(tree, syntax_child(tree, parent, 1), SYN_STRING) ? PROOF_KEYED : 0;
    const bool asks = tree->kind[parent] == SYN_COMPARE && (tree->op[parent] == OP_IN || tree->op[parent] == OP_NOT_IN);
    return asks && name != parent + 1 && syntax_is(tree, parent + 1, SYN_STRING) ? PROOF_KEYED : 0;
}

/* `x["key"].to(device)`, device a parameter: who gives x gives the device with it, and has not moved x there. */
static uint16_t proof_of_moved(const struct proving *p, const struct flow *flow, uint32_t name)
{
    const struct syntax *tree = p->tree;
    const uint32_t part = tree->parent[name], attribute = tree->parent[part], call = tree->parent[attribute];
    if (tree->kind[part] != SYN_SUBSCRIPT || name != part + 1 || !syntax_is(tree, attribute, SYN_ATTRIBUTE) ||
        part != attribute + 1 || !syntax_calls(tree, call, S("to")) || attribute != call + 1)
        return 0;
    const uint32_t where = syntax_argument(tree, call, 0, "device");
    const uint32_t def = syntax_is(tree, where, SYN_NAME) ? flow_resolve(flow, flow_read_def(flow, where)) : NONE;
    const bool given = def != NONE && flow->defs[def].shown.kind == DEFINED_PARAMETER;
    return given && known_word(WORDS_DEVICE, syntax_text(tree, where)) ? PROOF_MOVED : 0;
}

/* Also what is only seen through a meeting: it is proven where it is used, and for all that come there. */
void flow_prove(struct files *files, uint32_t id)
{
    struct file *file = &files->at[id];
    const struct proving p = {files, file->shown.tree};
    for (uint32_t name = 0; name < p.tree->count; name++) {
        if (p.tree->kind[name] != SYN_NAME)
            continue;
        const uint32_t def = flow_resolve(&file->flow, flow_read_def(&file->flow, name));
        if (def != NONE)
            file->flow.defs[def].proof |= proof_of(&p, name) | proof_behind_detach(&p, name) |
                                          proof_behind_slice(&p, name) | proof_of_keys(&p, name) |
                                          proof_of_moved(&p, &file->flow, name);
    }
}
