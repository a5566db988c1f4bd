/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "base/mem.h"

bool program_names_step(str name)
{
    return str_starts(name, S("ProfilerStep"));
}

static bool program_names_label(str name)
{
    return (str_has(name, S(" ")) || str_has(name, S("#"))) && !str_has(name, S("::"));
}

const struct name_facts *program_name(struct program_names *names, str name)
{
    uint32_t index = map_get(&names->index, (int64_t)(intptr_t)name.at);
    if (index != MAP_NONE)
        return &names->facts[index];
    index = (uint32_t)names->count++;
    names->facts = mem_grow(names->facts, &names->room, names->count, sizeof *names->facts);
    names->facts[index] = (struct name_facts){.family = (uint8_t)operator_family(name),
                                              .phase = (uint8_t)phase_of_name(name),
                                              .label = program_names_label(name),
                                              .step = program_names_step(name),
                                              .has_cost = operator_has_cost(name)};
    map_put(&names->index, (int64_t)(intptr_t)name.at, index);
    return &names->facts[index];
}

void program_names_free(struct program_names *names)
{
    map_free(&names->index);
    mem_free(names->facts);
    *names = (struct program_names){0};
}
