/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/fit/possible.h"
#include "model/tables/table.h"

static const struct {
    const char *word, *meaning;
} faults[ROW_FAULTS] = {
    {"no_kernel", "no kernel: a size of zero or beyond 64 bits, a word of no meaning"},
    {"no_time", "no time above 0"},
    {"unknown_device", "of a device that is not known: --hw FILE gives its figures"},
    {"other_device", "of another device than --hw names"},
    {"no_model", "no model has the kernel, or the device lacks what it needs"},
    {"too_fast", "faster than the device can be"},
    {"contradicts", "one kernel with times more than a third apart: all of it left out"},
};

const char *row_fault_word(enum row_fault fault)
{
    return faults[fault].word;
}

const char *row_fault_meaning(enum row_fault fault)
{
    return faults[fault].meaning;
}

static void blame(struct calibrate_rows *rows, enum row_fault fault, const char *where, const char *what,
                  struct arena *arena)
{
    if (!rows->faults[fault]++)
        rows->first[fault] = str_printable(arena, str_printf(arena, "%s: %s", where, what));
}

/* ---- a row ---- */

static uint32_t device_number(struct measurements *to, const struct hardware *hardware)
{
    for (uint32_t i = 0; i < to->device_count; i++)
        if (str_eq(to->devices[i].name, hardware->name))
            return i;
    if (to->device_count == MOST_DEVICES)
        return UINT32_MAX;
    to->devices[to->device_count] = *hardware;
    return to->device_count++;
}

static void keep(struct measurements *to, const struct kernel *kernel, uint32_t device, double us, struct arena *arena)
{
    to->rows = mem_grow(to->rows, &to->room, (size_t)to->count + 1, sizeof *to->rows);
    to->rows[to->count] = (struct measurement){.kernel = *kernel, .device = device, .us = us};
    to->rows[to->count++].kernel.variant = str_copy(arena, kernel->variant);
}

void calibrate_add(struct calibrate_rows *rows, const struct models *models, const struct hardware *hardware,
                   const struct kernel *kernel, double us, const char *where, struct arena *arena)
{
    struct estimate estimate;
    struct steptime_error err;
    if (!models_estimate(models, hardware, kernel, &estimate, &err)) {
        blame(rows, ROW_NO_MODEL, where, err.message, arena);
        return;
    }
    if (!time_is_possible(kernel, hardware, us)) {
        const str what =
            str_printf(arena, "%.*s in %.6g us, which takes %.6g at least", (int)kernel_form_word(kernel->form).len,
                       kernel_form_word(kernel->form).at, us, least_possible_us(kernel, hardware));
        blame(rows, ROW_TOO_FAST, where, what.at, arena);
        return;
    }
    const uint32_t device = device_number(&rows->believed, hardware);
    if (device == UINT32_MAX)
        blame(rows, ROW_UNKNOWN_DEVICE, where, "too many devices", arena);
    else
        keep(&rows->believed, kernel, device, us, arena);
}

/* ---- tables ---- */

/* With a device given, a row may name it as it likes, but not another one of the catalogue. */
static const struct hardware *device_of(struct calibrate_rows *rows, const struct table_row *row,
                                        const struct hardware *given, const char *where, struct arena *arena)
{
    const str name = str_trim(row->device);
    const struct hardware *found =
        name.len ? catalogue_gpu(catalogue_built_in(), name, (struct gpu_signs){-1, -1}) : NULL;
    if (given && found && !str_eq(found->name, given->name)) {
        blame(rows, ROW_OTHER_DEVICE, where,
              str_printf(arena, "it is of %.*s", (int)found->name.len, found->name.at).at, arena);
        return NULL;
    }
    if (given || found)
        return given ? given : found;
    blame(rows, ROW_UNKNOWN_DEVICE, where, str_printf(arena, "the device '%.*s'", (int)name.len, name.at).at, arena);
    return NULL;
}

static void add_row(struct calibrate_rows *rows, const struct table_row *row, const struct models *models,
                    const struct hardware *given, const char *where, struct arena *arena)
{
    if (row->problem) {
        blame(rows, ROW_NO_KERNEL, where, row->problem, arena);
        return;
    }
    if (!(row->us > 0) || row->kernel.busy_us > 0) { /* what was measured of a row about power is no time */
        blame(rows, ROW_NO_TIME, where,
              row->kernel.busy_us > 0 ? "it is about power (busy_us)" : "its time is no number above 0", arena);
        return;
    }
    const struct hardware *hardware = device_of(rows, row, given, where, arena);
    if (hardware)
        calibrate_add(rows, models, hardware, &row->kernel, row->us, where, arena);
}

bool calibrate_read(struct calibrate_rows *rows, const char *path, const struct models *models,
                    const struct hardware *given, struct arena *arena, struct steptime_error *err)
{
    struct kernel_table *table = kernel_table_open(path, err);
    if (!table)
        return false;
    for (struct table_row row; kernel_table_next(table, &row);) {
        struct arena scratch = {0};
        rows->read++;
        add_row(rows, &row, models, given, str_printf(&scratch, "%s: line %u", path, row.line).at, arena);
        arena_free(&scratch);
    }
    return kernel_table_close(table, err);
}

static const struct kernel *kept_kernel(const struct kernel *from, struct arena *arena)
{
    struct kernel *kernel = arena_alloc(arena, sizeof *kernel);
    *kernel = *from;
    kernel->variant = str_copy(arena, kernel->variant);
    return kernel;
}

bool calibrate_kernels(const char *path, const struct models *models, const struct hardware *hardware,
                       struct arena *arena, struct calibrate_among *among, struct steptime_error *err)
{
    enum { MOST = 1000 };
    struct kernel_table *table = kernel_table_open(path, err);
    *among = (struct calibrate_among){.kernels = arena_array(arena, MOST, sizeof *among->kernels)};
    if (!table)
        return false;
    for (struct table_row row; kernel_table_next(table, &row);) {
        struct estimate estimate;
        if (among->count == MOST)
            among->beyond++;
        else if (row.problem || !models_estimate(models, hardware, &row.kernel, &estimate, NULL))
            among->passed_over++;
        else
            among->kernels[among->count++] = kept_kernel(&row.kernel, arena);
    }
    return kernel_table_close(table, err) &&
           (among->count || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no kernel of a model"));
}

/* ---- rows of one kernel ---- */

uint64_t kernel_key(const struct kernel *kernel)
{
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    uint64_t key = hash_add(kernel->form, kernel->dtype == DTYPE_UNKNOWN ? DTYPE_F32 : kernel->dtype);
    key = hash_add(hash_add(key, kernel->key_dtype), kernel->format);
    key = hash_add(key, kernel->version);
    key = hash_add(hash_add(key, kernel->library), (uint64_t)kernel->backward << 1 | kernel->alone);
    if (kernel->form == FORM_ELEMENTWISE)
        key = hash_add(key, hash_stable(kernel->variant.at, kernel->variant.len));
    for (uint32_t i = 0; i < sizes.count; i++)
        key = hash_add(key, (uint64_t)kernel_size(kernel, &sizes.at[i]));
    return key;
}

struct keyed {
    uint64_t key;
    double us;
    uint32_t row;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->us > y->us) - (x->us < y->us);
}

/* Of one kernel from `first` on: marks them where they are too far apart. */
static uint32_t judge_same(const struct keyed *at, uint32_t first, uint32_t count, bool *out)
{
    const double most_apart = 4.0 / 3;
    uint32_t end = first;
    while (end < count && at[end].key == at[first].key)
        end++;
    for (uint32_t i = first; i < end && at[end - 1].us > most_apart * at[first].us; i++)
        out[at[i].row] = true;
    return end;
}

void calibrate_settle(struct calibrate_rows *rows, struct arena *arena)
{
    struct arena scratch = {0};
    struct measurements *of = &rows->believed;
    struct keyed *at = arena_array(&scratch, of->count, sizeof *at);
    bool *out = arena_array(&scratch, of->count, sizeof *out);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of->count; i++)
        at[i] = (struct keyed){hash_add(kernel_key(&of->rows[i].kernel), of->rows[i].device), of->rows[i].us, i};
    qsort(at, of->count, sizeof *at, by_key);
    for (uint32_t i = 0; i < of->count;)
        i = judge_same(at, i, of->count, out);
    for (uint32_t i = 0; i < of->count; i++) {
        const struct measurement *row = &of->rows[i];
        const str form = kernel_form_word(row->kernel.form);
        if (out[i])
            blame(rows, ROW_CONTRADICTS, "rows of one kernel",
                  str_printf(&scratch, "a %.*s, once in %.6g us", (int)form.len, form.at, row->us).at, arena);
        else
            of->rows[kept++] = *row;
    }
    of->count = kept;
    arena_free(&scratch);
}
