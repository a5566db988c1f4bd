/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "cli/program/call.h"
#include "cli/program/hardware_option.h"
#include "hw/catalogue.h"
#include "io/writer.h"
#include "model/estimate/model.h"
#include "model/tables/table.h"
#include "cli/program/output.h"
#include "predict_rows.h"
#include "cli/program/user_models.h"
#include "cli/program/row_problems.h"

/* A device as rows name it, looked up once. */
struct device {
    const struct hardware *hardware; /* NULL: not known */
    bool looked_up;
};

struct prediction {
    const struct call *call;
    const struct models *models;
    struct kernel_table *table;
    struct writer *out;
    struct arena arena;
    const struct catalogue *catalogue;
    struct intern *names;   /* of devices */
    struct device *devices; /* by the id of the name */
    size_t device_room;
    const struct hardware *given; /* by --hw; NULL */
    double level;
    struct row_problems problems;
};

/* ---- devices ---- */

/* Of the catalogue alone: a table must not make the program open files. */
static const struct hardware *look_up(struct prediction *p, str name)
{
    const struct hardware *found = catalogue_gpu(p->catalogue, name, (struct gpu_signs){-1, -1});
    if (!found || !call_text(p->call, "set"))
        return found;
    struct hardware *changed = arena_alloc(&p->arena, sizeof *changed);
    *changed = *found;
    return hardware_apply_sets(p->call, &p->arena, changed, NULL) ? changed : NULL;
}

static const struct hardware *device_of(struct prediction *p, str name)
{
    if (p->given)
        return p->given;
    const uint32_t id = intern_id(p->names, str_trim(name));
    const size_t before = p->device_room;
    if (id >= before) {
        p->devices = mem_grow(p->devices, &p->device_room, id + 1, sizeof *p->devices);
        memset(p->devices + before, 0, (p->device_room - before) * sizeof *p->devices);
    }
    if (!p->devices[id].looked_up)
        p->devices[id] = (struct device){look_up(p, str_trim(name)), true};
    return p->devices[id].hardware;
}

static void unknown_device(struct prediction *p, const struct table_row *row)
{
    struct arena scratch = {0};
    const str hint = row_problems_shown(&p->problems) ? catalogue_hint(p->catalogue, &scratch, row->device) : S("");
    const char *what = "the row names no device, and --hw is not given";
    if (str_trim(row->device).len)
        what = str_printf(&scratch, "the device is not known, or is several; %.*s", (int)hint.len, hint.at).at;
    row_problem(&p->problems, row->line, row->op, row->device, what);
    arena_free(&scratch);
}

/* ---- rows ---- */

/* False where there is no prediction, which is said on stderr. */
static bool estimate_row(struct prediction *p, const struct table_row *row, struct estimate *estimate)
{
    struct steptime_error err;
    if (row->problem) {
        row_problem(&p->problems, row->line, row->op, row->device, row->problem);
        return false;
    }
    const struct hardware *device = device_of(p, row->device);
    if (!device) {
        unknown_device(p, row);
        return false;
    }
    if (models_estimate(p->models, device, &row->kernel, estimate, &err))
        return true;
    row_problem(&p->problems, row->line, row->op, row->device, err.message);
    return false;
}

static bool predict_rows(struct prediction *p, struct steptime_error *err)
{
    const struct csv_row *header = kernel_table_header(p->table);
    if (!predict_columns_free(header, err))
        return false;
    writer_printf(p->out, "%.*s,%s\n", (int)header->text.len, header->text.at, predicted_columns);
    struct table_row row;
    struct estimate estimate;
    while (kernel_table_next(p->table, &row)) {
        p->problems.rows++;
        const bool known = estimate_row(p, &row, &estimate);
        put_estimate(p->out, &row.fields, header->count, known ? &estimate : NULL, p->level);
    }
    row_problems_end(&p->problems);
    return true;
}

/* ---- the command ---- */

static bool find_given(struct prediction *p, struct steptime_error *err)
{
    const char *const hw = call_text(p->call, "hw");
    struct hardware *const given = arena_alloc(&p->arena, sizeof *given);
    if (hw)
        p->given = given;
    else
        *given = *catalogue_gpu(p->catalogue, S("H100"), (struct gpu_signs){-1, -1}); /* is what is set sensible? */
    return hw ? hardware_of_words(p->call, str_of(hw), &p->arena, given, err)
              : hardware_apply_sets(p->call, &p->arena, given, err);
}

static bool open_all(struct prediction *p, struct steptime_error *err)
{
    const char *const input = call_text(p->call, "input");
    if (!output_takes_text(p->call, err))
        return false;
    if (!input)
        return fail(err, STEPTIME_USAGE, "which table? --input FILE, or --input - for standard input");
    if (!predict_level(p->call, &p->level, err))
        return false;
    hardware_say(p->call);
    p->catalogue = catalogue_built_in();
    return find_given(p, err) && (p->models = models_of_call(p->call, &p->arena, err)) &&
           (p->table = kernel_table_open(input, err)) && (p->out = writer_open(call_text(p->call, "output"), err));
}

/* The output is whole or untouched; a table of which no row could be predicted is still written, and fails. */
static bool end(struct prediction *p, bool good, struct steptime_error *err)
{
    good = (!p->table || kernel_table_close(p->table, good ? err : NULL)) && good;
    if (p->out && good)
        good = writer_close(p->out, err);
    else if (p->out)
        writer_abandon(p->out);
    intern_free(p->names);
    mem_free(p->devices);
    arena_free(&p->arena);
    if (good && p->problems.rows && p->problems.count == p->problems.rows)
        return fail(err, STEPTIME_INPUT, "no row could be predicted");
    return good;
}

enum steptime_code predict_kernel(const struct call *call, struct steptime_error *err)
{
    struct prediction p = {.call = call, .names = intern_new()};
    const bool good = open_all(&p, err) && predict_rows(&p, err);
    return end(&p, good, err) ? STEPTIME_OK : err->code;
}
