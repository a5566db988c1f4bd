/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

uint32_t call_registered(const struct files *files, uint32_t file, uint32_t call, const struct value *argument)
{
    const struct syntax *tree = files->at[file].shown.tree;
    const uint32_t around = tree->parent[call];
    if (tree->kind[around] != SYN_DECORATED)
        return argument->kind == VALUE_FUNCTION ? argument->detail : NONE;
    return map_get(&files->function_by_node, (int64_t)file << 32 | syntax_last_child(tree, around));
}
