/* SPDX-License-Identifier: Apache-2.0 */
#include "operator_list.h"

#include "base/error.h"
#include "base/mem.h"
#include "text/csv_stream.h"

enum column { MODEL, MODE, SEQ, BATCH, NODE, NAME, PHASE, OP, DIMS, REPEAT, COLUMNS };

static const struct {
    const char *name;
    bool needed;
} columns[COLUMNS] = {
    [MODEL] = {"model", true}, [MODE] = {"mode", true},      [SEQ] = {"seq", true},     [BATCH] = {"batch", true},
    [NODE] = {"node", false},  [NAME] = {"name", false},     [PHASE] = {"phase", true}, [OP] = {"op", true},
    [DIMS] = {"dims", true},   [REPEAT] = {"repeat", false},
};

struct operator_list {
    struct csv_stream *rows;
    uint32_t at[COLUMNS]; /* UINT32_MAX: absent */
};

struct operator_list *operator_list_open(const char *path, struct steptime_error *err)
{
    struct csv_stream *rows = csv_stream_open(path, err);
    if (!rows)
        return NULL;
    struct operator_list *list = mem_zeroed(sizeof *list);
    list->rows = rows;
    for (int i = 0; i < COLUMNS; i++) {
        list->at[i] = csv_column(csv_stream_header(rows), str_of(columns[i].name));
        if (list->at[i] != UINT32_MAX || !columns[i].needed)
            continue;
        if (operator_list_close(list, err))
            fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no list of operators: it has no column '%s'",
                    columns[i].name);
        return NULL;
    }
    return list;
}

const struct csv_row *operator_list_header(const struct operator_list *list)
{
    return csv_stream_header(list->rows);
}

bool operator_list_close(struct operator_list *list, struct steptime_error *err)
{
    const bool good = csv_stream_close(list->rows, err);
    mem_free(list);
    return good;
}

/* ---- rows ---- */

/* "1024x1024x4096". NULL, or what is wrong. */
static const char *read_tensor(str text, struct list_row *row)
{
    int64_t elements = 1;
    uint32_t sizes = 0;
    str word;
    while (str_cut(&text, 'x', &word)) {
        int64_t size;
        if (!str_int(word, &size))
            return "a size is not a whole number";
        if (size <= 0)
            return size ? "a size is negative" : "a size is 0";
        if (sizes == LIST_SIZES)
            return "a tensor has more than 8 sizes";
        if (__builtin_mul_overflow(elements, size, &elements))
            return "the product of the sizes is too large";
        if (!row->tensors)
            row->size[sizes] = size;
        sizes++;
    }
    row->sizes = row->tensors ? row->sizes : sizes;
    row->elements[row->tensors++] = elements;
    return NULL;
}

static const char *read_tensors(str text, struct list_row *row)
{
    str word;
    while (str_cut(&text, ' ', &word)) {
        if (!word.len)
            continue;
        if (row->tensors == LIST_TENSORS)
            return "more than 8 tensors";
        const char *const what = read_tensor(word, row);
        if (what)
            return what;
    }
    return row->tensors ? NULL : "it has no sizes";
}

static const char *read_phase(str text, enum list_phase *phase)
{
    *phase = str_eq(text, S("fwd")) ? LIST_FORWARD : LIST_BACKWARD;
    const bool known = *phase == LIST_FORWARD || str_eq(text, S("bwd")) || str_eq(text, S("accumulate"));
    return known ? NULL : "its phase is none of fwd, bwd, accumulate";
}

static const char *read_repeat(str text, int64_t *repeat)
{
    *repeat = 1;
    if (text.len && (!str_int(text, repeat) || *repeat <= 0))
        return "its repeat is not a whole number above 0";
    return NULL;
}

bool operator_list_next(struct operator_list *list, struct list_row *row)
{
    *row = (struct list_row){0};
    if (!csv_stream_next(list->rows, &row->fields, &row->line))
        return false;
    str field[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        field[i] = str_trim(csv_field(&row->fields, list->at[i]));
    row->model = field[MODEL];
    row->mode = field[MODE];
    row->seq = field[SEQ];
    row->batch = field[BATCH];
    row->node = field[NODE];
    row->name = field[NAME];
    row->op = field[OP];
    row->problem = read_phase(field[PHASE], &row->phase);
    row->problem = row->problem ? row->problem : read_repeat(field[REPEAT], &row->repeat);
    row->problem = row->problem ? row->problem : read_tensors(field[DIMS], row);
    return true;
}
