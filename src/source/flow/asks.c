/* SPDX-License-Identifier: Apache-2.0 */
#include "asks.h"

bool calls_one_of(const struct syntax *tree, uint32_t node, enum words words)
{
    return syntax_is(tree, node, SYN_CALL) && known_word(words, syntax_tail(tree, syntax_first(tree, node)));
}

bool asks_for_cuda(const struct syntax *tree, uint32_t test, bool *negated)
{
    *negated = tree->kind[test] == SYN_NOT;
    const uint32_t asked = test + *negated;
    return syntax_calls(tree, asked, S("is_available")) && syntax_is(tree, asked + 1, SYN_ATTRIBUTE) &&
           str_is_among("cuda accelerator", syntax_tail(tree, asked + 2));
}
