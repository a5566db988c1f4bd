/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "fit_work.h"

/*
 * The longest kernels of a table run at most of what the device holds, with every library of the last ten years. Where
 * they do not, something else was measured (Tesla P4, linear: a quarter of the peak, where bmm of the same table reaches
 * three quarters).
 */
static const double least_attained = 0.4;

static int longest_first(const void *a, const void *b)
{
    const struct measurement *x = *(const struct measurement *const *)a, *y = *(const struct measurement *const *)b;
    return (x->us < y->us) - (x->us > y->us);
}

/* The mean over the longest tenth. */
static double attained(const struct work *work, uint32_t part)
{
    struct arena scratch = {0};
    const struct rows rows = work->parts[part];
    const struct measurement **sorted = arena_array(&scratch, rows.count, sizeof *sorted);
    const uint32_t tenth = (rows.count + 9) / 10;
    double sum = 0;
    memcpy(sorted, rows.at, rows.count * sizeof *sorted);
    qsort(sorted, rows.count, sizeof *sorted, longest_first);
    for (uint32_t i = 0; i < tenth; i++)
        sum += work->family->attained(&sorted[i]->kernel, &work->own[part].hardware, sorted[i]->us);
    arena_free(&scratch);
    return sum / tenth;
}

static void note_left_out(const struct work *work, uint32_t part, double share, struct group_model *group)
{
    const str device = work->own[part].device, before = group->note;
    group->note =
        str_printf(work->arena, "%.*s%s%.*s left out: its longest kernels attain %.2f of what the device holds",
                   (int)before.len, before.at, before.len ? "; " : "", (int)device.len, device.at, share);
}

/* Fewer rows than coefficients say nothing of these, and next to nothing of how far off they are. */
void keep_determined(struct work *work, struct group_model *group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->part_count; i++) {
        const str device = work->devices[work->device[i]].name, before = group->note;
        if (work->parts[i].count > work->family->parameter_count) {
            work->parts[kept] = work->parts[i];
            work->measured[kept] = work->measured[i];
            work->device[kept++] = work->device[i];
            continue;
        }
        group->note = str_printf(work->arena, "%.*s%s%.*s left out: %u rows for %u coefficients", (int)before.len,
                                 before.at, before.len ? "; " : "", (int)device.len, device.at, work->parts[i].count,
                                 work->family->parameter_count);
    }
    work->part_count = kept;
}

void keep_healthy(struct work *work, struct group_model *group)
{
    uint32_t kept = 0;
    if (work->part_count < 2 || !work->family->attained)
        return;
    for (uint32_t i = 0; i < work->part_count; i++) {
        const double share = attained(work, i);
        if (share < least_attained) {
            note_left_out(work, i, share, group);
            continue;
        }
        work->own[kept] = work->own[i];
        work->parts[kept] = work->parts[i];
        work->measured[kept] = work->measured[i];
        work->device[kept++] = work->device[i];
    }
    work->part_count = kept;
}
