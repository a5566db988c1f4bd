/* SPDX-License-Identifier: Apache-2.0 */
#include "driven.h"

#include "source/known/known_words.h"
#include "unmade.h"

/* Outside of tests; site_none. */
static struct site first_made(const struct project *project, uint32_t class_id)
{
    uint32_t at = NONE;
    for (struct site made; made = context_made(project, class_id, &at), !site_is_none(made);)
        if (!project->files.at[made.file].is_test)
            return made;
    return site_none;
}

/* An object of a class is one of those above it too. */
static void note_made(struct project *project, uint32_t class_id, struct site made)
{
    struct driven *driven = &project->contexts->driven;
    const struct classes order = class_order(&project->cells, class_id);
    for (uint32_t i = 0; i < order.count; i++)
        if (site_is_none(driven->made[order.at[i]]))
            driven->made[order.at[i]] = made;
    driven->any |= project->files.classes[class_id].framework != NULL;
}

void driven_build(struct project *project)
{
    struct driven *driven = &project->contexts->driven;
    const uint32_t classes = project->files.class_count;
    driven->made = arena_array(&project->contexts->arena, classes, sizeof *driven->made);
    for (uint32_t c = 0; c < classes; c++)
        driven->made[c] = site_none;
    for (uint32_t c = 0; c < classes; c++) {
        const struct site made = first_made(project, c);
        if (!site_is_none(made))
            note_made(project, c, made);
    }
}

bool context_steps_engine(const struct project *project, uint32_t function)
{
    return project->contexts->steps_engine[function];
}

/* A setting that names the class, or one that inherits, makes it where a program is run with that. */
static bool is_named(const struct project *project, uint32_t class_id)
{
    for (uint32_t c = 0; c < project->files.class_count; c++)
        if (unmade_is_named_by_setting(project, c) && class_inherits(&project->cells, c, class_id))
            return true;
    return false;
}

enum driven_by context_driven(const struct project *project, uint32_t class_id, struct site *made)
{
    const struct driven *driven = &project->contexts->driven;
    *made = driven->made[class_id];
    if (!site_is_none(*made))
        return DRIVEN_MADE;
    if (!driven->any || !project->cells.options.mentioned) /* what makes it may stand elsewhere */
        return DRIVEN_LIBRARY;
    return is_named(project, class_id) ? DRIVEN_BY_SETTING : DRIVEN_NOT;
}
