/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware_option.h"

#include "call.h"

bool hardware_apply_sets(const struct call *call, struct arena *arena, struct hardware *hardware,
                         struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, "set") &&
            !hardware_set(hardware, str_of(call->given[i].value), arena, err))
            return false;
    return true;
}

bool hardware_of_words(const struct call *call, str name, struct arena *arena, struct hardware *hardware,
                       struct steptime_error *err)
{
    return hardware_find(name, arena, hardware, err) && hardware_apply_sets(call, arena, hardware, err);
}

const struct models *models_of_words(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    const char *const path = call_text(call, "models");
    return path ? models_load(str_of(path), arena, err) : models_new(arena);
}
