/* SPDX-License-Identifier: Apache-2.0 */
#include "asks.h"

bool calls_one_of(const struct syntax *tree, uint32_t node, enum words words)
{
    return syntax_is(tree, node, SYN_CALL) && known_word(words, syntax_tail(tree, syntax_first(tree, node)));
}

/* `device_type == "cuda"`, `device.type != "cuda"` */
static bool compares_to_cuda(const struct syntax *tree, uint32_t test, bool *negated)
{
    if (tree->kind[test] != SYN_COMPARE || (tree->op[test] != OP_EQUAL && tree->op[test] != OP_NOT_EQUAL))
        return false;
    const uint32_t text = syntax_child(tree, test, 1);
    *negated ^= tree->op[test] == OP_NOT_EQUAL;
    return syntax_is(tree, text, SYN_STRING) && syntax_text(tree, text).len == 6 &&
           str_has(syntax_text(tree, text), S("cuda"));
}

bool asks_for_cuda(const struct syntax *tree, uint32_t test, bool *negated)
{
    *negated = tree->kind[test] == SYN_NOT;
    const uint32_t asked = test + *negated;
    if (compares_to_cuda(tree, asked, negated))
        return true;
    return syntax_calls(tree, asked, S("is_available")) && syntax_is(tree, asked + 1, SYN_ATTRIBUTE) &&
           str_is_among("cuda accelerator", syntax_tail(tree, asked + 2));
}
