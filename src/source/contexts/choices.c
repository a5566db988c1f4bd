/* SPDX-License-Identifier: Apache-2.0 */
#include "contexts.h"

#include "base/mem.h"

static int64_t of_program(const struct project *project, uint32_t program, str name)
{
    return (int64_t)program << 32 | names_get(project->files.names, name)->id;
}

void choices_add(struct project *project, enum choice kind, str name, struct site at, struct site value)
{
    struct choices *choices = &project->contexts->choices;
    const int64_t id = of_program(project, project->files.at[at.file].program, name);
    choices->at = mem_grow(choices->at, &choices->room, choices->count + 1, sizeof *choices->at);
    choices->at[choices->count] = (struct choice_given){kind, map_get(&choices->first, id), at, value};
    map_put(&choices->first, id, (uint32_t)choices->count++);
}

uint32_t choices_first(const struct project *project, uint32_t program, str name)
{
    return map_get(&project->contexts->choices.first, of_program(project, program, name));
}
