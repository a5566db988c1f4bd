/* SPDX-License-Identifier: Apache-2.0 */
#include "measurements.h"

#include "base/error.h"
#include "base/mem.h"
#include "table.h"

static uint32_t add_device(struct measurements *to, const struct hardware *hardware)
{
    for (uint32_t i = 0; i < to->device_count; i++)
        if (str_eq(to->devices[i].name, hardware->name))
            return i;
    to->devices[to->device_count] = *hardware;
    return to->device_count++;
}

static uint32_t device_of(struct measurements *to, str spelling, const struct catalogue *catalogue,
                          const struct hardware *given, struct arena *arena)
{
    for (uint32_t i = 0; i < to->spelling_count; i++)
        if (str_eq(to->spellings[i], spelling))
            return to->meant[i];
    const struct hardware *found = given ? given : catalogue_gpu(catalogue, spelling, (struct gpu_signs){-1, -1});
    if (!found || to->spelling_count == MOST_DEVICES)
        return UINT32_MAX;
    const uint32_t device = add_device(to, found);
    to->spellings[to->spelling_count] = str_copy(arena, spelling);
    to->meant[to->spelling_count++] = device;
    return device;
}

static bool refuse(const char *path, const struct table_row *row, const char *problem, struct steptime_error *err)
{
    return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "line %u: %s", row->line, problem);
}

static bool add_row(struct measurements *to, const char *path, const struct table_row *row, uint32_t device,
                    struct steptime_error *err)
{
    if (row->problem)
        return refuse(path, row, row->problem, err);
    if (!(row->us > 0))
        return refuse(path, row, "its time is not a number above 0", err);
    if (device == UINT32_MAX)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "line %u: the device '%.*s' is not known", row->line,
                       (int)row->device.len, row->device.at);
    to->rows = mem_grow(to->rows, &to->room, (size_t)to->count + 1, sizeof *to->rows);
    to->rows[to->count++] = (struct measurement){row->kernel, device, to->table_count - 1, row->us};
    return true;
}

static bool add_table(struct measurements *to, const char *path, struct arena *arena, struct steptime_error *err)
{
    const char *slash = strrchr(path, '/');
    if (to->table_count == MOST_TABLES)
        return fail(err, STEPTIME_USAGE, "more than %u tables", MOST_TABLES);
    to->tables[to->table_count++] = str_copy(arena, str_of(slash ? slash + 1 : path));
    return true;
}

bool measurements_read(struct measurements *to, const char *path, const struct catalogue *catalogue,
                       const struct hardware *hardware, struct arena *arena, struct steptime_error *err)
{
    if (!add_table(to, path, arena, err))
        return false;
    struct kernel_table *table = kernel_table_open(path, err);
    if (!table)
        return false;
    bool fine = true;
    for (struct table_row row; fine && kernel_table_next(table, &row);)
        fine = add_row(to, path, &row, device_of(to, row.device, catalogue, hardware, arena), err);
    return kernel_table_close(table, fine ? err : NULL) && fine;
}

void measurements_free(struct measurements *measurements)
{
    mem_free(measurements->rows);
    *measurements = (struct measurements){0};
}
