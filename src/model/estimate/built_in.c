/* SPDX-License-Identifier: Apache-2.0 */
#include "built_in.h"

#include <assert.h>

#include "model/estimate/known_sets.h"
#include "model/estimate/late.h"
#include "interval.h"
#include "model/families/families.h"

static void *read_family(const void *context, struct arena *arena)
{
    const struct family_row *row = context;
    const struct family_model empty = {.family = row->family};
    struct family_model *model = arena_alloc(arena, sizeof *model);
    *model = empty;
    if (!coefficients_read_late((str){row->text, *row->text_bytes}, catalogue_built_in(), arena, model))
        *model = empty;
    for (uint32_t i = 0; i < model->group_count; i++)
        model->groups[i].known = known_sets_new(arena);
    return model;
}

const struct family_model *built_in_family(uint32_t number)
{
    static struct late families[ESTIMATE_FAMILIES];
    assert(number < ESTIMATE_FAMILIES);
    return late_value(&families[number], read_family, &family_rows[number]);
}
