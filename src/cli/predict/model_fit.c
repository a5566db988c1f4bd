/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/hardware_option.h"
#include "io/writer.h"
#include "model/families/families.h"
#include "model/fit/fit.h"
#include "model/fit/possible.h"
#include "model_command.h"
#include "cli/program/output.h"

static void tell(const char *family, str group)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Ksteptime: fitting %s, %.*s", family, (int)group.len, group.at);
}

static void stop_telling(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* ---- what to fit ---- */

static bool read_tables(const struct call *call, const struct catalogue *catalogue, struct arena *arena,
                        struct measurements *measurements, struct steptime_error *err)
{
    struct hardware room;
    const struct hardware *hardware;
    if (call_argument_count(call) < 2)
        return fail(err, STEPTIME_USAGE, "which tables? 'steptime model fit TABLE...'");
    if (!hardware_of_call(call, arena, &room, &hardware, err))
        return false;
    for (uint32_t i = 1; i < call_argument_count(call); i++)
        if (!measurements_read(measurements, call_argument(call, i), catalogue, hardware, arena, err))
            return false;
    return true;
}

/* Takes out the rows of --without. */
static bool leave_out(const struct call *call, const struct catalogue *catalogue, struct measurements *measurements,
                      struct steptime_error *err)
{
    const char *name = call_text(call, "without");
    if (!name)
        return true;
    const struct hardware *device = catalogue_gpu(catalogue, str_of(name), (struct gpu_signs){-1, -1});
    if (!device)
        return fail(err, STEPTIME_USAGE, "--without: there is no device '%s' ('steptime hw' lists all)", name);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < measurements->count; i++)
        if (!str_eq(measurements->devices[measurements->rows[i].device].name, device->name))
            measurements->rows[kept++] = measurements->rows[i];
    measurements->count = kept;
    return true;
}

/* Takes out rows whose time is below what their device can; says how many of which table, and the first of them. */
static void drop_impossible(struct measurements *measurements)
{
    uint32_t kept = 0, dropped[MOST_TABLES] = {0};
    for (uint32_t i = 0; i < measurements->count; i++) {
        const struct measurement *row = &measurements->rows[i];
        const struct hardware *device = &measurements->devices[row->device];
        const double us = row->kernel.busy_us > 0 ? row->kernel.busy_us : row->us;
        if (time_is_possible(&row->kernel, device, us)) {
            measurements->rows[kept++] = *row;
            continue;
        }
        if (!dropped[row->table]++)
            fprintf(stderr, "steptime: %.*s: a %.*s in %.6g us on %.*s, which takes %.6g at least, cannot be\n",
                    (int)measurements->tables[row->table].len, measurements->tables[row->table].at,
                    (int)kernel_form_word(row->kernel.form).len, kernel_form_word(row->kernel.form).at, us,
                    (int)device->name.len, device->name.at, least_possible_us(&row->kernel, device));
    }
    measurements->count = kept;
    for (uint32_t i = 0; i < measurements->table_count; i++)
        if (dropped[i])
            fprintf(stderr, "steptime: %.*s: %u rows are faster than their device and left out\n",
                    (int)measurements->tables[i].len, measurements->tables[i].at, dropped[i]);
}

static bool wanted(const struct call *call, const struct family *family)
{
    const char *name = call_text(call, "family");
    return !name || !strcmp(name, family->name);
}

/* ---- where it goes ---- */

static bool write_model(const struct family_model *model, struct writer *into, const char *folder, struct arena *arena,
                        struct steptime_error *err)
{
    if (!folder) {
        coefficients_write(model, into);
        return true;
    }
    struct writer *out = writer_open(str_printf(arena, "%s/%s.txt", folder, model->family->name).at, err);
    if (!out)
        return false;
    coefficients_write(model, out);
    return writer_close(out, err);
}

/* The writer of --output or standard output; NULL and true where --into names a folder. */
static bool open_output(const struct call *call, struct writer **out, struct steptime_error *err)
{
    *out = call_text(call, "into") ? NULL : writer_open(call_text(call, "output"), err);
    return *out || call_text(call, "into");
}

static bool close_output(struct writer *out, bool good, struct steptime_error *err)
{
    if (out && !good)
        writer_abandon(out);
    return good && (!out || writer_close(out, err));
}

/* ---- the verb ---- */

static bool fit_anew(const struct call *call, const struct measurements *measurements, struct writer *out,
                     struct arena *arena, struct steptime_error *err)
{
    uint32_t fitted = 0;
    for (uint32_t i = 0; i < family_count; i++) {
        struct family_model model;
        if (!wanted(call, family_rows[i].family))
            continue;
        fit_family(family_rows[i].family, measurements, tell, arena, &model);
        if (model.group_count && !write_model(&model, out, call_text(call, "into"), arena, err))
            return false;
        fitted += model.group_count;
    }
    stop_telling();
    return fitted || fail(err, STEPTIME_INPUT,
                          "no rows of a family that was asked for, or too few: a device needs more "
                          "rows than its family has coefficients");
}

/* Beside what is built in: what was adapted, and what --models gave. */
static bool fit_near(const struct call *call, const struct measurements *measurements, struct writer *out,
                     struct arena *arena, struct steptime_error *err)
{
    const struct models *known = models_of_call(call, arena, err);
    if (!known)
        return false;
    struct models models = *known;
    if (!fit_adapt(&models, measurements, arena))
        return fail(err, STEPTIME_INPUT, "no rows of a group that has coefficients already, so nothing to adapt");
    for (uint32_t i = 0; i < family_count; i++) {
        const struct family_model *own = models_own(&models, family_rows[i].family);
        if (own && own->group_count && !write_model(own, out, call_text(call, "into"), arena, err))
            return false;
    }
    return true;
}

bool model_fit(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct measurements measurements = {0};
    struct writer *out = NULL;
    const struct catalogue *catalogue = catalogue_built_in();
    bool good = output_takes_text(call, err) && read_tables(call, catalogue, &arena, &measurements, err) &&
                leave_out(call, catalogue, &measurements, err) && open_output(call, &out, err);
    if (good)
        drop_impossible(&measurements);
    good = good && (call_flag(call, "adapt") ? fit_near : fit_anew)(call, &measurements, out, &arena, err);
    good = close_output(out, good, err);
    measurements_free(&measurements);
    arena_free(&arena);
    return good;
}
