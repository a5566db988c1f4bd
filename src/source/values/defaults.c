/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the default device is set: torch.set_default_device and its kin. It holds in the run that sets it, so a script that
 * never runs the function, and what such a script imports too, keep making tensors on the host.
 */
#include "base/mem.h"
#include "cells.h"
#include "source/files/runs.h"

/* A method sets it for others only where there is an object of its class: one of many that a setting may name is another. */
static bool is_run(const struct cells *cells, const struct function *function)
{
    return function->class_id == NONE || cells->classes[function->class_id].made_below;
}

void defaults_spread(struct cells *cells)
{
    const struct files *files = cells->files;
    struct defaults *defaults = &cells->defaults;
    bool *own = mem_zeroed(files->count + 1), *from = mem_zeroed(files->count + 1),
         *moved = mem_zeroed(files->count + 1);
    bool any = false;
    for (uint32_t f = 0; f < files->function_count; f++)
        if (defaults->set_by[f]) {
            any = true;
            own[files->functions[f].file] = true;
            from[files->functions[f].file] |= is_run(cells, &files->functions[f]);
        }
    if (any)
        runs_below(files, from, moved);
    for (uint32_t i = 0; i < files->count; i++) {
        moved[i] |= own[i];
        cells->of_file[i].default_changed = moved[i] != defaults->moved[i];
        defaults->moved[i] = moved[i];
    }
    mem_free(own);
    mem_free(from);
    mem_free(moved);
}
