/* SPDX-License-Identifier: Apache-2.0 */
#include "pai_table.h"

#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "parallel/stages.h"
#include "job_fields.h"
#include "job_lines.h"
#include "io/source.h"

enum { MOST_COLUMNS = 32, PACKED_TO = 8 }; /* text packs to about an eighth */

/* A block under way. */
struct place {
    struct lines_block lines;
    struct pai_block rows;
    struct import_drops dropped;
};

struct reading {
    const struct pai_table *table;
    const struct pai_visitor *visitor;
    struct import_drops *drops;
    struct steptime_error *err;
    struct job_lines *lines;
    uint32_t at[MOST_COLUMNS]; /* where each column stands */
    bool in_order;             /* each in its own place */
    struct place *places;
    size_t room;
    bool failed;
};

static const char *const endings[] = {".csv", ".csv.gz", ".csv.zst"};
enum { ENDINGS = sizeof endings / sizeof *endings };

bool pai_table_find(const char *folder, const char *name, char *path, size_t room)
{
    for (int i = 0; i < ENDINGS; i++) {
        const int length = format_text(path, room, "%s/%s%s", folder, name, endings[i]);
        if (length > 0 && (size_t)length < room && !access(path, R_OK))
            return true;
    }
    return false;
}

uint64_t pai_table_bytes(const char *path)
{
    struct source *source = source_open(path, NULL);
    const int64_t bytes = source ? source_file_bytes(source) : 0;
    if (source)
        source_close(source);
    return (bytes > 0 ? (uint64_t)bytes : 0) * (str_ends(str_of(path), S(".csv")) ? 1 : PACKED_TO);
}

/* ---- columns ---- */

/* By the names of a first line that has the first of them, else in the published order. */
static bool find_columns(struct reading *reading)
{
    const struct pai_table *const table = reading->table;
    struct arena scratch = {0};
    struct csv_reader reader = csv_reader(job_lines_first(reading->lines));
    struct csv_row row;
    const bool headed = csv_next(&reader, &scratch, &row) && csv_column(&row, str_of(table->columns[0])) != UINT32_MAX;
    for (uint32_t i = 0; i < table->count; i++)
        reading->at[i] = headed ? csv_column(&row, str_of(table->columns[i])) : i;
    reading->in_order = !headed;
    arena_free(&scratch);
    return headed;
}

/* The fields of the row as columns; `given` is room for them. */
static const str *in_columns(const struct reading *reading, str *fields, uint32_t count, str *given)
{
    if (reading->in_order) {
        for (uint32_t i = count; i < reading->table->count; i++)
            fields[i] = S("");
        return fields;
    }
    for (uint32_t i = 0; i < reading->table->count; i++)
        given[i] = reading->at[i] < count ? fields[reading->at[i]] : S("");
    return given;
}

/* ---- a block ---- */

void *pai_block_add(struct pai_block *block, size_t record_bytes)
{
    block->records = mem_grow(block->records, &block->room, block->count + 1, record_bytes);
    return memset((char *)block->records + block->count++ * record_bytes, 0, record_bytes);
}

static void drop(const struct reading *reading, struct place *place, uint64_t line, const char *why)
{
    const char *const path = reading->table->path, *const slash = strrchr(path, '/');
    import_drop(&place->dropped, (struct import_drop){slash ? slash + 1 : path, line, why});
}

static void read_rows(const struct reading *reading, struct place *place)
{
    struct field_cursor cursor = field_cursor(&place->lines);
    str fields[MOST_COLUMNS], given[MOST_COLUMNS];
    struct csv_row row;
    const char *problem;
    for (uint64_t line = place->lines.line; fields_of_csv(&cursor, fields, MOST_COLUMNS, &row, &problem); line++) {
        if (row.count > MOST_COLUMNS)
            problem = "it has more than 32 fields";
        if (!problem && row.count)
            problem = reading->visitor->row(reading->visitor->context, in_columns(reading, fields, row.count, given),
                                            &place->rows);
        if (problem)
            drop(reading, place, line, problem);
    }
}

/* ---- stages ---- */

static struct place *place_of(const struct reading *reading, size_t item)
{
    return &reading->places[item % reading->room];
}

static bool make(void *context, size_t item)
{
    const struct reading *const reading = context;
    return job_lines_next(reading->lines, &place_of(reading, item)->lines);
}

/* A block without bytes is a line that was too long. */
static void work(void *context, unsigned thread, size_t item)
{
    (void)thread;
    const struct reading *const reading = context;
    struct place *const place = place_of(reading, item);
    place->rows.count = 0;
    place->rows.texts = intern_new();
    place->dropped.count = 0;
    if (place->lines.bytes)
        read_rows(reading, place);
    else
        drop(reading, place, place->lines.line, "a line of more than 512 KiB");
}

static bool join(void *context, size_t item)
{
    struct reading *const reading = context;
    struct place *const place = place_of(reading, item);
    import_drops_add(reading->drops, &place->dropped);
    reading->failed = !reading->visitor->join(reading->visitor->context, &place->rows, reading->err);
    intern_free(place->rows.texts);
    place->rows.texts = NULL;
    return !reading->failed;
}

/* ---- a table ---- */

static void open_places(struct reading *reading, unsigned threads)
{
    reading->room = (size_t)threads + 1;
    reading->places = mem_zeroed(reading->room * sizeof *reading->places);
    for (size_t i = 0; i < reading->room; i++)
        reading->places[i].lines.text = mem_alloc(LINES_BLOCK + 1 + LINES_PAD);
}

static void close_places(struct reading *reading)
{
    for (size_t i = 0; i < reading->room; i++) {
        struct place *const place = &reading->places[i];
        intern_free(place->rows.texts);
        mem_free(place->rows.records);
        mem_free(place->lines.text);
    }
    mem_free(reading->places);
}

bool pai_table_read(const struct pai_table *table, unsigned threads, const struct pai_visitor *visitor,
                    struct import_drops *drops, struct steptime_error *err)
{
    static const struct stages stages = {make, work, join};
    struct reading reading = {.table = table, .visitor = visitor, .drops = drops, .err = err};
    reading.lines = job_lines_open(table->path, err);
    if (!reading.lines)
        return false;
    job_lines_start(reading.lines, find_columns(&reading), 0, 1);
    threads = threads ? threads : par_cores();
    open_places(&reading, threads);
    stages_run(&stages, threads, reading.room, &reading);
    close_places(&reading);
    const char *const damage = job_lines_damage(reading.lines);
    if (!reading.failed && damage)
        reading.failed = !fail_at(err, STEPTIME_INPUT, str_of(table->path), -1, "%s", damage);
    job_lines_close(reading.lines);
    return !reading.failed;
}
