/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU made known by a few rows that are measured on it. */
#include "base/error.h"
#include "calibrate_show.h"
#include "cli/program/call.h"
#include "cli/program/hardware_option.h"
#include "cli/program/output.h"
#include "cli/program/user_models.h"
#include "model/fit/fit.h"

struct calibration {
    const struct call *call;
    struct arena arena;
    const char *folder;
    struct hardware room;
    const struct hardware *given; /* by --hw; NULL */
    const struct models *before;  /* without sets of the user's */
    struct models after;
    struct calibrate_rows rows;
    struct calibrated_device *devices;
    uint32_t count;
    struct report *report;
};

/* ---- what is asked ---- */

static bool find_given(struct calibration *c, struct steptime_error *err)
{
    const char *hw = call_text(c->call, "hw");
    c->given = hw ? &c->room : NULL;
    return !hw || hardware_of_words(c->call, str_of(hw), &c->arena, &c->room, err);
}

static bool find_folder(struct calibration *c, struct steptime_error *err)
{
    const char *folder = call_text(c->call, "into");
    c->folder = folder ? folder : user_models_folder(&c->arena);
    return c->folder ||
           fail(err, STEPTIME_USAGE, "no folder for the set: neither HOME nor STEPTIME_MODELS is set; --into DIR");
}

static bool find_models(struct calibration *c, struct steptime_error *err)
{
    const char *path = call_text(c->call, "models");
    c->before = path ? models_load(str_of(path), &c->arena, err) : models_new(&c->arena);
    return c->before != NULL;
}

/* ---- rows ---- */

static bool read_all(struct calibration *c, struct steptime_error *err)
{
    for (uint32_t i = 0; i < c->call->given_count; i++) {
        const struct given *given = &c->call->given[i];
        if (!strcmp(given->option->name, "rows") &&
            !calibrate_read(&c->rows, given->value, c->before, c->given, &c->arena, err))
            return false;
    }
    calibrate_settle(&c->rows, &c->arena);
    return true;
}

static bool no_rows(const struct calibration *c, struct steptime_error *err)
{
    for (int i = 0; i < ROW_FAULTS; i++)
        if (c->rows.faults[i])
            return fail(err, STEPTIME_INPUT, "none of %u rows can be used; %u: %s (%.*s)", c->rows.read,
                        c->rows.faults[i], row_fault_meaning((enum row_fault)i), (int)c->rows.first[i].len,
                        c->rows.first[i].at);
    return fail(err, STEPTIME_INPUT, "there are no rows");
}

static bool join_stored(struct calibration *c, struct steptime_error *err)
{
    const uint32_t count = c->rows.believed.device_count;
    for (uint32_t i = 0; i < count; i++)
        if (!call_flag(c->call, "anew") &&
            !store_join(c->folder, &c->rows.believed.devices[i], c->before, &c->rows, &c->arena, err))
            return false;
    return true;
}

/* ---- the set ---- */

/* A copy whose families can be changed without those before. */
static bool adapt(struct calibration *c, struct steptime_error *err)
{
    c->after = *c->before;
    c->after.own = models_own_copied(c->before, &c->arena);
    return fit_adapt(&c->after, &c->rows.believed, &c->arena) ||
           fail(err, STEPTIME_INPUT, "no rows of a group that has coefficients already, so nothing to calibrate");
}

static bool write_all(struct calibration *c, str measured_by, struct steptime_error *err)
{
    const uint32_t count = c->rows.believed.device_count;
    c->devices = arena_array(&c->arena, count, sizeof *c->devices);
    for (uint32_t i = 0; i < count; i++) {
        struct calibrated_device *device = &c->devices[c->count];
        *device = (struct calibrated_device){.before = c->before, .after = &c->after, .rows = &c->rows, .device = i};
        if (!store_write(c->folder, &c->after, &c->rows, i, measured_by, &device->stored, &c->arena, err))
            return false;
        c->count += device->stored.rows > 0;
    }
    return true;
}

static bool calibrate(struct calibration *c, struct steptime_error *err)
{
    c->report = report_new(&c->arena, S("calibrate"));
    if (!output_check(c->call, err) || !find_given(c, err) || !find_folder(c, err))
        return false;
    if (call_flag(c->call, "forget"))
        return c->given ? store_forget(c->folder, c->given->name, &c->arena, err)
                        : fail(err, STEPTIME_USAGE, "--forget which device? --hw NAME");
    if (!call_text(c->call, "rows"))
        return fail(err, STEPTIME_USAGE, "which rows? --rows FILE");
    if (!find_models(c, err) || !read_all(c, err))
        return false;
    if (!c->rows.believed.count)
        return no_rows(c, err);
    if (!join_stored(c, err) || !adapt(c, err) || !write_all(c, S(""), err))
        return false;
    calibrate_show(c->devices, c->count, c->report);
    return output_report(c->call, c->report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct calibration c = {.call = call};
    const bool good = calibrate(&c, err);
    measurements_free(&c.rows.believed);
    arena_free(&c.arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"rows", 0, "FILE", NULL,
     "Take measured rows from this table (CSV as of 'predict kernel', with latency_us), not from a GPU of this machine. "
     "May come several times."},
    {"hw", 0, "NAME|FILE", NULL,
     "The device that the rows were measured on: a name of 'steptime hw', or a file with the figures of one that it "
     "lacks. Rows of another device are left out."},
    {"set", 0, "KEY=VALUE", NULL, "Another value for one figure of --hw, with its unit."},
    {"into", 0, "DIR", NULL,
     "Keep sets and rows here, not in $STEPTIME_MODELS, $XDG_DATA_HOME/steptime or ~/.local/share/steptime."},
    {"models", 0, "FILE", NULL, "Begin with the models of this file of 'steptime model fit', not with those built in."},
    {"anew", 0, NULL, NULL, "Without the rows that were kept before of the device."},
    {"forget", 0, NULL, NULL, "Take away what is kept of the device of --hw: predictions are as before."},
    {0},
};

const struct command command_calibrate = {
    .name = "calibrate",
    .arguments = "",
    .brief = "make a GPU known by a few measured rows",
    .about =
        "Moves the models of kernel time towards rows that were measured on a GPU: one row moves all a little, ten halve "
        "the error of most operators, hundreds are a fit. Where rows are the intervals narrow, far from them they stay.\n\n"
        "The set is kept in the user's folder, with its rows, and used by predict, shard and model from then on, unless "
        "--models says otherwise; what it answers has the basis 'calibrated', with device, date and versions. Rows that "
        "are measured later are added; a kernel that is measured again replaces what was known of it.\n\nRows that cannot "
        "be are named, counted and left out: sizes of zero or beyond 64 bits, times that the device's figures forbid, one "
        "kernel with times that contradict each other, other devices than the one named.",
    .examples = "steptime calibrate --rows measured.csv|make the GPU of these rows known\n"
                "steptime calibrate --rows measured.csv --hw my-gpu.csv|one that the catalogue lacks\n"
                "steptime calibrate --forget --hw L4|as before",
    .shared = SHARED_OUTPUT_ALL_ROWS | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
