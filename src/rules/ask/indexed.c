/* SPDX-License-Identifier: Apache-2.0 */
#include "indexed.h"

static bool holds_slice(const struct syntax *tree, uint32_t index)
{
    if (!syntax_is(tree, index, SYN_TUPLE))
        return false;
    for (uint32_t part = syntax_first(tree, index); part != SYNTAX_NONE; part = syntax_next(tree, part))
        if (tree->kind[part] == SYN_SLICE)
            return true;
    return false;
}

bool indexed_on_device(const struct check *check, uint32_t subscript)
{
    const struct value *object = ask_value(check, syntax_first(check->tree, subscript));
    const bool open = object->kind == VALUE_UNKNOWN || object->kind == VALUE_BATCH;
    return value_gpu_tensor(object) ||
           (open && value_on_gpu(object) && holds_slice(check->tree, syntax_child(check->tree, subscript, 1)));
}

/* Neither a number nor a text, and not known to be any other thing. */
static bool may_be_tensor(const struct check *check, uint32_t node)
{
    const enum value_kind kind = ask_value(check, node)->kind;
    return kind == VALUE_UNKNOWN || kind == VALUE_TENSOR || kind == VALUE_BATCH;
}

static bool is_comparison(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    if (!syntax_is(tree, node, SYN_COMPARE) || tree->op[node] == OP_IS || tree->op[node] == OP_IS_NOT ||
        tree->op[node] == OP_IN || tree->op[node] == OP_NOT_IN)
        return false;
    return may_be_tensor(check, syntax_child(tree, node, 0)) || may_be_tensor(check, syntax_child(tree, node, 1));
}

bool indexed_by_comparison(const struct check *check, uint32_t index)
{
    if (ask_value(check, index)->kind != VALUE_BOOL)
        return false;
    const struct definition *definition =
        syntax_is(check->tree, index, SYN_NAME) ? flow_definition(check->project, check_site(check, index)) : NULL;
    if (definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked && definition->value != SYNTAX_NONE)
        index = definition->value;
    return is_comparison(check, index);
}
