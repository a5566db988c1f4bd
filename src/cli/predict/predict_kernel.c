/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "cli/program/call.h"
#include "cli/program/hardware_option.h"
#include "hw/catalogue.h"
#include "io/writer.h"
#include "model/estimate/model.h"
#include "model/tables/table.h"
#include "parallel/par.h"
#include "parallel/stages.h"
#include "cli/program/output.h"
#include "predict_rows.h"
#include "cli/program/user_models.h"
#include "cli/program/row_problems.h"

/* A device as rows name it, looked up once. */
struct device {
    const struct hardware *hardware; /* NULL: not known */
    bool looked_up;
};

/* A row on its way: read in order, predicted beside others, written in order. */
struct asked_row {
    struct table_row row;          /* texts in the block's arena; of the fields only the text and how many */
    const struct hardware *device; /* NULL: not known */
    const char *problem;           /* why there is no prediction; NULL */
    struct predicted_kernel predicted;
};

enum { BLOCK_ROWS = 256 };

struct block {
    struct asked_row rows[BLOCK_ROWS];
    uint32_t count;
    struct arena arena;
    struct buf text; /* the rows as they are written */
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
    uint32_t columns; /* of the table */
    struct block *blocks;
    size_t room; /* of blocks */
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

/* ---- a block of rows ---- */

static struct table_row kept(const struct table_row *row, struct arena *arena)
{
    struct table_row copy = *row;
    copy.op = str_copy(arena, row->op);
    copy.device = str_copy(arena, row->device);
    copy.kernel.variant = str_copy(arena, row->kernel.variant);
    copy.problem = row->problem ? str_copy(arena, str_of(row->problem)).at : NULL;
    copy.fields = (struct csv_row){.count = row->fields.count, .text = str_copy(arena, row->fields.text)};
    return copy;
}

static bool read_block(void *context, size_t item)
{
    struct prediction *p = context;
    struct block *block = &p->blocks[item % p->room];
    struct table_row row;
    block->count = 0;
    while (block->count < BLOCK_ROWS && kernel_table_next(p->table, &row)) {
        struct asked_row *asked = &block->rows[block->count++];
        *asked = (struct asked_row){.row = kept(&row, &block->arena)};
        asked->problem = asked->row.problem;
        asked->device = asked->problem ? NULL : device_of(p, row.device);
    }
    return block->count > 0;
}

static void estimate_row(const struct prediction *p, struct asked_row *asked, struct arena *arena)
{
    struct steptime_error err;
    if (asked->device && !predict_one(p->models, asked->device, &asked->row.kernel, p->level, &asked->predicted, &err))
        asked->problem = str_copy(arena, str_of(err.message)).at;
}

static void predict_block(void *context, unsigned thread, size_t item)
{
    const struct prediction *p = context;
    struct block *block = &p->blocks[item % p->room];
    (void)thread;
    for (uint32_t i = 0; i < block->count; i++) {
        struct asked_row *asked = &block->rows[i];
        estimate_row(p, asked, &block->arena);
        const bool known = asked->device && !asked->problem;
        put_predicted(&block->text, &asked->row.fields, p->columns, known ? &asked->predicted : NULL, p->level);
    }
}

static bool write_block(void *context, size_t item)
{
    struct prediction *p = context;
    struct block *block = &p->blocks[item % p->room];
    for (uint32_t i = 0; i < block->count; i++) {
        const struct asked_row *asked = &block->rows[i];
        p->problems.rows++;
        if (asked->problem)
            row_problem(&p->problems, asked->row.line, asked->row.op, asked->row.device, asked->problem);
        else if (!asked->device)
            unknown_device(p, &asked->row);
    }
    writer_put(p->out, buf_str(&block->text));
    buf_clear(&block->text);
    arena_free(&block->arena);
    return true;
}

/* ---- all of them ---- */

static void open_blocks(struct prediction *p)
{
    p->room = 2 * (size_t)par_cores() + 1;
    p->blocks = mem_zeroed(p->room * sizeof *p->blocks);
}

static void close_blocks(struct prediction *p)
{
    for (size_t i = 0; i < p->room; i++)
        buf_free(&p->blocks[i].text);
    mem_free(p->blocks);
}

static bool predict_rows(struct prediction *p, struct steptime_error *err)
{
    static const struct stages stages = {read_block, predict_block, write_block};
    const struct csv_row *header = kernel_table_header(p->table);
    if (!predict_columns_free(header, err))
        return false;
    writer_printf(p->out, "%.*s,%s\n", (int)header->text.len, header->text.at, predicted_columns);
    p->columns = header->count;
    open_blocks(p);
    stages_run(&stages, par_cores(), p->room, p);
    close_blocks(p);
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
    if (call_text(p->call, "per-hour"))
        return fail(err, STEPTIME_USAGE, "--per-hour is of steps: of 'predict graph', or of a trace");
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
