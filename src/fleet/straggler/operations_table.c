/* SPDX-License-Identifier: Apache-2.0 */
/* A table of operations, a row each. */
#include "base/error.h"
#include "fleet/table/import_stream.h"
#include "base/real.h"
#include "operations_draft.h"
#include "text/csv_stream.h"

enum column { REPLICA, STAGE, STEP, TYPE, START, DURATION, SEQUENCE, CHUNK, MODEL_CHUNK, COLUMNS };

static const struct {
    const char *name;
    bool needed;
} columns[COLUMNS] = {
    [REPLICA] = {"dp_rank", true}, [STAGE] = {"stage", true},    [STEP] = {"step", true},
    [TYPE] = {"optype", true},     [START] = {"start_ts", true}, [DURATION] = {"duration", true},
    [SEQUENCE] = {"seq_id", true}, [CHUNK] = {"mc", false},      [MODEL_CHUNK] = {"gmc", false},
};

static bool find_columns(const struct csv_row *header, const char *path, uint32_t at[COLUMNS],
                         struct steptime_error *err)
{
    if (import_is_parquet(header->text)) /* of standard input, which could not be looked at */
        return import_refuse_parquet(path, err);
    for (int i = 0; i < COLUMNS; i++) {
        at[i] = csv_column(header, str_of(columns[i].name));
        if (at[i] == UINT32_MAX && columns[i].needed)
            return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no table of operations: it has no column '%s'",
                           columns[i].name);
    }
    return true;
}

/* A whole number; -1, which is none of an operation's, where it is absent or no such number. */
static int64_t whole(str text)
{
    double value;
    if (!real_read(text, &value) || !(value > -1e15 && value < 1e15) || value != (double)(int64_t)value)
        return -1;
    return (int64_t)value;
}

static void add_row(struct operations_draft *draft, const struct csv_row *row, const uint32_t at[COLUMNS])
{
    str field[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        field[i] = str_trim(csv_field(row, at[i]));
    struct operation_row operation = {.type = field[TYPE],
                                      .step = whole(field[STEP]),
                                      .stage = whole(field[STAGE]),
                                      .replica = whole(field[REPLICA]),
                                      .sequence = whole(field[SEQUENCE]),
                                      .chunk = whole(field[CHUNK]),
                                      .model_chunk = whole(field[MODEL_CHUNK])};
    const bool sound = real_read(field[START], &operation.start_s) &&
                       real_read(field[DURATION], &operation.duration_s) && operation.step >= 0 &&
                       operation.stage >= 0 && operation.replica >= 0;
    if (sound)
        draft_add(draft, &operation);
    else
        draft->dropped++;
}

bool operations_read_table(const char *path, struct operations_draft *draft, struct steptime_error *err)
{
    struct csv_stream *rows = csv_stream_open(path, err);
    if (!rows)
        return false;
    uint32_t at[COLUMNS], line;
    struct csv_row row;
    const bool good = find_columns(csv_stream_header(rows), path, at, err);
    while (good && csv_stream_next(rows, &row, &line))
        add_row(draft, &row, at);
    return csv_stream_close(rows, good ? err : NULL) && good;
}
