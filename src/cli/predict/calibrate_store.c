/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate_store.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/user_models.h"
#include "io/writer.h"
#include "model/families/families.h"
#include "model/tables/table_lines.h"

/* ---- folders ---- */

static bool make_folders(const char *folder, struct arena *arena, struct steptime_error *err)
{
    const size_t bytes = strlen(folder) + 1;
    const mode_t mode = 0755;
    char *path = memcpy(arena_alloc(arena, bytes), folder, bytes);
    for (char *slash = path[0] ? strchr(path + 1, '/') : NULL;; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, mode) != 0 && errno != EEXIST)
            return fail_at(err, STEPTIME_OUTPUT, str_of(path), -1, "%s", strerror(errno));
        if (!slash)
            return true;
        *slash = '/';
    }
}

/* ---- rows kept before ---- */

static bool measured_again(const struct measurements *now, uint32_t count, uint64_t key)
{
    for (uint32_t i = 0; i < count; i++)
        if (kernel_key(&now->rows[i].kernel) == key)
            return true;
    return false;
}

bool store_join(const char *folder, const struct hardware *hardware, const struct models *models,
                struct calibrate_rows *rows, struct arena *arena, struct steptime_error *err)
{
    const char *path = user_models_place(folder, hardware->name, ".csv", arena);
    struct calibrate_rows before = {0};
    const uint32_t now = rows->believed.count;
    if (access(path, F_OK) != 0)
        return true;
    const bool good = calibrate_read(&before, path, models, hardware, arena, err);
    for (uint32_t i = 0; good && i < before.believed.count; i++) {
        const struct measurement *row = &before.believed.rows[i];
        if (!measured_again(&rows->believed, now, kernel_key(&row->kernel)))
            calibrate_add(rows, models, hardware, &row->kernel, row->us, path, arena);
    }
    measurements_free(&before.believed);
    return good;
}

/* ---- writing ---- */

static bool write_rows(const struct calibrate_rows *rows, uint32_t device, const char *path, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct measurements *all = &rows->believed;
    const struct kernel **kernels = arena_array(&scratch, all->count, sizeof *kernels);
    const str name = all->devices[device].name;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i].device == device)
            kernels[count++] = &all->rows[i].kernel;
    const struct table_lines lines = table_lines_of(kernels, count);
    const str header = table_lines_header(&lines, &scratch);
    struct writer *out = writer_open(path, err);
    if (out)
        writer_printf(out, "%.*s\n", (int)header.len, header.at);
    for (uint32_t i = 0; out && i < all->count; i++)
        if (all->rows[i].device == device) {
            const str line = table_line(&lines, &all->rows[i].kernel, name, all->rows[i].us, &scratch);
            writer_printf(out, "%.*s\n", (int)line.len, line.at);
        }
    arena_free(&scratch);
    return out && writer_close(out, err);
}

/* A family with nothing but the set of that device in its groups; no groups where there is none. */
static struct family_model only_of(const struct family_model *model, str device, str made, struct arena *arena)
{
    struct family_model only = {.family = model->family};
    only.groups = arena_array(arena, model->group_count, sizeof *only.groups);
    for (uint32_t i = 0; i < model->group_count; i++)
        for (uint32_t k = 0; k < model->groups[i].calibrated_count; k++) {
            struct coefficient_set *set = &model->groups[i].calibrated[k];
            if (!str_eq(set->device, device))
                continue;
            struct group_model *group = &only.groups[only.group_count++];
            set->calibrated->made = made;
            *group = (struct group_model){.group = model->groups[i].group,
                                          .note = S(""),
                                          .carry = model->groups[i].carry,
                                          .residual = model->groups[i].residual,
                                          .calibrated = set,
                                          .calibrated_count = 1};
        }
    return only;
}

static uint32_t write_set(const struct models *models, str device, str made, struct writer *out, struct arena *arena)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < family_count; i++) {
        const struct family_model *own = models_own(models, family_rows[i].family);
        if (!own)
            continue;
        const struct family_model only = only_of(own, device, made, arena);
        if (only.group_count)
            coefficients_write(&only, out);
        groups += only.group_count;
    }
    return groups;
}

/* By SOURCE_DATE_EPOCH where that is set, as reproducible builds have it. */
static str today(struct arena *arena)
{
    enum { ROOM = 16 };
    char *text = arena_alloc(arena, ROOM);
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    const time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, ROOM, "%Y-%m-%d", &parts);
    return str_of(text);
}

static str name_of_set(str device, uint32_t rows, str measured_by, struct arena *arena)
{
    const str day = today(arena);
    return str_printf(arena, "%.*s of %.*s: %u rows by %.*s%ssteptime %s", (int)device.len, device.at, (int)day.len,
                      day.at, rows, (int)measured_by.len, measured_by.at, measured_by.len ? " and " : "",
                      STEPTIME_VERSION);
}

bool store_write(const char *folder, const struct models *models, const struct calibrate_rows *rows, uint32_t device,
                 str measured_by, struct stored_set *stored, struct arena *arena, struct steptime_error *err)
{
    const str name = rows->believed.devices[device].name;
    *stored = (struct stored_set){.device = name};
    stored->set_path = user_models_place(folder, name, ".txt", arena);
    stored->rows_path = user_models_place(folder, name, ".csv", arena);
    for (uint32_t i = 0; i < rows->believed.count; i++)
        stored->rows += rows->believed.rows[i].device == device;
    if (!make_folders(folder, arena, err) || !write_rows(rows, device, stored->rows_path, err))
        return false;
    struct writer *out = writer_open(stored->set_path, err);
    if (!out)
        return false;
    stored->groups = write_set(models, name, name_of_set(name, stored->rows, measured_by, arena), out, arena);
    return writer_close(out, err);
}

bool store_forget(const char *folder, str device, struct arena *arena, struct steptime_error *err)
{
    const char *rows = user_models_place(folder, device, ".csv", arena);
    const char *set = user_models_place(folder, device, ".txt", arena);
    const bool gone = unlink(set) == 0, rows_gone = unlink(rows) == 0;
    return gone || rows_gone ||
           fail(err, STEPTIME_INPUT, "nothing of %.*s is kept in %s", (int)device.len, device.at, folder);
}
