/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU made known by a few rows that are measured on it. */
#include "base/error.h"
#include "calibrate_gpu.h"
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
    str measured_by; /* "" of rows from a table */
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

/* On a GPU of this machine. */
static bool measure_all(struct calibration *c, struct steptime_error *err)
{
    enum { LEAST = 1, MOST = 3600, USUAL = 60 };
    int64_t seconds;
    if (!call_count(c->call, "seconds", LEAST, MOST, USUAL, &seconds, err))
        return false;
    struct gpu_session session = {
        .before = c->before, .given = c->given, .command = call_text(c->call, "recorder"), .seconds = (double)seconds};
    if (!calibrate_gpu(&session, &c->rows, &c->arena, err))
        return false;
    c->measured_by = session.measured_by;
    if (session.stub)
        report_warning(c->report, S(""), -1, S("the rows are of a stub, which measures nothing"));
    calibrate_settle(&c->rows, &c->arena);
    return true;
}

/* Of each fault how many; of the first of them where, and what to do. */
static bool no_rows(const struct calibration *c, struct steptime_error *err)
{
    struct arena scratch = {0};
    str counts = S(""), first = S("");
    const char *remedy = "";
    for (int i = 0; i < ROW_FAULTS; i++) {
        if (!c->rows.faults[i])
            continue;
        remedy = first.len ? remedy : row_fault_meaning((enum row_fault)i);
        first = first.len ? first : c->rows.first[i];
        counts = str_printf(&scratch, "%.*s%s%u %s", (int)counts.len, counts.at, counts.len ? ", " : "",
                            c->rows.faults[i], row_fault_word((enum row_fault)i));
    }
    const char *path = call_text(c->call, "rows");
    if (first.len)
        fail(err, STEPTIME_INPUT, "none of %u rows can be used: %.*s; %.*s: %s", c->rows.read, (int)counts.len,
             counts.at, (int)first.len, first.at, remedy);
    else if (path)
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "has no rows");
    else
        fail(err, STEPTIME_INPUT, "no row was measured");
    arena_free(&scratch);
    return false;
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

static void warn_of_rows(uint32_t count, const char *why, const char *path, const struct calibration *c)
{
    struct arena *arena = report_arena(c->report);
    if (count)
        report_warning(c->report, str_of(path), -1, str_printf(arena, "rows %s (%u)", why, count));
}

/* What to measure among the kernels of a table, with what is known of the device so far. */
static bool tell_next(struct calibration *c, const char *path, struct steptime_error *err)
{
    enum { MOST = 100, USUAL = 10 };
    struct calibrate_among among;
    int64_t most;
    if (!c->given)
        return fail(err, STEPTIME_USAGE, "--among for which device? --hw NAME");
    const struct models *models = models_of_call(c->call, &c->arena, err);
    if (!models || !call_count(c->call, "next", 1, MOST, USUAL, &most, err) ||
        !calibrate_kernels(path, models, c->given, &c->arena, &among, err))
        return false;
    warn_of_rows(among.passed_over, "passed over: they name no kernel that a model of the device has", path, c);
    warn_of_rows(among.beyond, "not looked at: they lie behind the first thousand kernels", path, c);
    calibrate_show_next(&(struct next_asked){models, c->given, among.kernels, among.count, (uint32_t)most}, c->report);
    return output_report(c->call, c->report, err);
}

static bool forget(struct calibration *c, struct steptime_error *err)
{
    if (!c->given)
        return fail(err, STEPTIME_USAGE, "--forget which device? --hw NAME");
    if (!store_forget(c->folder, c->given->name, &c->arena, err))
        return false;
    calibrate_show_forgotten(c->given->name, c->folder, c->report);
    return output_report(c->call, c->report, err);
}

static bool calibrate(struct calibration *c, struct steptime_error *err)
{
    c->report = report_new(&c->arena, S("calibrate"));
    if (!output_check(c->call, err) || !find_given(c, err))
        return false;
    if (call_text(c->call, "among"))
        return tell_next(c, call_text(c->call, "among"), err);
    if (!find_folder(c, err))
        return false;
    if (call_flag(c->call, "forget"))
        return forget(c, err);
    if (!find_models(c, err) || !(call_text(c->call, "rows") ? read_all : measure_all)(c, err))
        return false;
    if (!c->rows.believed.count)
        return no_rows(c, err);
    if (!join_stored(c, err) || !adapt(c, err) || !write_all(c, c->measured_by, err))
        return false;
    calibrate_show(c->devices, c->count, c->report);
    return output_report(c->call, c->report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct calibration c = {.call = call, .measured_by = S("")};
    const bool good = calibrate(&c, err);
    measurements_free(&c.rows.believed);
    arena_free(&c.arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"rows", 0, "FILE", NULL,
     "Take measured rows from this table (CSV as of 'predict kernel', with latency_us), not from a GPU of this machine. "
     "May come several times."},
    {"seconds", 0, "N", NULL, "Measure for so long. Default: 60."},
    {"recorder", 0, "COMMAND", NULL,
     "Measure with this program, not with PyTorch: doc/models.md says what it is asked and how it answers."},
    {"hw", 0, "NAME|FILE", NULL,
     "The device that the rows were measured on: a name of 'steptime hw', or a file with the figures of one that it "
     "lacks. Rows of another device are left out."},
    {"set", 0, "KEY=VALUE", NULL, "Another value for one figure of --hw, with its unit."},
    {"into", 0, "DIR", NULL,
     "Keep sets and rows here, not in $STEPTIME_MODELS, $XDG_DATA_HOME/steptime or ~/.local/share/steptime."},
    {"models", 0, "FILE", NULL, "Begin with the models of this file of 'steptime model fit', not with those built in."},
    {"among", 0, "FILE", NULL,
     "Only say which kernels of this table (up to 1000, its times do not count) are worth measuring on the device of --hw, with what "
     "is known of it so far."},
    {"next", 0, "N", NULL, "With --among: how many. Default: 10."},
    {"anew", 0, NULL, NULL, "Without the rows that were kept before of the device."},
    {"forget", 0, NULL, NULL, "Take away what is kept of the device of --hw: predictions are as before."},
    {0},
};

const struct command command_calibrate = {
    .name = "calibrate",
    .arguments = "",
    .brief = "make a GPU known by a few measured rows",
    .about =
        "Moves the models of kernel time towards rows that were measured on a GPU: one row moves all a little, ten "
        "well-chosen ones took the error of fp32 products to half on most GPUs that were tried (doc/models.md), hundreds are a fit. Where rows are the intervals narrow, far from them they stay.\n\n"
        "Without --rows a GPU of this machine is measured for a minute, with PyTorch: those kernels that narrow the "
        "intervals most for each second, as far as is known after those before. An interrupt ends it and keeps what was "
        "measured.\n\nThe set is kept in the user's folder, with its rows, and used by predict, shard and model from then on, unless "
        "--models says otherwise; what it answers has the basis 'calibrated', with device, date and versions. Rows that "
        "are measured later are added; a kernel that is measured again replaces what was known of it.\n\nRows that cannot "
        "be are named, counted and left out: sizes of zero or beyond 64 bits, times that the device's figures forbid, one "
        "kernel with times that contradict each other, other devices than the one named.",
    .examples = "steptime calibrate|measure the GPU of this machine for a minute\n"
                "steptime calibrate --rows measured.csv|make the GPU of these rows known\n"
                "steptime calibrate --rows measured.csv --hw my-gpu.csv|one that the catalogue lacks\n"
                "steptime calibrate --forget --hw L4|as before",
    .shared = SHARED_OUTPUT_ALL_ROWS | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
