/* SPDX-License-Identifier: Apache-2.0 */
#include "contexts.h"

#include "base/mem.h"

void contexts_add_node(struct nodes *nodes, uint32_t node)
{
    nodes->at = mem_grow(nodes->at, &nodes->room, nodes->count + 1, sizeof *nodes->at);
    nodes->at[nodes->count++] = node;
}

void contexts_free(struct project *project)
{
    struct contexts *contexts = project->contexts;
    for (uint32_t i = 0; i < project->files.count; i++) {
        map_free(&contexts->of_file[i].loops);
        map_free(&contexts->of_file[i].elifs);
        map_free(&contexts->of_file[i].gates);
        map_free(&contexts->of_file[i].behind);
        mem_free(contexts->of_file[i].training.at);
        mem_free(contexts->of_file[i].acting.at);
    }
    mem_free(contexts->learners.at);
    mem_free(contexts->made.at);
    map_free(&contexts->moved.in_file);
    mem_free(contexts->wrapped.at);
    mem_free(contexts->choices.at);
    map_free(&contexts->choices.first);
    arena_free(&contexts->arena);
}
